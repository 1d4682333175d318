import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../bench-service.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const SMALL = 10_000;
/** What an export of any size may hold above one of 10,000 events, MiB. */
const MEMORY_TARGET_MIB = 64;

/** How much longer than the COPY each format may take. */
const TARGETS = { csv: 2.5, json: 3.5, geojson: 3.5, quakeml: 5, kml: 6, text: 3.5 } as const;

/**
 * Exports of a catalogue against `COPY … TO STDOUT (format csv)` of the same query, both read to the
 * end by this process; then the memory of a service that has done nothing else.
 */
export async function benchExport(
  { client, database, startAnother, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const { id: large } = await shared.of(count);
  const copied: number[] = [];
  const taken = new Map<ExportFormat, number[]>();
  for (let i = 0; i <= repetitions; i += 1) {
    const copy = await secondsOf(() => copyAll(database, large));
    for (const format of Object.keys(TARGETS) as ExportFormat[]) {
      const seconds = await secondsOf(() => exportAll(client, large, format, count));
      // The first round warms up.
      if (i > 0) taken.set(format, [...(taken.get(format) ?? []), seconds]);
    }
    if (i > 0) copied.push(copy);
  }
  const { id: small } = await shared.of(SMALL);
  const { client: fresh, process } = await startAnother();
  const results = [...taken].map(([format, seconds]) => rateOf(format, count, seconds, copied));
  const formats = [...taken.keys()];
  const peak = (id: string, size: number) =>
    peakMemoryOf(process.pid, async () => {
      for (const format of formats) await exportAll(fresh, id, format, size);
    });
  // Twice, so that what the runtime keeps for itself is in both figures.
  await peak(small, SMALL);
  const smallPeak = await peak(small, SMALL);
  const largePeak = await peak(large, count);
  await process.stop();
  return [...results, memoryOf(count, largePeak, smallPeak)];
}

function rateOf(
  format: ExportFormat,
  count: number,
  seconds: readonly number[],
  copied: readonly number[],
): Result {
  return {
    case: `export as ${format}`,
    size: `${count} events`,
    unit: "s",
    ours: spreadOf(seconds),
    yardstick: "COPY of the same query",
    yardstickFigure: spreadOf(copied),
    ratio: spreadOf(seconds.map((s, i) => s / (copied[i] ?? Number.NaN))).median,
    target: TARGETS[format],
  };
}

function memoryOf(count: number, large: number, small: number): Result {
  return {
    case: "peak memory of exports, all formats",
    size: `${count} events`,
    unit: "MiB",
    ours: spreadOf([large]),
    yardstick: `${SMALL} events and ${MEMORY_TARGET_MIB} MiB`,
    yardstickFigure: spreadOf([small + MEMORY_TARGET_MIB]),
    ratio: large / (small + MEMORY_TARGET_MIB),
    target: 1,
  };
}

async function exportAll(
  client: ApiClient,
  id: string,
  format: ExportFormat,
  count: number,
): Promise<void> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`);
  const announced = Number(response.headers.get("x-export-event-count"));
  if (response.status !== 200 || announced !== count) throw new Error(`${response.status}`);
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  if (bytes < count) throw new Error(`only ${bytes} bytes came`);
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
