import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { exportAll } from "../bench-export.ts";
import type { BenchService } from "../bench-service.ts";
import { comparisonOf } from "../compare.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/** How much longer than the COPY each format may take. */
const TARGETS = {
  csv: 2,
  json: 3.5,
  geojson: 1 / 0.3,
  quakeml: 5,
  kml: 6,
  text: 3.5,
  parquet: 2,
  arrow: 2,
} as const;
type Timed = keyof typeof TARGETS;

/** How large the columnar files may be, of the size of CSV; null for any size. */
const SIZES = { parquet: 0.4, arrow: null } as const;

/** How much longer than the export as CSV Parquet may take. */
const PARQUET_TARGET = 1.5;

/** What warms up each format. */
const SMALL = 100_000;

/**
 * Exports of a catalogue against `COPY … TO STDOUT (format csv)` of the same query, both read to the
 * end by this process.
 */
export async function benchExport(
  { client, database, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const formats = Object.keys(TARGETS) as Timed[];
  const small = await shared.of(Math.min(count, SMALL));
  for (const format of formats) await exportAll(client, small.id, format, small.events);
  const { id: large } = await shared.of(count);
  await copyAll(database, large);
  const copied: number[] = [];
  const taken = new Map<Timed, number[]>();
  const bytes = new Map<string, number>();
  for (let i = 0; i < repetitions; i += 1) {
    copied.push(await secondsOf(() => copyAll(database, large)));
    for (const format of formats) {
      const seconds = await secondsOf(async () => {
        bytes.set(format, await exportAll(client, large, format, count));
      });
      taken.set(format, [...(taken.get(format) ?? []), seconds]);
    }
  }
  const csv = bytes.get("csv") ?? Number.NaN;
  return [
    ...[...taken].map(([format, seconds]) => rateOf(format, count, seconds, copied)),
    {
      case: "export as parquet, beside CSV",
      size: `${count} events`,
      unit: "s",
      yardstick: "the export as CSV",
      ...comparisonOf(
        (taken.get("parquet") ?? []).map((s, i) => [s, taken.get("csv")?.[i] ?? Number.NaN]),
      ),
      target: PARQUET_TARGET,
    },
    ...Object.entries(SIZES).map(([format, target]) => ({
      case: `size of the export as ${format}`,
      size: `${count} events`,
      unit: "MB",
      ...sizesOf(bytes.get(format) ?? Number.NaN, csv),
      yardstick: "the export as CSV",
      target,
    })),
  ];
}

function sizesOf(bytes: number, csv: number): Pick<Result, "ours" | "yardstickFigure" | "ratio"> {
  const [ours, yardstickFigure] = [spreadOf([bytes / 1e6]), spreadOf([csv / 1e6])];
  return { ours, yardstickFigure, ratio: bytes / csv };
}

function rateOf(
  format: Timed,
  count: number,
  seconds: readonly number[],
  copied: readonly number[],
): Result {
  return {
    case: `export as ${format}`,
    size: `${count} events`,
    unit: "s",
    yardstick: "COPY of the same query",
    ...comparisonOf(seconds.map((s, i) => [s, copied[i] ?? Number.NaN])),
    target: TARGETS[format],
  };
}

/** The rows that an export reads, in its order, as the database itself would write them. */
async function copyAll(database: Client, id: string): Promise<void> {
  const { rows } = await database.query(
    "select key, version from read_model.catalogues where id = $1",
    [id],
  );
  const [{ key, version }] = z.tuple([z.object({ key: z.int(), version: z.int() })]).parse(rows);
  const stream = database.query(
    copyTo(
      `copy (select * from read_model.seismic_events
             where catalogue_key = ${key} and revision_from <= ${version}
               and (revision_to is null or revision_to > ${version})
             order by time desc, event_id desc) to stdout (format csv, header)`,
    ),
  );
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error("nothing was copied");
}
