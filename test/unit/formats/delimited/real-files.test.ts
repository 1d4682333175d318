import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { readText } from "./read-delimited.ts";

const DATA = resolve(process.env["REAL_DATA_DIR"] ?? "../shared/data");

type Count = "lines" | "csv-parse";

/** File → rows → errors → warnings; rows are counted independently as well, as `by` says. */
const FILES: readonly [
  file: string,
  by: Count,
  headerLines: number,
  rows: number,
  warnings: number,
][] = [
  ["csv/csep_sample.csv", "csv-parse", 1, 829, 0],
  ["csv/geonet_quakesearch_1980-2022.csv", "csv-parse", 1, 18_650, 1249],
  ["csv/kawerau.csv", "csv-parse", 1, 1058, 8],
  ["csv/merge3_comcat.csv", "csv-parse", 1, 5, 1],
  ["csv/merge3_gcmt.csv", "csv-parse", 1, 4, 0],
  ["csv/merge3_isc.csv", "csv-parse", 1, 5, 4],
  ["text/catalog.csv", "csv-parse", 1, 3, 0],
  ["text/incomplete.csv", "csv-parse", 1, 2, 0],
  ["text/events.txt", "lines", 1, 2, 0],
  ["text/seiscomp_event-1.txt", "lines", 1, 5, 0],
  ["text/zmap_events.txt", "lines", 0, 2, 1],
];

function count(text: string, by: Count): number {
  return by === "lines"
    ? text.split("\n").filter((line) => line.trim() !== "").length
    : parse(text, { skip_empty_lines: true }).length;
}

describe.skipIf(!existsSync(DATA))("real files (skipped where there is no REAL_DATA_DIR)", () => {
  it.each(FILES)("%s: as many rows as %s finds", (file, by, headerLines, rows, warnings) => {
    const text = readFileSync(join(DATA, file), "utf8");
    const read = readText(text, { extension: file.split(".").at(-1) ?? "" });
    expect(read.rows).toHaveLength(count(text, by) - headerLines);
    expect(read.rows).toHaveLength(rows);
    expect(read.errors).toEqual([]);
    expect(read.warnings).toHaveLength(warnings);
  });

  it("GeoNet's zeros of the magnitude's uncertainty are unknown, and kept", () => {
    const text = readFileSync(join(DATA, "csv/geonet_quakesearch_1980-2022.csv"), "utf8");
    const records = parse(text, { columns: true }) as { magnitudeuncertainty: string }[];
    const zeros = records.map((record) => Number(record.magnitudeuncertainty || "1") === 0);
    const read = readText(text).rows.map(({ magnitudeuncertainty, extra }) => {
      const kept = (extra as { magnitudeuncertainty?: unknown } | undefined)?.magnitudeuncertainty;
      return magnitudeuncertainty === null && kept === 0;
    });
    expect(read).toEqual(zeros);
    expect(zeros.filter(Boolean)).toHaveLength(9205);
  });
});
