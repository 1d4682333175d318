import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { catalogueStream, RELAYS } from "#contracts/names.ts";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import { type NewEvent, NO_STREAM } from "#infra/event-log/event-log.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { readRelayCheckpoint } from "#infra/relays/relay-checkpoint.ts";
import { startChanges } from "#services/publisher/start-changes.ts";
import { useBroker } from "../../support/broker.ts";
import { createTestDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/logger.ts";
import { readChanges } from "../../support/read-changes.ts";

const broker = useBroker();

function eventOf(type: string, data: NewEvent["data"], schemaVersion: number): NewEvent {
  const metadata = {
    schemaVersion,
    commandId: randomUUID(),
    actor: "a newer service",
    at: new Date().toISOString(),
  };
  return { id: randomUUID(), type, data, metadata };
}

test("an event of an unknown version stops the publisher, and is not passed over", async () => {
  const database = await createTestDatabase();
  const log = await createPostgresEventLog(database.url);
  const pool = await createDatabase(database.url, { applicationName: "test" });
  const catalogueId = randomUUID();
  const created = { catalogueId, name: "a", isPublic: true, createdBy: "a" };
  const stream = catalogueStream(catalogueId);
  const first = await log.append(stream, NO_STREAM, [eventOf("CatalogueCreated", created, 1)]);
  await log.append(stream, 0, [eventOf("CatalogueRenamed", { catalogueId, name: "b" }, 99)]);
  const { promise: fatal, resolve: onFatal } = Promise.withResolvers<unknown>();
  const publisher = startChanges({
    databaseUrl: database.url,
    log,
    pool,
    natsUrl: broker.url,
    natsReplicas: 1,
    publicBaseUrl: "https://quakes.example.org",
    logger: silentLogger(),
    onFatal,
  });
  onTestFinished(async () => {
    await publisher.close();
    await pool.end();
    await log.close();
    await database.drop();
  });
  expect(await fatal).toBeInstanceOf(UnknownEvent);
  expect((await readRelayCheckpoint(pool, RELAYS.changes)).position).toBe(first.position);
  const subjects = (await readChanges(broker.url)).map(({ subject }) => subject);
  expect(subjects).toEqual([`catalogues.${catalogueId}.created`]);
});
