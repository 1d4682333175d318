import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { DatabasePool } from "slonik";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type EventHead,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";
import { eventsToHead } from "#infra/event-log/events-to-head.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { type BackwardsLimits, readBackwards } from "#infra/event-log/postgres/read-backwards.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { runs } from "../../support/runs.ts";
import { newEvent, newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

const TYPES = ["A", "B", "C"];

const server = useDatabase();
let database: DatabasePool;
beforeAll(async () => {
  database = await createDatabase(server.url, { applicationName: "backwards-test" });
});
afterAll(() => database.end());

const all = () => true;

it("reads the same backwards whatever the bounds of a batch and what is wanted", async () => {
  const log = await openLog(() => createPostgresEventLog(server.url));
  for (let index = 0; index < 40; index += 1) {
    const data = { text: "x".repeat((index * 37) % 200) };
    await log.append("mixed", index - 1, [newEvent({ type: TYPES[(index * 7) % 3] ?? "", data })]);
  }
  const whole: RecordedEvent[] = [];
  for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
    whole.push(...events);
  }
  const limits = fc.record({
    scanned: fc.integer({ min: 1, max: 12 }),
    bytes: fc.integer({ min: 1, max: 2_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(TYPES),
      fc.integer({ min: 1, max: 12 }),
      limits,
      async (types, limit, bounds) => {
        const wanted = ({ type }: EventHead) => types.includes(type);
        expect(await walk(wanted, limit, bounds)).toEqual(whole.filter(wanted).toReversed());
      },
    ),
    { numRuns: runs(30) },
  );
});

async function walk(
  wanted: (event: EventHead) => boolean,
  limit: number,
  limits: BackwardsLimits,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let before: Position | null = null;
  do {
    const batch = await readBackwards(database, { before, limit, wanted }, limits);
    expect(batch.events.length).toBeLessThanOrEqual(limit);
    if (batch.events.length > 1) expect(batch.bytes).toBeLessThanOrEqual(limits.bytes);
    events.push(...batch.events);
    before = batch.position;
  } while (before !== null);
  return events;
}

it("leaves out what a running transaction may still come before", async () => {
  const log = await openLog(() => createPostgresEventLog(server.url));
  const { position: known } = await log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
  await expect.poll(newest, { timeout: 60_000 }).toBe(known);
  const straggler = randomUUID();
  let later: Position = START;
  await withClient(server.url, async (client) => {
    await client.query("begin");
    await client.query(
      `insert into event_log.events (stream, revision, event_id, type, data, metadata, bytes)
       values ($1, 0, $2, 'Late', '{}', '{}', 4)`,
      [uniqueName("stream"), straggler],
    );
    ({ position: later } = await log.append(uniqueName("stream"), NO_STREAM, newEvents(1)));
    expect(await newest()).toBe(known);
    await client.query("commit");
  });
  await expect.poll(newest, { timeout: 60_000 }).toBe(later);
  const { events } = await readBackwards(database, { before: later, limit: 1, wanted: all });
  expect(events.map(({ id }) => id)).toEqual([straggler]);

  async function newest(): Promise<Position | undefined> {
    const { events } = await log.readBackwards({ before: null, limit: 1, wanted: all });
    return events[0]?.position;
  }
});
