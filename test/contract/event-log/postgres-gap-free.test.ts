import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { readBatch } from "#infra/event-log/postgres/read-batch.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { atLeast, collect } from "./collect.ts";
import { uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

const WRITERS = 16;
const ROUNDS = 12;

const database = useDatabase();

/** An insert as the adapter makes it, in a transaction that stays open afterwards. */
async function insertOpen(client: Client, type: string): Promise<void> {
  await client.query("begin");
  await client.query(
    `insert into event_log.events (stream, revision, event_id, type, data, metadata, bytes)
     values ($1, 0, $2, $3, '{}', '{}', 4)`,
    [uniqueName("stream"), randomUUID(), type],
  );
}

async function writeWithDelays(type: string): Promise<void> {
  await withClient(database.url, async (client) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await insertOpen(client, type);
      await client.query("select pg_sleep(random() * 0.02)");
      await client.query("commit");
    }
  });
}

/** The cursor that a sequence alone suggests. */
async function readNaively(client: Client, type: string, after: number): Promise<number[]> {
  const { rows } = await client.query<{ position: string }>(
    "select position from event_log.events where type = $1 and position > $2 order by position",
    [type, after],
  );
  return rows.map(({ position }) => Number(position));
}

it("loses and repeats nothing when commits overtake each other, where a plain cursor does", async () => {
  const log = await openLog(() => createPostgresEventLog(database.url));
  const [type, after, total] = [uniqueName("Type"), await log.head(), WRITERS * ROUNDS + 1];
  const subscribed = collect(log, { after, types: [type], enough: atLeast(total) });

  const naive: number[] = [];
  await withClient(database.url, async (reader) => {
    await withClient(database.url, async (straggler) => {
      await insertOpen(straggler, type);
      let writing = true;
      const writers = Promise.all(Array.from({ length: WRITERS }, () => writeWithDelays(type)));
      const written = writers.finally(() => {
        writing = false;
      });
      while (writing) naive.push(...(await readNaively(reader, type, naive.at(-1) ?? 0)));
      await written;
      naive.push(...(await readNaively(reader, type, naive.at(-1) ?? 0)));
      await straggler.query("commit");
    });
    naive.push(...(await readNaively(reader, type, naive.at(-1) ?? 0)));
  });

  const { events } = await subscribed;
  expect(events).toHaveLength(total);
  expect(new Set(events.map(({ id }) => id)).size).toBe(total);
  const positions = events.map(({ position }) => position);
  expect(positions).toEqual([...positions].sort());
  expect(naive.length).toBeLessThan(total);
});

it("does not give events that a running transaction may still come before", async () => {
  const log = await openLog(() => createPostgresEventLog(database.url));
  const [early, late] = [uniqueName("Early"), uniqueName("Late")];
  const after = await log.head();
  const pool = await createDatabase(database.url, { applicationName: "gap-free-test" });
  onTestFinished(() => pool.end());
  await withClient(database.url, async (first) => {
    await insertOpen(first, early);
    await withClient(database.url, async (second) => {
      await insertOpen(second, late);
      await second.query("commit");
    });
    const held = { batch: null, more: false, heldBack: true };
    expect(await readBatch(pool, after, [early, late])).toEqual(held);
    expect((await log.head()) > after).toBe(true);
    await first.query("commit");
  });
  const { events } = await collect(log, { after, types: [early, late], enough: atLeast(2) });
  expect(events.map(({ type }) => type)).toEqual([early, late]);
});

it("gives none of the events of a transaction that was rolled back", async () => {
  const log = await openLog(() => createPostgresEventLog(database.url));
  const [lost, kept] = [uniqueName("Lost"), uniqueName("Kept")];
  const after = await log.head();
  await withClient(database.url, async (client) => {
    await insertOpen(client, lost);
    await client.query("rollback");
    await insertOpen(client, kept);
    await client.query("commit");
  });
  const { events } = await collect(log, { after, types: [lost, kept], enough: atLeast(1) });
  expect(events.map(({ type }) => type)).toEqual([kept]);
});
