import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream, revisionStream, userStream } from "#contracts/names.ts";
import { encodeChunk } from "#infra/event-log/chunk-codec.ts";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import {
  type Appended,
  type EventLog,
  type NewEvent,
  NO_STREAM,
} from "#infra/event-log/event-log.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { readCheckpoint } from "#projections/engine/checkpoint.ts";
import { runProjection } from "#projections/engine/run-projection.ts";
import { createTestDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/logger.ts";

const metadata = (schemaVersion: number) => ({
  schemaVersion,
  commandId: randomUUID(),
  actor: "a newer service",
  at: new Date().toISOString(),
});

const eventOf = (type: string, data: NewEvent["data"], schemaVersion = 1): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: metadata(schemaVersion),
});

/** An empty chunk in a format that is not invented yet: byte 3 is the version. */
function laterChunk(): Uint8Array {
  const nothing = { length: 0, columns: { time: [], latitude: [], longitude: [] } };
  const bytes = encodeChunk({
    firstIndex: 0,
    added: nothing,
    restored: { ...nothing, ids: [] },
    updated: { ...nothing, ids: [] },
    removed: [],
  });
  bytes[3] = 99;
  return bytes;
}

async function opened(log: EventLog): Promise<string> {
  const catalogueId = randomUUID();
  await log.append(catalogueStream(catalogueId), NO_STREAM, [
    eventOf("CatalogueCreated", { catalogueId, name: "a", isPublic: true, createdBy: "a" }),
    eventOf("RevisionOpened", { catalogueId, revision: 1, cause: "created", worker: "1" }),
  ]);
  return catalogueId;
}

/** What a newer version of the service may leave in the log before it is taken back to this one. */
const LEFT_BEHIND: Record<string, (log: EventLog, catalogueId: string) => Promise<Appended>> = {
  "type of a catalogue": (log, id) =>
    log.append(catalogueStream(id), 1, [eventOf("CatalogueFrozen", { catalogueId: id })]),
  "type of another stream": (log) =>
    log.append(userStream("user_1"), NO_STREAM, [eventOf("UserPromoted", { userId: "user_1" })]),
  "version of a known type": (log, id) =>
    log.append(catalogueStream(id), 1, [eventOf("CatalogueDeleted", { catalogueId: id }, 2)]),
  "format of a chunk": (log, id) =>
    log.append(revisionStream(id, 1), NO_STREAM, [eventOf(CHUNK_EVENT, laterChunk())]),
};

test.each(Object.entries(LEFT_BEHIND))(
  "an unknown %s stops the projector before it is passed over",
  async (_, leaveBehind) => {
    const database = await createTestDatabase();
    const log = await createPostgresEventLog(database.url);
    const pool = createPgPool(database.url, { applicationName: "test" });
    const stopping = new AbortController();
    onTestFinished(async () => {
      stopping.abort();
      await pool.end();
      await log.close();
      await database.drop();
    });
    const { position } = await leaveBehind(log, await opened(log));
    const deps = { log, pool, logger: silentLogger() };
    const running = runProjection(deps, cataloguesProjection, stopping.signal);
    const passedOver = expect
      .poll(async () => (await readCheckpoint(pool, cataloguesProjection.name)).position, {
        timeout: 20_000,
      })
      .toBe(position)
      .then(() => "passed over");
    passedOver.catch(() => undefined);
    await expect(Promise.race([running, passedOver])).rejects.toThrow(UnknownEvent);
  },
);
