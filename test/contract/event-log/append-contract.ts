import { expect, it } from "vitest";
import { TooLarge, Unavailable, WrongExpectedRevision } from "#infra/event-log/errors.ts";
import {
  type EventLog,
  eventBytes,
  MAX_APPEND_BYTES,
  NO_STREAM,
} from "#infra/event-log/event-log.ts";
import { newEvent, newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

export function appendContract(makeLog: () => Promise<EventLog>): void {
  it("gives the events of one append consecutive revisions from 0, in their order", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const events = newEvents(3);
    const appended = await log.append(stream, NO_STREAM, events);
    const read = await log.read(stream, 0, 10);
    expect(appended.revision).toBe(2);
    expect(read.map(({ id, revision }) => [id, revision])).toEqual(
      events.map(({ id }, index) => [id, index]),
    );
    expect(read.at(-1)?.position).toBe(appended.position);
  });

  it("gives later events greater positions, also over streams", async () => {
    const log = await openLog(makeLog);
    const positions: string[] = [];
    for (const stream of [uniqueName("a"), uniqueName("b"), uniqueName("c")]) {
      const { position } = await log.append(stream, NO_STREAM, newEvents(2));
      const [first, second] = await log.read(stream, 0, 2);
      positions.push(first?.position ?? "", second?.position ?? "");
      expect(second?.position).toBe(position);
    }
    expect(positions).toEqual([...positions].sort());
    expect(new Set(positions).size).toBe(6);
  });

  it("reads nothing from a stream that does not exist", async () => {
    const log = await openLog(makeLog);
    expect(await log.read(uniqueName("stream"), 0, 10)).toEqual([]);
  });

  it("reads a stream in pages", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(7));
    const pages = [
      await log.read(stream, 0, 3),
      await log.read(stream, 3, 3),
      await log.read(stream, 6, 3),
    ];
    expect(pages.map((page) => page.map(({ revision }) => revision))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6],
    ]);
    expect(await log.read(stream, 7, 3)).toEqual([]);
  });

  it("refuses a new stream where one exists, and tells its revision", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(2));
    const refused = await refusal(log.append(stream, NO_STREAM, newEvents(1)));
    expect(refused).toBeInstanceOf(WrongExpectedRevision);
    expect(refused).toMatchObject({ stream, expected: NO_STREAM, actual: 1 });
  });

  it.each([
    ["behind", 0],
    ["ahead of", 5],
  ])("refuses an expected revision %s the stream's", async (_, expected) => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(2));
    const refused = await refusal(log.append(stream, expected, newEvents(1)));
    expect(refused).toBeInstanceOf(WrongExpectedRevision);
    expect(refused).toMatchObject({ expected, actual: 1 });
  });

  it("refuses an expected revision of a stream that does not exist", async () => {
    const log = await openLog(makeLog);
    const refused = await refusal(log.append(uniqueName("stream"), 0, newEvents(1)));
    expect(refused).toMatchObject({
      name: "WrongExpectedRevision",
      expected: 0,
      actual: NO_STREAM,
    });
  });

  it("appends none of the events when it refuses", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(1));
    await refusal(log.append(stream, NO_STREAM, newEvents(3)));
    await refusal(log.append(stream, 1, newEvents(3)));
    expect(await log.read(stream, 0, 10)).toHaveLength(1);
  });

  it("answers a repeated append as the first time, also after later events", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const events = newEvents(3);
    const first = await log.append(stream, NO_STREAM, events);
    expect(await log.append(stream, NO_STREAM, events)).toEqual(first);
    await log.append(stream, 2, newEvents(2));
    expect(await log.append(stream, NO_STREAM, events)).toEqual(first);
    expect(await log.read(stream, 0, 10)).toHaveLength(5);
  });

  it("answers the same append sent many times at once as one", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const events = newEvents(3);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => log.append(stream, NO_STREAM, events)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await log.read(stream, 0, 10)).toHaveLength(3);
  });

  it("refuses a repeated append of which only the first events are the same", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const events = newEvents(2);
    await log.append(stream, NO_STREAM, events);
    const longer = await refusal(log.append(stream, NO_STREAM, [...events, newEvent()]));
    const other = await refusal(log.append(stream, NO_STREAM, [...events.slice(0, 1), newEvent()]));
    expect(longer).toBeInstanceOf(WrongExpectedRevision);
    expect(other).toBeInstanceOf(WrongExpectedRevision);
  });

  it("takes exactly the largest append, and refuses one byte more", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const { type, metadata } = newEvent();
    const overhead = eventBytes(type, 0, Buffer.byteLength(JSON.stringify(metadata)));
    const fits = newEvent({ data: new Uint8Array(MAX_APPEND_BYTES - overhead) });
    const exceeds = newEvent({ data: new Uint8Array(MAX_APPEND_BYTES - overhead + 1) });
    const refused = await refusal(log.append(stream, NO_STREAM, [exceeds]));
    expect(refused).toBeInstanceOf(TooLarge);
    expect(refused).toMatchObject({ bytes: MAX_APPEND_BYTES + 1, maxBytes: MAX_APPEND_BYTES });
    expect(await log.read(stream, 0, 1)).toEqual([]);
    expect(await log.append(stream, NO_STREAM, [fits])).toMatchObject({ revision: 0 });
  });

  it("counts all events of an append towards the limit", async () => {
    const log = await openLog(makeLog);
    const half = { data: { text: "é".repeat(MAX_APPEND_BYTES / 4) } };
    const refused = await refusal(log.append(uniqueName("stream"), NO_STREAM, newEvents(2, half)));
    expect(refused).toBeInstanceOf(TooLarge);
  });

  it("refuses an append of no event", async () => {
    const log = await openLog(makeLog);
    expect(await refusal(log.append(uniqueName("stream"), NO_STREAM, []))).toBeInstanceOf(
      RangeError,
    );
  });

  it("is unavailable once closed", async () => {
    const log = await openLog(makeLog);
    await log.close();
    const refused = await refusal(log.append(uniqueName("stream"), NO_STREAM, newEvents(1)));
    expect(refused).toBeInstanceOf(Unavailable);
  });
}

async function refusal(appending: Promise<unknown>): Promise<unknown> {
  return appending.then(
    () => expect.fail("the append was taken"),
    (error: unknown) => error,
  );
}
