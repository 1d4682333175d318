import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { LogMismatch } from "#infra/event-log/errors.ts";
import {
  type Batch,
  type EventLog,
  type NewEvent,
  NO_STREAM,
  type Position,
  START,
  unverified,
} from "#infra/event-log/event-log.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

export function subscribeContract(makeLog: () => Promise<EventLog>): void {
  it("gives everything from the start of the log, in the order of positions", async () => {
    const log = await openLog(makeLog);
    const type = uniqueName("Type");
    const streams = [uniqueName("a"), uniqueName("b")];
    for (const stream of streams) await log.append(stream, NO_STREAM, newEvents(2, { type }));
    for (const stream of streams) await log.append(stream, 1, newEvents(1, { type }));
    const { events } = await collect(log, { after: START, types: [type], enough: atLeast(6) });
    const [a, b] = streams;
    expect(events.map(({ stream, revision }) => [stream, revision])).toEqual([
      [a, 0],
      [a, 1],
      [b, 0],
      [b, 1],
      [a, 2],
      [b, 2],
    ]);
    const positions = events.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort());
  });

  it("goes on after any position, also in the middle of an append", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    await log.append(stream, NO_STREAM, newEvents(4, { type }));
    for (const event of await log.read(stream, 0, 3)) {
      const wanted = 3 - event.revision;
      const rest = { after: event.position, types: [type], enough: atLeast(wanted) };
      const { events } = await collect(log, rest);
      expect(events.map(({ revision }) => revision)).toEqual([1, 2, 3].slice(-wanted));
    }
  });

  it("goes on from a position that was stored as text", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const { position } = await log.append(stream, NO_STREAM, newEvents(1, { type }));
    await log.append(stream, 0, newEvents(1, { type }));
    const stored = JSON.parse(JSON.stringify({ position })).position as Position;
    const { events } = await collect(log, { after: stored, types: [type], enough: atLeast(1) });
    expect(events.map(({ revision }) => revision)).toEqual([1]);
  });

  it("goes on from the position of every batch without loss or repetition", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    let after = await log.head();
    await log.append(stream, NO_STREAM, newEvents(700, { type }));
    await log.append(stream, 699, newEvents(700, { type }));
    const revisions: number[] = [];
    while (revisions.length < 1_400) {
      const part = await collect(log, { after, enough: () => true });
      revisions.push(...part.events.filter((e) => e.type === type).map((e) => e.revision));
      after = part.position;
    }
    expect(revisions).toEqual(Array.from({ length: 1_400 }, (_, index) => index));
  });

  it("gives only the types asked for, and moves on over the others", async () => {
    const log = await openLog(makeLog);
    const [stream, wanted, other] = [uniqueName("s"), uniqueName("Wanted"), uniqueName("Other")];
    const after = await log.head();
    await log.append(stream, NO_STREAM, newEvents(2, { type: wanted }));
    const { position } = await log.append(stream, 1, newEvents(3, { type: other }));
    const seen = await collect(log, {
      after,
      types: [wanted, uniqueName("Unused")],
      enough: (_, reached) => reached >= position,
    });
    expect(seen.events.map(({ type }) => type)).toEqual([wanted, wanted]);
  });

  it("never gives a batch a position before its last event", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    await log.append(stream, NO_STREAM, newEvents(600, { type }));
    const batches: Batch[] = [];
    const onBatch = (batch: Batch): void => void batches.push(batch);
    await collect(log, { after: START, types: [type], enough: atLeast(600), onBatch });
    const positions = batches.flatMap(({ events, position }) => [
      ...events.map((event) => event.position),
      position,
    ]);
    expect(positions).toEqual([...positions].sort());
  });

  it("wakes up on a later append", async () => {
    const log = await openLog(makeLog);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const after = await log.head();
    const waiting = collect(log, { after, types: [type], enough: atLeast(2) });
    await log.append(stream, NO_STREAM, newEvents(1, { type }));
    await log.append(stream, 0, newEvents(1, { type }));
    expect((await waiting).events.map(({ revision }) => revision)).toEqual([0, 1]);
  });

  it("serves several subscriptions of different types at once", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const types = [uniqueName("A"), uniqueName("B"), uniqueName("C")];
    const after = await log.head();
    const waiting = types.map((type) => collect(log, { after, types: [type], enough: atLeast(2) }));
    for (const [round, type] of [...types, ...types].entries()) {
      await log.append(stream, round - 1, newEvents(1, { type }));
    }
    const seen = await Promise.all(waiting);
    expect(seen.map(({ events }) => events.map(({ revision }) => revision))).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });

  it("ends quietly when its signal aborts while it waits", async () => {
    const log = await openLog(makeLog);
    const ending = new AbortController();
    const subscribing = drain(log, await log.head(), ending.signal);
    ending.abort();
    await expect(subscribing).resolves.toBeUndefined();
  });

  it("ends at once when its signal has aborted before", async () => {
    const log = await openLog(makeLog);
    await expect(drain(log, START, AbortSignal.abort())).resolves.toBeUndefined();
  });

  it("ends quietly when the log is closed", async () => {
    const log = await openLog(makeLog);
    const subscribing = drain(log, await log.head(), new AbortController().signal);
    await log.close();
    await expect(subscribing).resolves.toBeUndefined();
  });

  it("tells which event is at a position", async () => {
    const log = await openLog(makeLog);
    const [first, second] = newEvents(2);
    const stream = uniqueName("stream");
    const { position } = await log.append(stream, NO_STREAM, [first, second] as NewEvent[]);
    expect(await log.eventAt(position)).toBe(second?.id);
    expect(await log.eventAt(START)).toBeNull();
  });

  it("ends a subscription with LogMismatch where another event is at its checkpoint", async () => {
    const log = await openLog(makeLog);
    const { position } = await log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
    const eventId = randomUUID();
    const signal = new AbortController().signal;
    const begun = log.subscribe({ after: { position, eventId }, signal })[Symbol.asyncIterator]();
    await expect(begun.next()).rejects.toThrow(LogMismatch);
  });

  it("goes on from a batch's position and id", async () => {
    const log = await openLog(makeLog);
    const before = await log.head();
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(1));
    const ending = new AbortController();
    const signal = ending.signal;
    let reached: Batch | null = null;
    for await (const batch of log.subscribe({ after: unverified(before), signal })) {
      reached = batch;
      if (batch.events.some((event) => event.stream === stream)) break;
    }
    const [next] = newEvents(1);
    await log.append(stream, 0, [next] as NewEvent[]);
    for await (const { events } of log.subscribe({ after: reached as Batch, signal })) {
      const mine = events.filter((event) => event.stream === stream);
      if (mine.length === 0) continue;
      expect(mine.map(({ id }) => id)).toEqual([next?.id]);
      break;
    }
    ending.abort();
  });

  it("has its head at the last event", async () => {
    const log = await openLog(makeLog);
    const { position } = await log.append(uniqueName("stream"), NO_STREAM, newEvents(2));
    expect(await log.head()).toBe(position);
  });
}

async function drain(log: EventLog, after: Position, signal: AbortSignal): Promise<void> {
  const batches = log.subscribe({ after: unverified(after), signal });
  for await (const { position } of batches) expect(position > after).toBe(true);
}
