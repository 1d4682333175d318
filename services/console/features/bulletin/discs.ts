import type { Mark } from "../../plots/chart/chart-types.ts";

export type Measured = {
  readonly x: number | null;
  readonly y: number | null;
  /** Whether the solution gave it weight. */
  readonly isUsed: boolean;
};

type Disc = Extract<Mark, { readonly kind: "discs" }>;

/** Pixels. */
const DIAMETER = 7;

/** Discs where both values are known: full ones for what was used, hollow ones for the rest. @param name undefined: not in the legend */
export function discsOf(
  values: readonly Measured[],
  colour: Disc["colour"],
  name: string | undefined,
): readonly Disc[] {
  const discs = [true, false].flatMap((isUsed): Disc[] => {
    const points = values.flatMap(({ x, y, ...one }): [number, number][] =>
      one.isUsed !== isUsed || x === null || y === null ? [] : [[x, y]],
    );
    const diameters = points.map(() => DIAMETER);
    return points.length === 0
      ? []
      : [{ kind: "discs", colour, points, diameters, isHollow: !isUsed }];
  });
  return discs.map((disc, i) => (i === 0 && name !== undefined ? { ...disc, name } : disc));
}

/** What hollow discs mean, where there are any. */
export function notesOn(values: readonly Pick<Measured, "isUsed">[]): readonly string[] {
  return values.every(({ isUsed }) => isUsed) ? [] : ["Hollow: given no weight"];
}

/** A line at one value across a panel. */
export function lineAt(
  y: number,
  { from, to }: { readonly from: number; readonly to: number },
): Extract<Mark, { readonly kind: "line" }> {
  return {
    kind: "line",
    colour: "ink",
    isDashed: true,
    points: [
      [from, y],
      [to, y],
    ],
  };
}
