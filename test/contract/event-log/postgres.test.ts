import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Client } from "pg";
import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  Ambiguous,
  type EventHead,
  type EventLog,
  eventsToHead,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  START,
  Unavailable,
} from "#infra/log/event-log.ts";
import {
  type BackwardsLimits,
  type BatchLimits,
  CHANNEL,
  createNotifier,
  createPostgresEventLog,
  cursorOf,
  readBackwards,
  readBatch,
} from "#infra/log/postgres-event-log.ts";
import { SILENT } from "#infra/postgres/connection.ts";
import { createDatabase, createPreparedStatements } from "#infra/postgres/pool.ts";
import { createTestDatabase, useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { startForTest } from "../../support/embedded-server.ts";
import { collect, newEvent, newEvents, openLog, uniqueName } from "../../support/event-log.ts";
import { collectingLogger } from "../../support/logger.ts";
import { preparedDataDir } from "../../support/prepared-data-dir.ts";
import { runs } from "../../support/runs.ts";
import { relayTo } from "../../support/tcp-relay.ts";

const TYPES = ["A", "B", "C"];
const MIB = 1024 * 1024;

const database = useDatabase();
let pool: DatabasePool;
let log: EventLog;
beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "log-test" });
  log = await createPostgresEventLog(database.url);
});
afterAll(async () => {
  await log.close();
  await pool.end();
});

/** Everything that the log gives; transactions of other tests may hold its readable end back. */
async function whole(): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
    all.push(...events);
  }
  expect(all.at(-1)?.position).toBe(await log.head());
  return all;
}

/** An insert as the adapter makes it, in a transaction that stays open afterwards. */
async function insertOpen(client: Client, type: string, id = randomUUID()): Promise<void> {
  await client.query("begin");
  await client.query(
    `insert into event_log.events (stream, revision, event_id, type, data, metadata, bytes)
     values ($1, 0, $2, $3, '{}', '{}', 4)`,
    [uniqueName("stream"), id, type],
  );
}

describe("batches", () => {
  let all: RecordedEvent[];
  beforeAll(async () => {
    for (let index = 0; index < 40; index += 1) {
      const data = { text: "x".repeat((index * 37) % 200) };
      const event = newEvent({ type: TYPES[(index * 7) % 3] ?? "", data });
      await log.append("mixed", index - 1, [event]);
    }
    all = await whole();
  });

  async function forwards(types: string[] | undefined, limits: BatchLimits) {
    const events: RecordedEvent[] = [];
    let position: Position = START;
    for (let isEnd = false; ; ) {
      const { batch, more } = await readBatch(pool, position, types, limits);
      if (batch === null) return events;
      expect(isEnd, "events after the end").toBe(false);
      isEnd = !more;
      expect(batch.position > position).toBe(true);
      expect(batch.events.length).toBeLessThanOrEqual(limits.events);
      position = batch.position;
      events.push(...batch.events);
    }
  }

  async function backwards(types: string[] | undefined, limit: number, limits: BackwardsLimits) {
    const events: RecordedEvent[] = [];
    const wanted = ({ type }: EventHead) => types?.includes(type) ?? true;
    let before: Position | null = null;
    do {
      const batch = await readBackwards(pool, { before, limit, wanted }, limits);
      expect(batch.events.length).toBeLessThanOrEqual(limit);
      if (batch.events.length > 1) expect(batch.bytes).toBeLessThanOrEqual(limits.bytes);
      events.push(...batch.events);
      before = batch.position;
    } while (before !== null);
    return events;
  }

  it("give the same events whatever their bounds and the types asked for, forwards and backwards", async () => {
    const limits = fc.record({
      events: fc.integer({ min: 1, max: 12 }),
      bytes: fc.integer({ min: 1, max: 2_000 }),
      scanned: fc.integer({ min: 1, max: 12 }),
    });
    const types = fc.option(fc.subarray(TYPES), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(types, limits, async (wanted, bounds) => {
        const expected = all.filter(({ type }) => wanted?.includes(type) ?? true);
        expect(await forwards(wanted, bounds)).toEqual(expected);
        const reversed = expected.toReversed();
        expect(await backwards(wanted, bounds.events, bounds)).toEqual(reversed);
      }),
      { numRuns: runs(30) },
    );
  });

  it("have 4 MiB of data at most", async () => {
    const [stream, type, after] = [uniqueName("stream"), uniqueName("Large"), await log.head()];
    for (let index = 0; index < 5; index += 1) {
      const data = new Uint8Array(MIB - 1_000);
      await log.append(stream, index - 1, [newEvent({ type, data })]);
    }
    await whole();
    const sizes: number[] = [];
    const onBatch = ({ events }: { events: readonly unknown[] }) => void sizes.push(events.length);
    await collect(log, { after, types: [type], enough: 5, onBatch });
    expect(sizes).toEqual([4, 1]);
  });
});

