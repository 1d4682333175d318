import { significant } from "#contracts/plots/numbers.ts";

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [365.25 * 86_400, "years"],
  [86_400, "days"],
  [3_600, "hours"],
  [60, "minutes"],
];

/** Seconds in the largest unit of which there is one: "1.92 days". */
export function duration(seconds: number): string {
  const [length, name] = UNITS.find(([least]) => seconds >= least) ?? [1, "seconds"];
  return `${significant(seconds / length, 3)} ${name}`;
}
