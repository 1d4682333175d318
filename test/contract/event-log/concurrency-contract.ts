import { expect, it } from "vitest";
import { WrongExpectedRevision } from "#infra/event-log/errors.ts";
import { type EventLog, NO_STREAM } from "#infra/event-log/event-log.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

const WRITERS = 16;
const ROUNDS = 25;

export function concurrencyContract(makeLog: () => Promise<EventLog>): void {
  it("loses and repeats nothing under 16 concurrent writers", async () => {
    const log = await openLog(makeLog);
    const type = uniqueName("Type");
    const after = await log.head();
    const total = WRITERS * ROUNDS * 2;
    const subscribed = collect(log, { after, types: [type], enough: atLeast(total) });
    const streams = Array.from({ length: WRITERS }, () => uniqueName("stream"));
    await Promise.all(streams.map((stream) => writeRounds(log, stream, type)));
    const live = (await subscribed).events;
    const replayed = (await collect(log, { after, types: [type], enough: atLeast(total) })).events;
    expect(new Set(live.map(({ id }) => id)).size).toBe(total);
    expect(live).toHaveLength(total);
    expect(replayed.map(({ id }) => id)).toEqual(live.map(({ id }) => id));
    for (const stream of streams) {
      const revisions = live.filter((event) => event.stream === stream).map((e) => e.revision);
      expect(revisions).toEqual(Array.from({ length: ROUNDS * 2 }, (_, index) => index));
    }
  });

  it("lets one of many writers at the same revision win, and tells the others its revision", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const outcomes = await Promise.allSettled(
      Array.from({ length: WRITERS }, () => log.append(stream, NO_STREAM, newEvents(2))),
    );
    const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refusals).toHaveLength(WRITERS - 1);
    for (const { reason } of refusals) {
      expect(reason).toBeInstanceOf(WrongExpectedRevision);
      expect(reason).toMatchObject({ expected: NO_STREAM, actual: 1 });
    }
    expect(await log.read(stream, 0, 10)).toHaveLength(2);
  });
}

async function writeRounds(log: EventLog, stream: string, type: string): Promise<void> {
  let revision = NO_STREAM;
  for (let round = 0; round < ROUNDS; round += 1) {
    ({ revision } = await log.append(stream, revision, newEvents(2, { type })));
  }
}
