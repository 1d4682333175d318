import { readFile } from "node:fs/promises";
import type { Result } from "./report.ts";

/** A line of the table in PERFORMANCE.md. */
export type Published = { readonly case: string; readonly size: string; readonly ratio: number };

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