it("writes positions that compare as text as their numbers do, reads them back, and takes no others", async () => {
  const textOf = async ([transactionId, place]: [bigint, bigint]) =>
    (await pool.oneFirst(sql.unsafe`
      select event_log.position_text(${`${transactionId}`}::bigint, ${`${place}`}::bigint) as text`)) as Position;
  const number = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
  const pair = fc.tuple(number, number);
  await fc.assert(
    fc.asyncProperty(pair, pair, async (left, right) => {
      const [a, b] = [await textOf(left), await textOf(right)];
      expect(cursorOf(a)).toEqual({ transactionId: `${left[0]}`, position: `${left[1]}` });
      const order = left[0] === right[0] ? left[1] < right[1] : left[0] < right[0];
      expect(a < b).toBe(order);
    }),
    { numRuns: runs(50) },
  );
  const wrong = ["0", "not a position", "00000000000000010000000000000AAA", "0".repeat(33)];
  for (const text of wrong as Position[]) {
    await expect(collect(log, { after: text, enough: 0 }), text).rejects.toThrow(RangeError);
  }
});

it("keeps every event in one row that psql can read", async () => {
  const stream = uniqueName("stream");
  await log.append(stream, NO_STREAM, newEvents(1, { data: { name: "Hikurangi" } }));
  const row = await pool.one(sql.unsafe`
    select data->>'name' as name, metadata->>'actor' as actor
    from event_log.events where stream = ${stream}`);
  expect(row).toEqual({ name: "Hikurangi", actor: "system" });
});

it("loses and repeats nothing when commits overtake each other, where a plain cursor does", async () => {
  const [WRITERS, ROUNDS] = [16, 6];
  const [type, after, total] = [uniqueName("Type"), await log.head(), WRITERS * ROUNDS + 1];
  const subscribed = collect(log, { after, types: [type], enough: total });
  const write = () =>
    withClient(database.url, async (client) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await insertOpen(client, type);
        await client.query("select pg_sleep(random() * 0.02)");
        await client.query("commit");
      }
    });
  const naive: number[] = [];
  await withClient(database.url, async (reader) => {
    /** By the cursor that a sequence alone suggests. */
    const read = async () => {
      const { rows } = await reader.query<{ position: string }>(
        "select position from event_log.events where type = $1 and position > $2 order by position",
        [type, naive.at(-1) ?? 0],
      );
      naive.push(...rows.map(({ position }) => Number(position)));
    };
    await withClient(database.url, async (straggler) => {
      await insertOpen(straggler, type);
      let writing = true;
      const written = Promise.all(Array.from({ length: WRITERS }, write)).finally(() => {
        writing = false;
      });
      while (writing) await read();
      await written;
      await read();
      await straggler.query("commit");
    });
    await read();
  });
  const { events } = await subscribed;
  expect(events).toHaveLength(total);
  expect(new Set(events.map(({ id }) => id)).size).toBe(total);
  const positions = events.map(({ position }) => position);
  expect(positions).toEqual([...positions].sort());
  expect(naive.length).toBeLessThan(total);
});

it("gives no events that a running transaction may still come before, forwards or backwards, and none of one rolled back", async () => {
  const [early, late, lost] = [uniqueName("Early"), uniqueName("Late"), uniqueName("Lost")];
  const newest = async () => {
    const { events } = await log.readBackwards({ before: null, limit: 1, wanted: () => true });
    return events[0]?.position;
  };
  const { position: after } = await log.append(uniqueName("s"), NO_STREAM, newEvents(1));
  await expect.poll(newest, { timeout: 60_000 }).toBe(after);
  const [straggler, types] = [randomUUID(), [early, late, lost]];
  let later: Position = START;
  await withClient(database.url, async (first) => {
    await insertOpen(first, early, straggler);
    await withClient(database.url, async (second) => {
      await insertOpen(second, lost);
      await second.query("rollback");
    });
    const events = newEvents(1, { type: late });
    ({ position: later } = await log.append(uniqueName("s"), NO_STREAM, events));
    const held = { batch: null, more: false, heldBack: true };
    expect(await readBatch(pool, after, types)).toEqual(held);
    expect(await newest()).toBe(after);
    expect(await log.head()).toBe(later);
    await first.query("commit");
  });
  const { events } = await collect(log, { after, types, enough: 2 });
  expect(events.map(({ type }) => type)).toEqual([early, late]);
  await expect.poll(newest, { timeout: 60_000 }).toBe(later);
  const request = { before: later, limit: 1, wanted: () => true };
  expect((await readBackwards(pool, request)).events.map(({ id }) => id)).toEqual([straggler]);
});

