/** Rates of reading and writing delimited text: `node test/bench/parts/delimited.ts`. */
import { parse } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv-writer.ts";
import { createDelimitedReader } from "#infra/formats/delimited/delimited-reader.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text-writer.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { sampleEvents } from "./sample-events.ts";

const ROWS = 100_000;
const ROUNDS = 5;
const PIECE = 64 * 1024;

const HEADER =
  "publicid,eventtype,origintime,modificationtime,longitude,latitude,magnitude,depth,magnitudetype,depthtype,evaluationmethod,evaluationstatus,evaluationmode,earthmodel,usedphasecount,usedstationcount,magnitudestationcount,minimumdistance,azimuthalgap,originerror,magnitudeuncertainty";

const events = sampleEvents(ROWS);

/** The columns of GeoNet's quakesearch; `quoted`: with a place in quotes, as USGS has it. */
function table(quoted: boolean): string {
  const lines = events.map((e) => {
    const line = `${e["source_id"]},earthquake,${e["time"]},${e["time"]},${e["longitude"]},${e["latitude"]},${e["magnitude"]},${e["depth"]},${e["magnitude_type"]},operator assigned,LOCSAT,confirmed,manual,iasp91,12,${e["used_station_count"]},3,${e["minimum_distance"]},${e["azimuthal_gap"]},${e["standard_error"]},0.25`;
    return quoted ? `${line},"${e["region"]}"` : line;
  });
  return [quoted ? `${HEADER},region` : HEADER, ...lines, ""].join("\n");
}

async function measure(name: string, units: number, work: () => unknown): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  const best = Math.min(...times);
  process.stdout.write(
    `${name.padEnd(52)} ${best.toFixed(0).padStart(6)} ms  ${(units / best / 1000).toFixed(1)} MB/s  ${((best * 1000) / ROWS).toFixed(2)} µs/row\n`,
  );
  return best;
}

function readAll(text: string): number {
  let rows = 0;
  const reader = createDelimitedReader(
    { row: () => rows++, error: () => {}, warning: () => {} },
    { delimiter: "auto" },
  );
  for (let at = 0; at < text.length; at += PIECE) reader.write(text.slice(at, at + PIECE));
  atOnce(reader.end());
  if (rows !== ROWS) throw new Error(`${rows} rows instead of ${ROWS}`);
  return rows;
}

async function readStream(text: string, options: object): Promise<number> {
  let rows = 0;
  const parser = parse(options);
  parser.on("readable", () => {
    while (parser.read() !== null) rows++;
  });
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  const ended = new Promise((resolve) => parser.on("end", resolve));
  parser.end();
  await ended;
  return rows;
}

for (const quoted of [false, true]) {
  const text = table(quoted);
  process.stdout.write(
    `${quoted ? "with a place in quotes" : "without quotes"}: ${(text.length / 1e6).toFixed(1)} MB\n`,
  );
  const bare = await measure("csv-parse, sync, arrays", text.length, () => parseSync(text));
  await measure("csv-parse, stream, arrays", text.length, () => readStream(text, {}));
  await measure("csv-parse, stream, objects", text.length, () =>
    readStream(text, { columns: true }),
  );
  await measure("lines and fields by the engine's split", text.length, () =>
    text.split("\n").map((line) => line.split(",")),
  );
  const own = await measure("delimited reader, typed rows", text.length, () => readAll(text));
  process.stdout.write(`reader at ${(bare / own).toFixed(2)} of csv-parse's bare rate\n\n`);
}

const rows = events.map((event, i) =>
  exportRowOf({
    ...emptyRecord({ time: "", latitude: 0, longitude: 0 }),
    ...event,
    id: `1.${i}`,
  }),
);
const catalogue = {
  catalogue: { name: "Bench" },
} as unknown as Parameters<typeof createFdsnTextWriter>[0];
for (const [name, writer] of [
  ["CSV writer", createCsvWriter()],
  ["FDSN text writer", createFdsnTextWriter(catalogue)],
] as const) {
  let length = 0;
  for (const row of rows) length += writer.row(row).length;
  await measure(name, length, () => {
    let written = 0;
    for (const row of rows) written += writer.row(row).length;
    return written;
  });
}
