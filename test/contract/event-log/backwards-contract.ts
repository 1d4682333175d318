import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type EventHead,
  type EventLog,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";
import { runs } from "../../support/runs.ts";
import { collect } from "./collect.ts";
import { newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

export function backwardsContract(makeLog: () => Promise<EventLog>): void {
  it("reads the whole log backwards, whatever the bounds of a batch", async () => {
    const log = await openLog(makeLog);
    await log.append(uniqueName("stream"), NO_STREAM, newEvents(130));
    const whole = await forwards(log);
    for (const limit of [200, 1_000]) {
      expect(await backwards(log, { limit })).toEqual(whole.toReversed());
    }
  });

  it("reads backwards what is wanted before any event", async () => {
    const log = await openLog(makeLog);
    const types = [uniqueName("A"), uniqueName("B"), uniqueName("C")];
    for (const type of [...types, ...types]) {
      await log.append(uniqueName("stream"), NO_STREAM, newEvents(9, { type }));
    }
    const whole = await forwards(log);
    const mine = whole.slice(-54);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(types),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(...mine),
        async (wantedTypes, limit, { position: before }) => {
          const wanted = ({ type }: EventHead) => wantedTypes.includes(type);
          expect(await backwards(log, { limit, wanted, before })).toEqual(
            mine.filter((event) => event.position < before && wanted(event)).toReversed(),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it("is at the beginning before the first event", async () => {
    const log = await openLog(makeLog);
    await log.append(uniqueName("stream"), NO_STREAM, newEvents(2));
    const before = (await forwards(log)).at(0)?.position ?? null;
    const { events, position } = await log.readBackwards({ before, limit: 5, wanted: () => true });
    expect([events, position]).toEqual([[], null]);
  });

  it("reads backwards from what was appended just now", async () => {
    const log = await openLog(makeLog);
    const stream = uniqueName("stream");
    const newest = async () => {
      const { events } = await log.readBackwards({ before: null, limit: 1, wanted: () => true });
      return events.map((event) => event.position);
    };
    for (let revision = NO_STREAM; revision < 20; revision += 1) {
      const { position } = await log.append(stream, revision, newEvents(1));
      // Transactions of other tests may hold the readable end back.
      await expect.poll(newest, { timeout: 60_000 }).toEqual([position]);
    }
  });
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
};

/** Batch after batch, to the beginning of the log. */
async function backwards(
  log: EventLog,
  { limit, wanted = () => true, before: end }: Walk,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let before: Position | null = end ?? null;
  for (;;) {
    const batch = await log.readBackwards({ before, limit, wanted });
    expect(batch.events.length).toBeLessThanOrEqual(limit);
    events.push(...batch.events);
    const { position } = batch;
    if (position === null) return events;
    for (const event of batch.events) expect(event.position >= position).toBe(true);
    if (before !== null) expect(position < before).toBe(true);
    before = position;
  }
}