describe("an append", () => {
  const LOCK = "begin; lock table event_log.events in exclusive mode";

  it("that is not answered in time or whose connection is lost is ambiguous, and the same append again settles it", async () => {
    const relay = await relayTo(database.url);
    onTestFinished(relay.close);
    const named = { applicationName: uniqueName("cut").slice(0, 40) };
    const relayed = await openLog(() => createPostgresEventLog(relay.url, named));
    const [late, lost] = [uniqueName("late"), uniqueName("lost")];
    const [events, others] = [newEvents(2), newEvents(2)];
    await withClient(database.url, async (client) => {
      await client.query(LOCK);
      const slow = log.append(late, NO_STREAM, events, { timeoutMs: 100 });
      await expect(slow).rejects.toThrow(Ambiguous);
      const cut = expect(relayed.append(lost, NO_STREAM, others)).rejects.toThrow(Ambiguous);
      // Not by the client, which sees but the activity of its transaction's beginning.
      const waits = sql.unsafe`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and application_name like ${`${named.applicationName}%`}`;
      await expect.poll(() => pool.any(waits)).toHaveLength(1);
      relay.drop();
      await cut;
      await client.query("rollback");
    });
    for (const [stream, given] of [
      [late, events],
      [lost, others],
    ] as const) {
      expect(await log.append(stream, NO_STREAM, given)).toMatchObject({ revision: 1 });
      const read = await log.read(stream, 0, 10);
      expect(read.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
    }
  });

  it("that could not be sent in time is unavailable, and does not happen later", async () => {
    const one = await openLog(() => createPostgresEventLog(database.url, { maxConnections: 1 }));
    const stream = uniqueName("stream");
    await withClient(database.url, async (client) => {
      await client.query(LOCK);
      const sent = one.append(uniqueName("stream"), NO_STREAM, newEvents(1));
      const unsent = one.append(stream, NO_STREAM, newEvents(1), { timeoutMs: 100 });
      await expect(unsent).rejects.toThrow(Unavailable);
      await client.query("rollback");
      await sent;
    });
    expect(await one.read(stream, 0, 1)).toEqual([]);
  });

  it("is unavailable when no connection can be had, as are read and head; a log that is not there at all fails", async () => {
    const relay = await relayTo(database.url);
    const cut = await openLog(() => createPostgresEventLog(relay.url));
    await relay.close();
    const stream = uniqueName("stream");
    const tries = [cut.head(), cut.read(stream, 0, 1), cut.append(stream, -1, newEvents(1))];
    for (const outcome of await Promise.allSettled(tries)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) });
    }
    const empty = await createTestDatabase({ empty: true });
    await expect(createPostgresEventLog(empty.url)).rejects.toThrow(/event_log/);
    await empty.drop();
  });
});

describe("a subscription", () => {
  it("wakes up on appends of another process, also after the listening connection was killed, which is opened again", async () => {
    const applicationName = uniqueName("killed").slice(0, 40);
    const own = await openLog(() => createPostgresEventLog(database.url, { applicationName }));
    const listeners = () =>
      withClient(database.url, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          "select pid from pg_stat_activity where application_name = $1",
          [`${applicationName} listener`],
        );
        return rows.map(({ pid }) => pid);
      });
    await expect.poll(listeners).toHaveLength(1);
    const killed = await listeners();
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const waiting = collect(own, { after: await own.head(), types: [type], enough: 2 });
    await log.append(stream, NO_STREAM, newEvents(1, { type }));
    await withClient(database.url, (client) =>
      client.query("select pg_terminate_backend(pid) from unnest($1::integer[]) pid", [killed]),
    );
    await log.append(stream, 0, newEvents(1, { type }));
    expect((await waiting).events).toHaveLength(2);
    await expect.poll(listeners, { timeout: 5_000 }).not.toEqual([]);
    expect(await listeners()).not.toEqual(killed);
  });

  it("waits out a database that drops all its connections, and says so", async () => {
    const { log: logger, lines } = collectingLogger();
    const relay = await relayTo(database.url);
    onTestFinished(relay.close);
    const relayed = await openLog(() => createPostgresEventLog(relay.url, { log: logger }));
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const waiting = collect(relayed, { after: START, types: [type], enough: 3 });
    for (let revision = 0; revision < 3; revision += 1) {
      await log.append(stream, revision - 1, newEvents(1, { type }));
      relay.drop();
    }
    expect((await waiting).events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
    expect(lines.some(({ msg }) => msg === "database listener lost")).toBe(true);
  });
});

