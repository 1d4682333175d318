import { type Spread, spreadOf } from "./statistics.ts";

/** One line of the table: our figure beside a yardstick measured in the same run. */
export type Result = {
  readonly case: string;
  readonly size: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly yardstick: string;
  readonly yardstickFigure: Spread;
  /** Median of the ratios ours / yardstick, pair by pair. */
  readonly ratio: number;
  /** The ratio must not be above it; null where the line only helps to read others. */
  readonly target: number | null;
};

/** Figures beside what they may be at most, in the same unit. */
export function within(
  limit: number,
  figures: readonly number[],
): Omit<Result, "case" | "size" | "unit"> {
  const ours = spreadOf(figures);
  return {
    ours,
    yardstick: "what it may take",
    yardstickFigure: spreadOf([limit]),
    ratio: ours.median / limit,
    target: 1,
  };
}

export function isMet({ ratio, target }: Result): boolean {
  return target === null || ratio <= target;
}

export function printResults(results: readonly Result[]): void {
  console.table(
    results.map((result) => ({
      case: result.case,
      size: result.size,
      ours: figure(result.ours, result.unit),
      yardstick: `${result.yardstick}: ${figure(result.yardstickFigure, result.unit)}`,
      ratio: result.ratio.toFixed(2),
      target: result.target === null ? "" : `≤ ${Number(result.target.toFixed(2))}`,
      ok: result.target === null ? "" : isMet(result) ? "yes" : "NO",
    })),
  );
}

function figure({ median, min, max }: Spread, unit: string): string {
  return `${median.toFixed(2)} ${unit} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
