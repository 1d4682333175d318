import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  type EventHead,
  type EventLog,
  eventBytes,
  LogMismatch,
  MAX_APPEND_BYTES,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  TooLarge,
  Unavailable,
  unverified,
  WrongExpectedRevision,
} from "#infra/log/event-log.ts";
import { collect, newEvent, newEvents, openLog, uniqueName } from "../../support/event-log.ts";
import { runs } from "../../support/runs.ts";

const WRITERS = 16;
const ROUNDS = 10;
const TEXT = 'Ōkato \u{1f30b} "\\';

/** JSON text has no -0, and its objects no prototype. */
const jsonObject = fc
  .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const revisionsOf = (events: readonly RecordedEvent[]) => events.map(({ revision }) => revision);
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const counted = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/**
 * What every adapter of the event log port must do. `makeLog` may open the same log each time: tests
 * use streams and types of their own.
 */
export function eventLogContract(name: string, makeLog: () => Promise<EventLog>): void {
  describe(`event log on ${name}`, () => {
    let log: EventLog;
    beforeAll(async () => {
      log = await makeLog();
    });
    afterAll(() => log.close());

    it("gives the events of an append revisions from 0 and rising positions, and reads them in pages", async () => {
      const positions: Position[] = [];
      for (const stream of [uniqueName("a"), uniqueName("b"), uniqueName("c")]) {
        expect(await log.read(stream, 0, 10)).toEqual([]);
        const events = newEvents(7);
        const appended = await log.append(stream, NO_STREAM, events);
        const pages = [];
        for (const from of [0, 3, 6, 7]) pages.push(await log.read(stream, from, 3));
        expect(pages.map(revisionsOf)).toEqual([[0, 1, 2], [3, 4, 5], [6], []]);
        expect(idsOf(pages.flat())).toEqual(idsOf(events));
        expect(appended).toEqual({ revision: 6, position: pages.flat().at(-1)?.position });
        expect(await log.head()).toBe(appended.position);
        positions.push(...pages.flat().map(({ position }) => position));
      }
      expect(positions).toEqual([...positions].sort());
      expect(new Set(positions).size).toBe(21);
    });

    it("refuses any other revision than the stream's, tells it, and appends nothing", async () => {
      for (const [there, expected] of [
        [2, NO_STREAM],
        [2, 0],
        [2, 5],
        [0, 0],
      ] as const) {
        const stream = uniqueName("stream");
        if (there > 0) await log.append(stream, NO_STREAM, newEvents(there));
        const refused = await refusal(log.append(stream, expected, newEvents(3)));
        expect(refused).toBeInstanceOf(WrongExpectedRevision);
        expect(refused).toMatchObject({ stream, expected, actual: there - 1 });
        expect(await log.read(stream, 0, 10)).toHaveLength(there);
      }
    });

    it("answers a repeated append as the first time, also many at once and after later events", async () => {
      const [stream, events] = [uniqueName("stream"), newEvents(3)];
      const append = () => log.append(stream, NO_STREAM, events);
      const [first, ...others] = await Promise.all(counted(0, 8).map(append));
      await log.append(stream, 2, newEvents(2));
      for (const answer of [...others, await append()]) expect(answer).toEqual(first);
      expect(await log.read(stream, 0, 10)).toHaveLength(5);
      for (const further of [
        [...events, newEvent()],
        [...events.slice(0, 1), newEvent()],
      ]) {
        const refused = await refusal(log.append(stream, NO_STREAM, further));
        expect(refused).toBeInstanceOf(WrongExpectedRevision);
      }
    });

    it("takes exactly the largest append, and refuses one byte more, and none at all", async () => {
      const stream = uniqueName("stream");
      const { type, metadata } = newEvent();
      const overhead = eventBytes(type, 0, Buffer.byteLength(JSON.stringify(metadata)));
      const sized = (bytes: number) => newEvent({ data: new Uint8Array(bytes - overhead) });
      const refused = await refusal(log.append(stream, NO_STREAM, [sized(MAX_APPEND_BYTES + 1)]));
      expect(refused).toBeInstanceOf(TooLarge);
      expect(refused).toMatchObject({ bytes: MAX_APPEND_BYTES + 1, maxBytes: MAX_APPEND_BYTES });
      const half = { data: { text: "é".repeat(MAX_APPEND_BYTES / 4) } };
      const halves = await refusal(log.append(stream, NO_STREAM, newEvents(2, half)));
      expect(halves).toBeInstanceOf(TooLarge);
      expect(await refusal(log.append(stream, NO_STREAM, []))).toBeInstanceOf(RangeError);
      expect(await log.read(stream, 0, 1)).toEqual([]);
      const appended = await log.append(stream, NO_STREAM, [sized(MAX_APPEND_BYTES)]);
      expect(appended).toMatchObject({ revision: 0 });
    });

    it("gives JSON and bytes back as they were given", async () => {
      await fc.assert(
        fc.asyncProperty(jsonObject, fc.uint8Array({ maxLength: 2_000 }), async (json, bytes) => {
          const stream = uniqueName("stream");
          const events = [newEvent({ data: json }), newEvent({ data: bytes.slice() })];
          await log.append(stream, NO_STREAM, events);
          // What the giver changes afterwards is not what was given.
          if (events[1]?.data instanceof Uint8Array) events[1].data.fill(9);
          const [first, second] = await log.read(stream, 0, 2);
          expect(first?.data).toEqual(json);
          expect(bytesOf(second?.data)).toEqual(Buffer.from(bytes));
        }),
        { numRuns: runs(50) },
      );
    });

    it("carries chunks of 200 KB beside JSON, through read and subscribe alike", async () => {
      const [stream, type, after] = [uniqueName("stream"), uniqueName("Chunk"), await log.head()];
      const chunks = counted(0, 4).map(() => randomBytes(200 * 1024));
      const json = { rows: 4, text: TEXT };
      const events = [json, ...chunks].map((data) => newEvent({ type, data }));
      await log.append(stream, NO_STREAM, events);
      const subscribed = await collect(log, { after, types: [type], enough: 5 });
      for (const [head, ...rest] of [await log.read(stream, 0, 10), subscribed.events]) {
        expect(head?.data).toEqual(json);
        const bytes = Buffer.concat(rest.map(({ data }) => bytesOf(data)));
        expect(bytes.equals(Buffer.concat(chunks))).toBe(true);
      }
    });

    it("gives back id, type, metadata, and when it took the event", async () => {
      const [stream, event, before] = [uniqueName("s"), newEvent({ type: "Renamed" }), Date.now()];
      await log.append(stream, NO_STREAM, [event]);
      const [recorded] = await log.read(stream, 0, 1);
      const { position, recordedAt, ...rest } = recorded ?? expect.fail("nothing was read");
      expect(rest).toEqual({ ...event, stream, revision: 0 });
      expect(position).toMatch(/^[0-9a-f]+$/);
      expect(recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(recordedAt)).toBeGreaterThanOrEqual(before - 1_000);
      expect(Date.parse(recordedAt)).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(await log.eventAt(position)).toBe(event.id);
      expect(await log.eventAt(START)).toBeNull();
    });

    it("gives everything of the types asked for from the start, in order, and moves on over the others", async () => {
      const [type, other] = [uniqueName("Type"), uniqueName("Other")];
      const [a, b] = [uniqueName("a"), uniqueName("b")];
      for (const stream of [a, b]) await log.append(stream, NO_STREAM, newEvents(2, { type }));
      for (const stream of [a, b]) await log.append(stream, 1, newEvents(1, { type }));
      const { position: end } = await log.append(a, 2, newEvents(3, { type: other }));
      const positions: Position[] = [];
      const { events } = await collect(log, {
        after: START,
        types: [type, uniqueName("Unused")],
        enough: (_, reached) => reached >= end,
        // A batch never has a position before its last event.
        onBatch: (batch) => {
          positions.push(...batch.events.map(({ position }) => position), batch.position);
        },
      });
      expect(events.map(({ stream, revision }) => `${stream} ${revision}`)).toEqual([
        `${a} 0`,
        `${a} 1`,
        `${b} 0`,
        `${b} 1`,
        `${a} 2`,
        `${b} 2`,
      ]);
      expect(positions).toEqual([...positions].sort());
    });

    it("goes on after any position, also in the middle of an append, and from one that was stored as text", async () => {
      const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
      await log.append(stream, NO_STREAM, newEvents(4, { type }));
      for (const { position, revision } of await log.read(stream, 0, 3)) {
        const after = JSON.parse(JSON.stringify({ position })).position as Position;
        const { events } = await collect(log, { after, types: [type], enough: 3 - revision });
        expect(revisionsOf(events)).toEqual(counted(revision + 1, 4));
      }
    });

    it("goes on from the position and the id of every batch without loss or repetition", async () => {
      const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
      const { signal } = new AbortController();
      let after: ReturnType<typeof unverified> = unverified(await log.head());
      await log.append(stream, NO_STREAM, newEvents(300, { type }));
      const { position: end } = await log.append(stream, 299, newEvents(300, { type }));
      const seen: number[] = [];
      while (after.position < end) {
        for await (const batch of log.subscribe({ after, signal })) {
          seen.push(...revisionsOf(batch.events.filter((event) => event.type === type)));
          after = batch;
          break;
        }
      }
      expect(seen).toEqual(counted(0, 600));
    });

    it("wakes several subscriptions of different types up on later appends", async () => {
      const [stream, after] = [uniqueName("stream"), await log.head()];
      const types = [uniqueName("A"), uniqueName("B"), uniqueName("C")];
      const waiting = types.map((type) => collect(log, { after, types: [type], enough: 2 }));
      for (const [round, type] of [...types, ...types].entries()) {
        await log.append(stream, round - 1, newEvents(1, { type }));
      }
      const seen = await Promise.all(waiting);
      expect(seen.map(({ events }) => revisionsOf(events))).toEqual([
        [0, 3],
        [1, 4],
        [2, 5],
      ]);
    });

    it("ends a subscription with LogMismatch where another event is at its checkpoint", async () => {
      const { position } = await log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
      const after = { position, eventId: randomUUID() };
      const { signal } = new AbortController();
      const begun = log.subscribe({ after, signal })[Symbol.asyncIterator]();
      await expect(begun.next()).rejects.toThrow(LogMismatch);
    });

    it("ends subscriptions quietly when their signal aborts or the log is closed, and is unavailable then", async () => {
      const closing = await openLog(makeLog);
      const ending = new AbortController();
      const head = await closing.head();
      await drain(closing, START, AbortSignal.abort());
      const aborted = drain(closing, head, ending.signal);
      const closed = drain(closing, head, new AbortController().signal);
      ending.abort();
      await aborted;
      await closing.close();
      await closed;
      const refused = await refusal(closing.append(uniqueName("s"), NO_STREAM, newEvents(1)));
      expect(refused).toBeInstanceOf(Unavailable);
    });

    it("reads backwards what is wanted before any event, whatever the bounds of a batch", async () => {
      const types = [uniqueName("A"), uniqueName("B"), uniqueName("C")];
      for (const type of [...types, ...types]) {
        await log.append(uniqueName("stream"), NO_STREAM, newEvents(9, { type }));
      }
      const whole = await forwards(log);
      for (const limit of [200, 1_000]) {
        expect(idsOf(await backwards(log, { limit }))).toEqual(idsOf(whole).toReversed());
      }
      const before = whole.at(0)?.position ?? null;
      const { events, position } = await log.readBackwards({
        before,
        limit: 5,
        wanted: () => true,
      });
      expect([events, position]).toEqual([[], null]);
      // The events before these are walked over by the runs above alone.
      const mine = whole.slice(-54);
      const end = mine[0]?.position ?? START;
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(types),
          fc.integer({ min: 1, max: 20 }),
          fc.constantFrom(...mine),
          async (wantedTypes, limit, { position: before }) => {
            const wanted = ({ type }: EventHead) => wantedTypes.includes(type);
            expect(await backwards(log, { limit, wanted, before, end })).toEqual(
              mine.filter((event) => event.position < before && wanted(event)).toReversed(),
            );
          },
        ),
        { numRuns: runs(30) },
      );
    });

    it("reads backwards from what was appended just now", async () => {
      const stream = uniqueName("stream");
      const newest = async () => {
        const { events } = await log.readBackwards({ before: null, limit: 1, wanted: () => true });
        return events.map((event) => event.position);
      };
      for (let revision = NO_STREAM; revision < 10; revision += 1) {
        const { position } = await log.append(stream, revision, newEvents(1));
        // Transactions of other tests may hold the readable end back.
        await expect.poll(newest, { timeout: 60_000 }).toEqual([position]);
      }
    });

    it("loses and repeats nothing under 16 concurrent writers", async () => {
      const [type, after, total] = [uniqueName("Type"), await log.head(), WRITERS * ROUNDS * 2];
      const request = { after, types: [type], enough: total };
      const subscribed = collect(log, request);
      const streams = counted(0, WRITERS).map(() => uniqueName("stream"));
      const write = async (stream: string) => {
        let revision = NO_STREAM;
        for (let round = 0; round < ROUNDS; round += 1) {
          ({ revision } = await log.append(stream, revision, newEvents(2, { type })));
        }
      };
      await Promise.all(streams.map(write));
      const live = (await subscribed).events;
      expect(new Set(idsOf(live)).size).toBe(total);
      expect(idsOf((await collect(log, request)).events)).toEqual(idsOf(live));
      for (const stream of streams) {
        const own = live.filter((event) => event.stream === stream);
        expect(revisionsOf(own)).toEqual(counted(0, ROUNDS * 2));
      }
    });

    it("lets one of many writers at the same revision win, and tells the others its revision", async () => {
      const stream = uniqueName("stream");
      const outcomes = await Promise.allSettled(
        counted(0, WRITERS).map(() => log.append(stream, NO_STREAM, newEvents(2))),
      );
      const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refusals).toHaveLength(WRITERS - 1);
      for (const { reason } of refusals) {
        expect(reason).toBeInstanceOf(WrongExpectedRevision);
        expect(reason).toMatchObject({ expected: NO_STREAM, actual: 1 });
      }
      expect(await log.read(stream, 0, 10)).toHaveLength(2);
    });
  });
}