it("tells every listener, each time, and knows its own notifications again", async () => {
  const own = await createTestDatabase();
  const statements = createPreparedStatements(own.url, { applicationName: "notifier-test" });
  const heard: string[] = [];
  await withClient(own.url, async (listening) => {
    listening.on("notification", ({ payload = "" }) => heard.push(payload));
    await listening.query(`listen ${CHANNEL}`);
    const [notifier, other] = [
      createNotifier(statements, SILENT),
      createNotifier(statements, SILENT),
    ];
    for (let times = 1; times <= 3; times += 1) {
      notifier.notify();
      await notifier.idle();
      // Notifications come before the answer to a later statement.
      await listening.query("select");
      expect(heard).toHaveLength(times);
    }
    expect(heard.every((text) => notifier.isOwn(text) && !other.isOwn(text))).toBe(true);
  });
  await statements.close();
  await own.drop();
});

it("reads a log that was restored from another cluster whole, and later events after it, and says once that it is in another", async () => {
  /** As after a dump from a cluster that had used far more transaction ids than this one. */
  const high = "update event_log.events set transaction_id = transaction_id + (1::bigint << 40)";
  const other = "update event_log.cluster set system_identifier = 1";
  for (const changes of [[high, other], [high], [other]]) {
    const restored = await createTestDatabase();
    const { log: logger, lines } = collectingLogger();
    const open = () => createPostgresEventLog(restored.url, { log: logger });
    const before = await open();
    expect(await before.head()).toBe(START);
    await before.append("a", NO_STREAM, newEvents(2));
    await before.append("b", NO_STREAM, newEvents(1));
    await before.close();
    await withClient(restored.url, async (client) => {
      for (const change of changes) await client.query(change);
    });
    await (await open()).close();
    const after = await open();
    const head = await after.head();
    const subscribed = collect(after, { after: START, enough: 5 });
    const { position } = await after.append("a", 1, newEvents(1));
    await after.append("b", 0, newEvents(1));
    const { events } = await subscribed;
    const given = events.map(({ stream, revision }) => `${stream}${revision}`);
    expect(given, changes.join()).toEqual(["a0", "a1", "b0", "a2", "b1"]);
    expect(position > head).toBe(true);
    const rest = await collect(after, { after: head, enough: 2 });
    expect(rest.events.map(({ stream }) => stream)).toEqual(["a", "b"]);
    await after.close();
    await restored.drop();
    if (changes.includes(other)) expect(lines.filter(({ epoch }) => epoch === 2)).toHaveLength(1);
  }
});

it("reports a transaction that is left open once while it holds events back, and when it ends", async () => {
  // Transactions of other tests on the common server would be reported as well.
  const { url } = await startForTest(await preparedDataDir());
  const { log: logger, lines } = collectingLogger();
  const own = await openLog(() =>
    createPostgresEventLog(url, { log: logger, stallThresholdMs: 100 }),
  );
  await withClient(url, async (client) => {
    await client.query("set application_name = 'forgetful'");
    await client.query("begin; select pg_current_xact_id()");
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    await own.append(uniqueName("stream"), NO_STREAM, newEvents(1));
    await expect.poll(() => own.stall(), { timeout: 5_000 }).not.toBeNull();
    expect(own.stall()?.holder).toEqual({
      pid: rows[0]?.pid,
      applicationName: "forgetful",
      state: "idle in transaction",
      ageSeconds: expect.any(Number),
    });
    await client.query("rollback");
  });
  await expect.poll(() => own.stall(), { timeout: 5_000 }).toBeNull();
  expect(lines.map(({ msg }) => msg)).toEqual([
    "a transaction holds back the readable end of the event log",
    "the event log is readable to its end again",
  ]);
});
