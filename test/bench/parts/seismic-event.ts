/** Times of the parts that every bulk submission passes: `node test/bench/parts/seismic-event.ts`. */
import { rowAt } from "#contracts/seismic-event/event-columns.ts";
import { eventId } from "#contracts/seismic-event/event-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type Chunk, decodeChunk } from "#infra/event-log/chunk-codec.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { sliceEventsBody } from "#infra/json/slice-body.ts";
import { binaryCopyStream } from "#infra/postgres/copy/binary-copy.ts";
import { countedUuidField } from "#infra/postgres/copy/uuid-fields.ts";
import { inOrderOfTime } from "#projections/catalogues/copy-seismic-events.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { sampleEvents } from "./sample-events.ts";

const EVENTS = 100_000;
const ROUNDS = 5;
const CATALOGUE_ID = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";

async function measure<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  let result = await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    result = await work();
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

async function copyAll(chunks: readonly Chunk[]): Promise<number> {
  const sources = chunks.map(({ firstIndex, added }) => ({
    events: added,
    ids: countedUuidField(eventId(CATALOGUE_ID, 1, firstIndex)),
  }));
  let bytes = 0;
  for await (const buffer of binaryCopyStream([inOrderOfTime(1, 1, sources)]))
    bytes += buffer.length;
  return bytes;
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

await measure(`JSON.parse of the body, ${megabytes} MB`, () => JSON.parse(body.toString()));
await measure(`sliceEventsBody scan alone, ${megabytes} MB`, () => sliceEventsBody(body).envelope);
await measure(`sliceEventsBody with parsing, ${megabytes} MB`, () => sliceAll(body));
await measure(
  `scan alone, ${(textBody.length / 1e6).toFixed(1)} MB of long strings`,
  () => sliceEventsBody(textBody).envelope,
);
const records = await measure(`validate ${EVENTS}`, () => validateAll(events));
const chunks = await measure(`encode ${EVENTS} into chunks`, () => encodeAll(records));
const sizes = chunks.map((chunk) => chunk.bytes.length);
const total = sizes.reduce((sum, size) => sum + size, 0);
process.stdout.write(
  `${chunks.length} chunks, largest ${Math.max(...sizes)} bytes, ${(total / EVENTS).toFixed(1)} bytes an event\n`,
);
const decoded = await measure(`decode ${EVENTS}`, () =>
  chunks.map(({ bytes }) => decodeChunk(bytes)),
);
await measure(`rows of ${EVENTS}`, () =>
  decoded.map(({ added }) => Array.from({ length: added.length }, (_, i) => rowAt(added, i))),
);
const copied = await measure(`binary COPY of ${EVENTS} rows`, () => copyAll(decoded));
process.stdout.write(`${(copied / 1e6).toFixed(1)} MB of COPY\n`);
