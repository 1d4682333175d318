import fc from "fast-check";
import type { DatabasePool } from "slonik";
import { sql } from "slonik";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type EventLog,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";
import { eventsToHead } from "#infra/event-log/events-to-head.ts";
import { cursorOf } from "#infra/event-log/postgres/event-row.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { type BatchLimits, readBatch } from "#infra/event-log/postgres/read-batch.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { useDatabase } from "../../support/database.ts";
import { runs } from "../../support/runs.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvent, newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

const TYPES = ["A", "B", "C"];
const MIB = 1024 * 1024;

const server = useDatabase();
let database: DatabasePool;

beforeAll(async () => {
  database = await createDatabase(server.url, { applicationName: "batches-test" });
  const log = await createPostgresEventLog(server.url);
  for (let index = 0; index < 40; index += 1) {
    const data = { text: "x".repeat((index * 37) % 200) };
    const event = newEvent({ type: TYPES[(index * 7) % 3] ?? "", data });
    await log.append("mixed", index - 1, [event]);
  }
  await untilReadable(log);
  await log.close();
});
afterAll(() => database.end());

/** Transactions of other tests may hold the readable end back. */
async function untilReadable(log: EventLog): Promise<void> {
  let last: Position = START;
  for await (const { position } of eventsToHead(log, START, new AbortController().signal)) {
    last = position;
  }
  expect(last).toBe(await log.head());
}

async function readAll(types: string[] | undefined, limits: BatchLimits): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let position: Position = START;
  for (let isEnd = false; ; ) {
    const { batch, more } = await readBatch(database, position, types, limits);
    if (batch === null) return events;
    expect(isEnd, "events after the end").toBe(false);
    isEnd = !more;
    expect(batch.position > position).toBe(true);
    expect(batch.events.length).toBeLessThanOrEqual(limits.events);
    position = batch.position;
    events.push(...batch.events);
  }
}

it("gives the same events whatever the bounds of a batch and the types asked for", async () => {
  const all = await readAll(undefined, { events: 1_000, bytes: MIB, scanned: 1_000 });
  const limits = fc.record({
    events: fc.integer({ min: 1, max: 12 }),
    bytes: fc.integer({ min: 1, max: 2_000 }),
    scanned: fc.integer({ min: 1, max: 12 }),
  });
  const types = fc.option(fc.subarray(TYPES), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(types, limits, async (wanted, bounds) => {
      const expected = all.filter(({ type }) => wanted?.includes(type) ?? true);
      expect(await readAll(wanted, bounds)).toEqual(expected);
    }),
    { numRuns: runs(30) },
  );
});

it("bounds a batch to 4 MiB of data", async () => {
  const log = await openLog(() => createPostgresEventLog(server.url));
  const [stream, type, after] = [uniqueName("stream"), uniqueName("Large"), await log.head()];
  for (let index = 0; index < 9; index += 1) {
    const data = new Uint8Array(MIB - 1_000);
    await log.append(stream, index - 1, [newEvent({ type, data })]);
  }
  await untilReadable(log);
  const sizes: number[] = [];
  await collect(log, {
    after,
    types: [type],
    enough: atLeast(9),
    onBatch: ({ events }) => void sizes.push(events.length),
  });
  expect(sizes).toEqual([4, 4, 1]);
});

it("writes positions that compare as text as their numbers do, and reads them back", async () => {
  const number = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
  const pair = fc.tuple(number, number);
  await fc.assert(
    fc.asyncProperty(pair, pair, async (left, right) => {
      const [a, b] = [await positionText(left), await positionText(right)];
      expect(cursorOf(a)).toEqual({ transactionId: `${left[0]}`, position: `${left[1]}` });
      const order = left[0] === right[0] ? left[1] < right[1] : left[0] < right[0];
      expect(a < b).toBe(order);
    }),
    { numRuns: runs(50) },
  );
});

it.each(["0", "not a position", "00000000000000010000000000000AAA", `${"0".repeat(33)}`])(
  "refuses to subscribe after %j",
  async (text) => {
    const log = await openLog(() => createPostgresEventLog(server.url));
    const reading = collect(log, { after: text as Position, enough: () => true });
    await expect(reading).rejects.toThrow(RangeError);
  },
);

it("keeps every event in one row that psql can read", async () => {
  const log = await openLog(() => createPostgresEventLog(server.url));
  const stream = uniqueName("stream");
  const [event] = newEvents(1, { data: { name: "Hikurangi" } });
  await log.append(stream, NO_STREAM, event ? [event] : []);
  const row = await database.one(sql.unsafe`
    select data->>'name' as name, metadata->>'actor' as actor
    from event_log.events where stream = ${stream}`);
  expect(row).toEqual({ name: "Hikurangi", actor: "system" });
});

async function positionText([transactionId, place]: [bigint, bigint]): Promise<Position> {
  const query = sql.unsafe`
    select event_log.position_text(${`${transactionId}`}::bigint, ${`${place}`}::bigint) as text`;
  return (await database.oneFirst(query)) as Position;
}
