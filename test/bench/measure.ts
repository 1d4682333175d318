import { readFile } from "node:fs/promises";

/** Median, least and greatest of some measurements. */
type Spread = { readonly median: number; readonly min: number; readonly max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return {
    median: (lower + upper) / 2,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  return (await timed(work))[0];
}

export async function timed<T>(work: () => Promise<T>): Promise<[seconds: number, result: T]> {
  const started = performance.now();
  const result = await work();
  return [(performance.now() - started) / 1000, result];
}

/** What is measured after some that warm up. */
export async function repeated<T>(
  count: number,
  warmUps: number,
  measure: (i: number) => Promise<T>,
): Promise<T[]> {
  const measured: T[] = [];
  for (let i = -warmUps; i < count; i += 1) {
    const one = await measure(i);
    if (i >= 0) measured.push(one);
  }
  return measured;
}

/** The 99th percentile: what 99 of a hundred are not above. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN;
}

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

type Named = readonly [name: string, size: string, unit: string];

/** Figures beside what they may be at most, in the same unit. */
export function within(named: Named, limit: number, figures: readonly number[]): Result {
  return beside(named, ["what it may take", 1], medians(figures, [limit]));
}

/** Both sides measured in the same run, in the same unit. */
export function beside(
  [name, size, unit]: Named,
  [yardstick, target]: readonly [string, number | null],
  comparison: Comparison,
): Result {
  return { case: name, size, unit, yardstick, target, ...comparison };
}

/** Of what was not measured in pairs. */
export function medians(figures: readonly number[], others: readonly number[]): Comparison {
  const [ours, yardstickFigure] = [spreadOf(figures), spreadOf(others)];
  return { ours, yardstickFigure, ratio: ours.median / yardstickFigure.median };
}

/** The two in turn; the ratio is that of their medians. */
export async function inTurn(
  rounds: number,
  warmUps: number,
  ours: (i: number) => Promise<number>,
  yardstick: (i: number) => Promise<number>,
): Promise<Comparison> {
  const pairs = await repeated(rounds, warmUps, async (i) => [await ours(i), await yardstick(i)]);
  return medians(
    pairs.map(([figure = 0]) => figure),
    pairs.map(([, figure = 0]) => figure),
  );
}

/** Of rates the greater is the better. */
export function ofRates({ ratio, ...figures }: Comparison): Comparison {
  return { ...figures, ratio: 1 / ratio };
}

/** Either way of telling the two sides apart counts. */
export function eitherWay({ ratio, ...figures }: Comparison): Comparison {
  return { ...figures, ratio: Math.max(ratio, 1 / ratio) };
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

export type Comparison = Pick<Result, "ours" | "yardstickFigure" | "ratio">;

/** One round of a case: what the service took and what its yardstick took. */
export type Round = readonly [ours: number, yardstick: number];

/**
 * Repeats a round that measures both sides, so that what else the machine does meets both.
 * @param warmUps rounds before them that are not counted
 */
export async function compare(
  repetitions: number,
  measure: () => Promise<Round>,
  warmUps = 1,
): Promise<Comparison> {
  return comparisonOf(await repeated(repetitions, warmUps, measure));
}

/**
 * Repeats each side by itself, in seconds: ours is held against the mean of the yardstick before and after
 * it, so that a machine that becomes slower or faster meanwhile does so for both.
 * @param warmUps rounds before them that are not counted
 */
export async function compareBetween(
  repetitions: number,
  ours: () => Promise<unknown>,
  yardstick: () => Promise<unknown>,
  warmUps = 1,
): Promise<Comparison> {
  const rounds: Round[] = [];
  let before = await secondsOf(yardstick);
  for (let i = -warmUps; i < repetitions; i += 1) {
    const seconds = await secondsOf(ours);
    const after = await secondsOf(yardstick);
    if (i >= 0) rounds.push([seconds, (before + after) / 2]);
    before = after;
  }
  return comparisonOf(rounds);
}

export function comparisonOf(rounds: readonly Round[]): Comparison {
  return {
    ours: spreadOf(rounds.map(([ours]) => ours)),
    yardstickFigure: spreadOf(rounds.map(([, yardstick]) => yardstick)),
    ratio: spreadOf(rounds.map(([ours, yardstick]) => ours / yardstick)).median,
  };
}

/** A line of the table in PERFORMANCE.md. */
type Published = { readonly case: string; readonly size: string; readonly ratio: number };

const CELL = /\s*\|\s*/;
/** Ratios of one line in several runs stand with commas between; the last is taken. */
const CELLS = 6;
/** What two runs on one machine differ by. */
const NOISE = 0.15;

/** The lines of tables with a ratio in their fifth column. */
export function readPublished(markdown: string): Published[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split(CELL).slice(1, -1);
    const [name = "", size = "", , , ratios = ""] = cells;
    const ratio = Number(ratios.split(",").at(-1));
    const isLine = cells.length === CELLS && ratios !== "" && Number.isFinite(ratio);
    return isLine ? [{ case: name, size: plain(size), ratio }] : [];
  });
}

/** One sentence for each result that differs from the table by more than noise, which leaves some out. */
export function changesAgainst(
  published: readonly Published[],
  results: readonly Pick<Result, "case" | "size" | "ratio">[],
): string[] {
  return results.flatMap((result) => {
    const before = published.find(
      (line) => line.case === result.case && line.size === plain(result.size),
    );
    if (before === undefined) return [];
    const change = Math.abs(result.ratio - before.ratio) / before.ratio;
    const ratios = `${before.ratio.toFixed(2)} → ${result.ratio.toFixed(2)}`;
    return change > NOISE ? [`${result.case}, ${result.size}: ${ratios}`] : [];
  });
}

export async function printChanges(results: readonly Result[]): Promise<void> {
  const table = new URL("../../PERFORMANCE.md", import.meta.url);
  const changes = changesAgainst(readPublished(await readFile(table, "utf8")), results);
  console.info("Against the table in PERFORMANCE.md:");
  for (const change of changes.length > 0 ? changes : ["nothing changed by more than 15 %"]) {
    console.info(`  ${change}`);
  }
}

/** Numbers are published with commas. */
function plain(size: string): string {
  return size.replaceAll(/(?<=\d),(?=\d{3})/g, "");
}
