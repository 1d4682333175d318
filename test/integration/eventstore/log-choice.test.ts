import { expect, it, onTestFinished } from "vitest";
import { NO_STREAM } from "#infra/log/event-log.ts";
import { UnusableEventStore } from "#infra/log/known-log.ts";
import { openEventLog } from "#infra/log/open-log.ts";
import { SILENT } from "#infra/postgres/connection.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { newEvents, uniqueName } from "../../support/event-log.ts";
import { failureOf, serverForTest } from "../../support/eventstore/open-adapter.ts";

async function databaseForTest(): Promise<string> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  return database.url;
}

const open = (databaseUrl: string, eventStoreUrl: string | null) =>
  openEventLog({ databaseUrl, eventStoreUrl, log: SILENT });

it("the log is in the event store that is named, and otherwise in the database", async () => {
  const [databaseUrl, { url }] = [await databaseForTest(), await serverForTest()];
  const stored = await open(databaseUrl, url);
  await stored.append(uniqueName("stream"), NO_STREAM, newEvents(1));
  expect([stored.kind, stored.stall(), stored.connections]).toEqual(["event_store", null, null]);
  expect(stored.ordinal(await stored.head())).toBeGreaterThan(0);
  await stored.close();
  const plain = await open(databaseUrl, null);
  expect([plain.kind, await plain.head()]).toEqual(["event_log", ""]);
  await plain.close();
});

it("an event store is refused where the database holds a log", async () => {
  const [databaseUrl, { url }] = [await databaseForTest(), await serverForTest()];
  const plain = await open(databaseUrl, null);
  await plain.append(uniqueName("stream"), NO_STREAM, newEvents(1));
  await plain.close();
  await expect(open(databaseUrl, url)).rejects.toThrow(UnusableEventStore);
});

it("the database is refused as the log where its read models come from an event store", async () => {
  const databaseUrl = await databaseForTest();
  await withClient(databaseUrl, (client) =>
    client.query("insert into read_model.checkpoints (projection, position) values ('users', 'f')"),
  );
  await expect(open(databaseUrl, null)).rejects.toThrow(UnusableEventStore);
});

it("an event store that does not answer is refused, without its password", async () => {
  const [databaseUrl, gone] = [await databaseForTest(), await serverForTest()];
  await gone.stop();
  const url = gone.url.replace("esdb://", "esdb://ops:tell-nobody@");
  const error = await failureOf(open(databaseUrl, url));
  expect(error).toBeInstanceOf(UnusableEventStore);
  expect(String(error)).not.toContain("tell-nobody");
});
