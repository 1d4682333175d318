import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type EventLog, NO_STREAM } from "#infra/event-log/event-log.ts";
import { runs } from "../../support/runs.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvent, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

/** JSON text has no -0, and its objects no prototype. */
const jsonObject = fc
  .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

export function contentContract(makeLog: () => Promise<EventLog>): void {
  it("gives JSON back as it was given", async () => {
    const log = await openLog(makeLog);
    await fc.assert(
      fc.asyncProperty(jsonObject, async (data) => {
        const stream = uniqueName("stream");
        await log.append(stream, NO_STREAM, [newEvent({ data })]);
        const [event] = await log.read(stream, 0, 1);
        expect(event?.data).toEqual(data);
      }),
      { numRuns: runs(50) },
    );
  });

  it("gives bytes back as they were given", async () => {
    const log = await openLog(makeLog);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (data) => {
        const stream = uniqueName("stream");
        await log.append(stream, NO_STREAM, [newEvent({ data })]);
        const [event] = await log.read(stream, 0, 1);
        expect(bytesOf(event?.data)).toEqual(Buffer.from(data));
      }),
      { numRuns: runs(50) },
    );
  });

  it("carries chunks of 200 KB beside JSON, through read and subscribe alike", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Chunk")];
    const after = await log.head();
    const chunks = Array.from({ length: 4 }, () => randomBytes(200 * 1024));
    await log.append(stream, NO_STREAM, [
      newEvent({ type, data: { rows: 4, text: 'Ōkato \u{1f30b} "\\' } }),
      ...chunks.map((data) => newEvent({ type, data })),
    ]);
    const subscribed = await collect(log, { after, types: [type], enough: atLeast(5) });
    for (const [head, ...rest] of [await log.read(stream, 0, 10), subscribed.events]) {
      expect(head?.data).toEqual({ rows: 4, text: 'Ōkato \u{1f30b} "\\' });
      expect(
        Buffer.concat(rest.map(({ data }) => bytesOf(data))).equals(Buffer.concat(chunks)),
      ).toBe(true);
    }
  });

  it("gives back id, type, metadata, and when it took the event", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const event = newEvent({ type: "Renamed" });
    const before = Date.now();
    await log.append(stream, NO_STREAM, [event]);
    const [recorded] = await log.read(stream, 0, 1);
    const { position, recordedAt, ...rest } = recorded ?? expect.fail("nothing was read");
    expect(rest).toEqual({ ...event, stream, revision: 0 });
    expect(position).toMatch(/^[0-9a-f]+$/);
    expect(recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(recordedAt)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(recordedAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it("keeps what it was given when the giver changes it afterwards", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const event = newEvent({ data: Uint8Array.of(1, 2, 3) });
    await log.append(stream, NO_STREAM, [event]);
    if (event.data instanceof Uint8Array) event.data.fill(9);
    const [recorded] = await log.read(stream, 0, 1);
    expect([...bytesOf(recorded?.data)]).toEqual([1, 2, 3]);
  });
}

function bytesOf(data: unknown): Buffer {
  if (!(data instanceof Uint8Array)) return expect.fail("not bytes");
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
