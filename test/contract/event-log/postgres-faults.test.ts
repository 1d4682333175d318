import { describe, expect, it } from "vitest";
import { Ambiguous, Unavailable } from "#infra/event-log/errors.ts";
import { NO_STREAM, START } from "#infra/event-log/event-log.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { createTestDatabase, useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { collectingLogger } from "../../support/logger.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvent, newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";
import { tcpProxy } from "./tcp-proxy.ts";

const database = useDatabase();

const LOCK = "begin; lock table event_log.events in exclusive mode";

async function backends(applicationName: string): Promise<number[]> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and application_name = $1",
      [applicationName],
    ),
  );
  return rows.map(({ pid }) => pid);
}

async function terminate(pids: readonly number[]): Promise<void> {
  await withClient(database.url, (client) =>
    client.query("select pg_terminate_backend(pid) from unnest($1::integer[]) pid", [pids]),
  );
}

describe("an append", () => {
  it("that is not answered in time is ambiguous, and the same append again settles it", async () => {
    const log = await openLog(() => createPostgresEventLog(database.url));
    const [stream, events] = [uniqueName("stream"), newEvents(2)];
    await withClient(database.url, async (client) => {
      await client.query(LOCK);
      await expect(log.append(stream, NO_STREAM, events, { timeoutMs: 100 })).rejects.toThrow(
        Ambiguous,
      );
      await client.query("rollback");
    });
    expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ revision: 1 });
    expect((await log.read(stream, 0, 10)).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it("that could not be sent in time is unavailable, and does not happen later", async () => {
    const log = await openLog(() => createPostgresEventLog(database.url, { maxConnections: 1 }));
    const stream = uniqueName("stream");
    await withClient(database.url, async (client) => {
      await client.query(LOCK);
      const sent = log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
      await expect(log.append(stream, NO_STREAM, newEvents(1), { timeoutMs: 100 })).rejects.toThrow(
        Unavailable,
      );
      await client.query("rollback");
      await sent;
    });
    expect(await log.read(stream, 0, 1)).toEqual([]);
  });

  it("is ambiguous when the connection is lost while it is under way", async () => {
    const proxy = await tcpProxy(database.url);
    const log = await openLog(() => createPostgresEventLog(proxy.url));
    const [stream, event] = [uniqueName("stream"), newEvent({ type: "MarkedForLoss" })];
    proxy.onRequest((bytes) => {
      if (bytes.includes("MarkedForLoss")) proxy.drop();
    });
    await expect(log.append(stream, NO_STREAM, [event])).rejects.toThrow(Ambiguous);
    proxy.onRequest(() => {});
    expect(await log.append(stream, NO_STREAM, [event])).toMatchObject({ revision: 0 });
  });

  it("is unavailable when no connection can be had, as are read and head", async () => {
    const proxy = await tcpProxy(database.url);
    const log = await openLog(() => createPostgresEventLog(proxy.url));
    await proxy.refuse();
    await expect(log.head()).rejects.toThrow(Unavailable);
    await expect(log.read(uniqueName("stream"), 0, 1)).rejects.toThrow(Unavailable);
    const appending = log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
    await expect(appending).rejects.toThrow(Unavailable);
  });
});

describe("a subscription", () => {
  it("wakes up on an append of another process", async () => {
    const [log, other] = [
      await openLog(() => createPostgresEventLog(database.url)),
      await openLog(() => createPostgresEventLog(database.url)),
    ];
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const waiting = collect(log, { after: await log.head(), types: [type], enough: atLeast(2) });
    await other.append(stream, NO_STREAM, newEvents(1, { type }));
    await other.append(stream, 0, newEvents(1, { type }));
    expect((await waiting).events).toHaveLength(2);
  });

  it("goes on when the listening connection is killed, which is opened again", async () => {
    const applicationName = uniqueName("killed").slice(0, 40);
    const log = await openLog(() => createPostgresEventLog(database.url, { applicationName }));
    const listener = `${applicationName} listener`;
    await expect.poll(() => backends(listener)).toHaveLength(1);
    const killed = await backends(listener);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const waiting = collect(log, { after: await log.head(), types: [type], enough: atLeast(2) });
    await log.append(stream, NO_STREAM, newEvents(1, { type }));
    await terminate(killed);
    await log.append(stream, 0, newEvents(1, { type }));
    expect((await waiting).events).toHaveLength(2);
    await expect.poll(() => backends(listener), { timeout: 5_000 }).not.toEqual([]);
    expect(await backends(listener)).not.toEqual(killed);
  });

  it("waits out a database that drops all its connections, and says so", async () => {
    const { log: logger, lines } = collectingLogger();
    const proxy = await tcpProxy(database.url);
    const log = await openLog(() => createPostgresEventLog(proxy.url, { log: logger }));
    const writer = await openLog(() => createPostgresEventLog(database.url));
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const waiting = collect(log, { after: START, types: [type], enough: atLeast(3) });
    for (let revision = 0; revision < 3; revision += 1) {
      await writer.append(stream, revision - 1, newEvents(1, { type }));
      proxy.drop();
    }
    expect((await waiting).events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
    expect(lines.some(({ msg }) => msg === "database listener lost")).toBe(true);
  });

  it("fails when the log is not there at all", async () => {
    const empty = await createTestDatabase({ empty: true });
    await expect(createPostgresEventLog(empty.url)).rejects.toThrow(/event_log/);
    await empty.drop();
  });
});
