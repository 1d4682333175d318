/** Times of the parts that every bulk submission passes: `node test/bench/parts/seismic-event.ts`. */
import { ATTRIBUTE_NAMES, ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { rowAt } from "#contracts/seismic-event/event-columns.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type Chunk, decodeChunk } from "#infra/event-log/chunk-codec.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { sliceEventsBody } from "#infra/json/slice-body.ts";
import { createBinaryCopy } from "#infra/postgres/binary-copy.ts";
import type { CopyType } from "#infra/postgres/copy-fields.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { sampleEvents } from "./sample-events.ts";

const EVENTS = 100_000;
const ROUNDS = 5;
const CATALOGUE_ID = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";
const COPY_TYPES = {
  number: "float8",
  integer: "int4",
  text: "text",
  enumeration: "text",
} as const;

function measure<T>(name: string, work: () => T): T {
  let result = work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    result = work();
    times.push(performance.now() - start);
  }
  const best = Math.min(...times).toFixed(0);
  const worst = Math.max(...times).toFixed(0);
  process.stdout.write(`${name.padEnd(46)} ${best.padStart(6)} – ${worst} ms\n`);
  return result;
}

function validateAll(events: readonly unknown[]): SeismicEventRecord[] {
  const validate = createEventValidator({ nowMs: Date.now() });
  return events.map((event) => {
    const result = validate(event);
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return result.record;
  });
}

function encodeAll(records: readonly SeismicEventRecord[]): EncodedChunk[] {
  const writer = createChunkWriter();
  const chunks = records.map((record) => writer.add(record));
  return [...chunks, writer.finish()].filter((chunk) => chunk !== null);
}

function copyAll(chunks: readonly Chunk[]): number {
  const types: CopyType[] = ["uuid", "int4", "timestamptz", "int2"];
  for (const name of ATTRIBUTE_NAMES) types.push(COPY_TYPES[ATTRIBUTES[name].kind]);
  const copy = createBinaryCopy(types);
  const prefix = eventIdPrefix(CATALOGUE_ID, 1);
  const row: (string | number | bigint | null)[] = [];
  let bytes = 0;
  for (const { firstIndex, added } of chunks) {
    for (let i = 0; i < added.length; i++) {
      const time = added.columns.time[i] ?? "";
      row[0] = eventIdAt(prefix, firstIndex + i);
      row[1] = 1;
      row[2] = postgresMicros(time);
      row[3] = fractionDigits(time);
      let at = 4;
      for (const name of ATTRIBUTE_NAMES) row[at++] = added.columns[name]?.[i] ?? null;
      copy.row(row);
    }
    bytes += copy.take().length;
  }
  return bytes + copy.end().length;
}

function sliceAll(body: Buffer): number {
  let count = 0;
  for (const slice of sliceEventsBody(body).slices ?? []) count += slice.length;
  return count;
}

const events = sampleEvents(EVENTS);
const body = Buffer.from(JSON.stringify({ name: "bench", events }));
const megabytes = (body.length / 1e6).toFixed(1);
const textBody = Buffer.from(
  JSON.stringify({ events: events.map((event) => ({ ...event, note: "κύμα ".repeat(60) })) }),
);

measure(`JSON.parse of the body, ${megabytes} MB`, () => JSON.parse(body.toString()));
measure(`sliceEventsBody scan alone, ${megabytes} MB`, () => sliceEventsBody(body).envelope);
measure(`sliceEventsBody with parsing, ${megabytes} MB`, () => sliceAll(body));
measure(
  `scan alone, ${(textBody.length / 1e6).toFixed(1)} MB of long strings`,
  () => sliceEventsBody(textBody).envelope,
);
const records = measure(`validate ${EVENTS}`, () => validateAll(events));
const chunks = measure(`encode ${EVENTS} into chunks`, () => encodeAll(records));
const sizes = chunks.map((chunk) => chunk.bytes.length);
const total = sizes.reduce((sum, size) => sum + size, 0);
process.stdout.write(
  `${chunks.length} chunks, largest ${Math.max(...sizes)} bytes, ${(total / EVENTS).toFixed(1)} bytes an event\n`,
);
const decoded = measure(`decode ${EVENTS}`, () => chunks.map(({ bytes }) => decodeChunk(bytes)));
measure(`rows of ${EVENTS}`, () =>
  decoded.map(({ added }) => Array.from({ length: added.length }, (_, i) => rowAt(added, i))),
);
const copied = measure(`binary COPY of ${EVENTS} rows of 30 columns`, () => copyAll(decoded));
process.stdout.write(`${(copied / 1e6).toFixed(1)} MB of COPY\n`);
