import { MINUS } from "#contracts/plots/numbers.ts";

type Relation = {
  readonly from: string;
  readonly agency?: string | undefined;
  readonly to: string;
  readonly slope: number;
  readonly intercept: number;
  readonly sigma: number;
  readonly range: readonly [number, number] | readonly number[];
};

/** "Mw = 0.67 mb + 2.07 ± 0.32, of mb 3.5 to 6.2". */
export function formulaOf({ from, agency, to, slope, intercept, sigma, range }: Relation): string {
  const sign = intercept < 0 ? MINUS : "+";
  const [least = 0, most = 0] = range.map(signed);
  const of = agency ? `${agency}’s ${from}` : from;
  return `${to} = ${slope} ${from} ${sign} ${Math.abs(intercept)} ± ${sigma}, of ${of} ${least} to ${most}`;
}

function signed(value: number): string {
  return String(value).replace("-", MINUS);
}
