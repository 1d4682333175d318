import { beforeEach, expect, it } from "vitest";
import { NO_STREAM, START } from "#infra/event-log/event-log.ts";
import {
  createPostgresEventLog,
  type PostgresEventLog,
} from "#infra/event-log/postgres/postgres-event-log.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { collectingLogger } from "../../support/logger.ts";
import { atLeast, collect } from "./collect.ts";
import { newEvents } from "./new-events.ts";

/** As after a dump from a cluster that had used far more transaction ids than this one. */
const HIGH_NUMBERS =
  "update event_log.events set transaction_id = transaction_id + (1::bigint << 40)";
const OTHER_CLUSTER = "update event_log.cluster set system_identifier = 1";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

async function usingLog<T>(
  work: (log: PostgresEventLog) => Promise<T>,
  logger = collectingLogger(),
): Promise<T> {
  const log = await createPostgresEventLog(database.url, { log: logger.log });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

async function change(...statements: string[]): Promise<void> {
  await withClient(database.url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

it.each([
  ["from a cluster that was further on", [HIGH_NUMBERS, OTHER_CLUSTER]],
  ["from a cluster of the same identifier that was further on", [HIGH_NUMBERS]],
  ["from a cluster that was less far on", [OTHER_CLUSTER]],
])("reads a log restored %s whole, and later events after it", async (_, changes) => {
  await usingLog(async (log) => {
    await log.append("a", NO_STREAM, newEvents(2));
    await log.append("b", NO_STREAM, newEvents(1));
  });
  await change(...changes);

  await usingLog(async (log) => {
    const restoredHead = await log.head();
    const subscribed = collect(log, { after: START, enough: atLeast(5) });
    const { position } = await log.append("a", 1, newEvents(1));
    await log.append("b", 0, newEvents(1));
    const { events } = await subscribed;
    expect(events.map(({ stream, revision }) => `${stream}${revision}`)).toEqual([
      "a0",
      "a1",
      "b0",
      "a2",
      "b1",
    ]);
    expect(position > restoredHead).toBe(true);
    const rest = await collect(log, { after: restoredHead, enough: atLeast(2) });
    expect(rest.events.map(({ stream }) => stream)).toEqual(["a", "b"]);
  });
});

it("says once that the log is in a new cluster", async () => {
  const { log, lines } = collectingLogger();
  await change(OTHER_CLUSTER);
  await usingLog(async () => {}, { log, lines });
  await usingLog(async () => {}, { log, lines });
  expect(lines.filter(({ epoch }) => epoch === 2)).toHaveLength(1);
});

it("has its head at the start while it is empty", async () => {
  expect(await usingLog((log) => log.head())).toBe(START);
});