async function refusal(appending: Promise<unknown>): Promise<unknown> {
  return appending.then(
    () => expect.fail("the append was taken"),
    (error: unknown) => error,
  );
}

function bytesOf(data: unknown): Buffer {
  if (!(data instanceof Uint8Array)) return expect.fail("not bytes");
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

async function drain(log: EventLog, after: Position, signal: AbortSignal): Promise<void> {
  const batches = log.subscribe({ after: unverified(after), signal });
  for await (const { position } of batches) expect(position > after).toBe(true);
}

async function forwards(log: EventLog): Promise<RecordedEvent[]> {
  const head = await log.head();
  const enough = (_: unknown, reached: Position) => reached >= head;
  return (await collect(log, { after: START, enough })).events;
}

type Walk = {
  readonly limit: number;
  readonly wanted?: (event: EventHead) => boolean;
  readonly before?: Position;
  /** The walk is given up there; else it goes to the beginning of the log. */
  readonly end?: Position;
};

/** Batch after batch. */
async function backwards(
  log: EventLog,
  { limit, wanted = () => true, before: from, end = START }: Walk,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let before: Position | null = from ?? null;
  for (;;) {
    const batch = await log.readBackwards({ before, limit, wanted });
    expect(batch.events.length).toBeLessThanOrEqual(limit);
    events.push(...batch.events);
    const { position } = batch;
    if (position === null || position <= end) return events;
    for (const event of batch.events) expect(event.position >= position).toBe(true);
    if (before !== null) expect(position < before).toBe(true);
    before = position;
  }
}
