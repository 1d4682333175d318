/** Rates of reading and writing JSON, GeoJSON and KML: `node test/bench/parts/json-formats.ts`. */
import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { CreateFormatWriter, ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { createElementScanner } from "#infra/formats/json/element-scanner.ts";
import { createGeojsonWriter } from "#infra/formats/json/geojson-writer.ts";
import { createJsonReader } from "#infra/formats/json/json-reader.ts";
import { createJsonWriter } from "#infra/formats/json/json-writer.ts";
import { createKmlWriter } from "#infra/formats/kml/kml-writer.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { sampleEvents } from "./sample-events.ts";

const EVENTS = 100_000;
const ROUNDS = 5;
const PIECE = 64 * 1024;

const EXPORTED: ExportedCatalogue = {
  catalogue: {
    id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
    name: "bench",
    created_at: "2021-03-04T00:00:00.000Z",
    updated_at: "2021-03-04T00:00:00.000Z",
    status: "active",
    event_count: EVENTS,
    ...NO_BOUNDS,
    bbox: null,
    is_public: false,
    public_from: null,
    version: 1,
    created_by: "5b0d9d0e-2f5e-4a43-9a0b-0d7e5a3f2c11",
    metadata: null,
    merge_config: null,
    source_catalogues: null,
  },
  version: 1,
  exportedAt: "2021-03-04T00:00:00.000Z",
};

/** The best of some rounds, milliseconds. */
function best(work: () => void): number {
  work();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

function tell(name: string, ms: number, characters: number): void {
  const perEvent = ((ms * 1000) / EVENTS).toFixed(2);
  const rate = (characters / 1000 / ms).toFixed(0);
  process.stdout.write(`${name.padEnd(40)} ${perEvent.padStart(6)} µs an event, ${rate} MB/s\n`);
}

/** Pieces as a decoder gives them: strings of their own, not views of a larger one. */
function piecesOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
  }
  return pieces;
}

function readAll(pieces: readonly string[]): void {
  let rows = 0;
  const fail = (line: number, message: string) => {
    throw new Error(`${line}: ${message}`);
  };
  const reader = createJsonReader({ row: () => rows++, error: fail, warning: fail });
  for (const piece of pieces) reader.write(piece);
  atOnce(reader.end());
  if (rows !== EVENTS) throw new Error(`${rows} rows`);
}

function scanAll(pieces: readonly string[]): void {
  const ignore = () => {};
  const scanner = createElementScanner({
    element: ignore,
    list: ignore,
    error: ignore,
    warning: ignore,
  });
  for (const piece of pieces) scanner.write(piece);
  scanner.end();
}

const events = sampleEvents(EVENTS).map(
  (event, i) =>
    ({
      id: `event-${i}`,
      ...emptyRecord({ time: "", latitude: 0, longitude: 0 }),
      ...event,
    }) as SeismicEvent,
);
const rows = events.map(exportRowOf);

/** The file in bytes as a response sends them, some kilobytes at a time. */
function writeAll(createWriter: CreateFormatWriter): Buffer[] {
  const writer = createWriter(EXPORTED);
  const buffers: Buffer[] = [];
  let text = writer.begin();
  for (const row of rows) {
    text += writer.row(row);
    if (text.length < PIECE) continue;
    buffers.push(Buffer.from(text));
    text = "";
  }
  return [...buffers, Buffer.from(text + writer.end())];
}

for (const [name, createWriter] of [
  ["JSON", createJsonWriter],
  ["GeoJSON", createGeojsonWriter],
  ["KML", createKmlWriter],
] as const) {
  const text = Buffer.concat(writeAll(createWriter)).toString();
  tell(
    `write ${name}`,
    best(() => Buffer.byteLength(writeAll(createWriter).join(""))),
    text.length,
  );
  if (name === "KML") continue;
  const pieces = piecesOf(text);
  const parse = best(() => JSON.parse(text));
  const read = best(() => readAll(pieces));
  tell(`JSON.parse of all ${name}`, parse, text.length);
  tell(
    `scan ${name} alone`,
    best(() => scanAll(pieces)),
    text.length,
  );
  tell(`read ${name}`, read, text.length);
  process.stdout.write(`reading ${name}: ${(parse / read).toFixed(2)} of the rate of JSON.parse\n`);
}
const submitted = JSON.stringify(sampleEvents(EVENTS));
tell(
  "JSON.parse of submitted events",
  best(() => JSON.parse(submitted)),
  submitted.length,
);
const pieces = piecesOf(submitted);
tell(
  "scan submitted events alone",
  best(() => scanAll(pieces)),
  submitted.length,
);
tell(
  "read submitted events",
  best(() => readAll(pieces)),
  submitted.length,
);
