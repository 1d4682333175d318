import { randomUUID } from "node:crypto";
import { connect, type JetStreamManager, RetentionPolicy, StorageType } from "nats";
import { describe, expect, onTestFinished, test } from "vitest";
import { keysWithValue } from "#contracts/cases.ts";
import { CHANGES, catalogueStream, RELAYS } from "#contracts/events/log.ts";
import { CHANGE_OF } from "#contracts/messages/changes.ts";
import { ensureChangeStream, publishChange } from "#infra/brokers/nats.ts";
import { readRelayCheckpoint } from "#infra/brokers/relay.ts";
import { type NewEvent, NO_STREAM, UnknownEvent } from "#infra/log/event-log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { deleteCatalogueCommand, updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { changeEventCommand, removeEventCommand } from "#services/events/commands.ts";
import { catalogueChange, startChanges } from "#services/publisher/broker.ts";
import {
  createdFrom,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import { eventEditOf, newCommand } from "../../support/catalogues/use-catalogues.ts";
import { checkChanges } from "../../support/check-changes.ts";
import { createTestDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/logger.ts";
import { ONE_SERVER } from "../../support/nats-server.ts";
import { eventsInReadModel } from "../analytics/folded-catalogue.ts";
import { addRecords } from "../catalogues/additions.ts";
import { POLL, PUBLIC_BASE_URL, useChanges } from "./use-changes.ts";

const scene = useChanges();

const create = (count = 2) => createdFrom(scene.catalogues.context, generatedRecords(1, count));
const rename = (id: string, name: string) =>
  updateCatalogueCommand(scene.catalogues.context, newCommand(), id, { name }, null);
const ids = async () => (await scene.messages()).map(({ id }) => id);
const losses = async (after = scene.start()) =>
  checkChanges(scene.catalogues.context.log, await scene.messages(), after);
const lossesOfAll = async () => checkChanges(scene.catalogues.context.log, await scene.messages());

async function atBroker<T>(
  work: (manager: JetStreamManager, connection: Awaited<ReturnType<typeof connect>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: new URL(scene.broker.url).host });
  try {
    return await work(await connection.jetstreamManager(), connection);
  } finally {
    await connection.close();
  }
}

/** Publishes the changes of a catalogue, and dies before the checkpoint moves. */
async function publishAndDie(id: string): Promise<void> {
  const types: readonly string[] = keysWithValue(CHANGE_OF);
  const recorded = await scene.catalogues.context.log.read(catalogueStream(id), 0, 100);
  await atBroker(async (manager, connection) => {
    await ensureChangeStream(manager, ONE_SERVER);
    for (const event of recorded.filter(({ type }) => types.includes(type))) {
      const { kind, change } = catalogueChange(event, PUBLIC_BASE_URL);
      await publishChange(connection.jetstream(), kind, change, event.position);
    }
  });
}

describe("the stream of changes", () => {
  test("has every change of a catalogue as one CloudEvent under its subject, in order, with id, time and position of its event, and names no user", async () => {
    const { context } = scene.catalogues;
    scene.startPublisher();
    const command = () => newCommand("user_17_somebody");
    const id = await createdFrom(context, generatedRecords(1, 3), command());
    await updateCatalogueCommand(context, command(), id, { name: "new" }, null);
    await updateCatalogueCommand(context, command(), id, { isPublic: true }, null);
    const [first = "", second = ""] = [...(await eventsInReadModel(context.pool, id)).keys()];
    await changeEventCommand(eventEditOf(context, id, first, command()), { magnitude: 6.5 });
    await removeEventCommand(eventEditOf(context, id, second, command()));
    // Nothing is told of a revision that was given up.
    const givenUp = withFullDisk(context, "RevisionCommitted");
    const further = generatedRecords(4, 5);
    const adding = addRecords(scene.catalogues, id, further, { updateExisting: true }, givenUp);
    await expect(adding).rejects.toThrow("full");
    await deleteCatalogueCommand(context, command(), id, null);
    await scene.settled();

    const messages = await scene.messages();
    const about = { catalogue_id: id };
    const told = (kind: string, data: object) => [
      `catalogues.${id}.${kind}`,
      `catalogue-change.${kind}.v1`,
      data,
    ];
    const version = (number: number, counts: object) =>
      told("version", expect.objectContaining({ ...about, version: number, ...counts }));
    expect(messages.map(({ subject, change }) => [subject, change.type, change.data])).toEqual([
      told("created", { ...about, name: expect.any(String), is_public: false }),
      version(1, { cause: "created", added: 3, updated: 0, removed: 0, event_count: 3 }),
      told("renamed", { ...about, name: "new" }),
      told("visibility", { ...about, is_public: true, public_from: 1 }),
      version(2, { cause: "edit", added: 0, updated: 1, removed: 0, event_count: 3 }),
      version(3, { cause: "edit", added: 0, updated: 0, removed: 1, event_count: 2 }),
      told("deleted", about),
    ]);
    const recorded = await context.log.read(catalogueStream(id), 0, 100);
    for (const { id: messageId, contentType, position, change } of messages) {
      const event = recorded.find((one) => one.id === messageId);
      expect({ id: change.id, position, time: change.time }).toEqual({
        id: event?.id,
        position: event?.position,
        time: event?.recordedAt,
      });
      expect(contentType).toBe("application/cloudevents+json; charset=UTF-8");
      expect(change.source).toBe(`${PUBLIC_BASE_URL}/api/catalogues/${id}`);
    }
    const commit = recorded.find(({ type }) => type === "RevisionCommitted");
    const { bounds, contentHash } = (commit?.data ?? {}) as Record<string, unknown>;
    expect(contentHash).toBeTypeOf("string");
    expect(messages[1]?.change.data).toMatchObject({ bounds, content_hash: contentHash });
    expect(JSON.stringify(messages)).not.toContain("user_17");
  });

  test("keeps changes in files for 30 days, and as its operator configured it where there is one", async () => {
    const first = scene.startPublisher();
    await expect.poll(first.state, POLL).toBe("connected");
    await atBroker(async ({ streams }) => {
      const { config } = await streams.info(CHANGES.stream);
      expect(config).toMatchObject({
        subjects: ["catalogues.*.*"],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        max_age: 30 * 86_400 * 1e9,
      });
      await first.close();
      await streams.update(CHANGES.stream, { max_age: 3_600 * 1e9 });
      scene.startPublisher();
      await create();
      await scene.settled();
      expect((await streams.info(CHANGES.stream)).config.max_age).toBe(3_600 * 1e9);
    });
  });
});

describe("a publisher", () => {
  test("that died between acknowledgement and checkpoint is repeated under the same ids, which the broker drops", async () => {
    await publishAndDie(await create());
    scene.startPublisher();
    await scene.settled();
    expect(new Set(await ids()).size).toBe((await ids()).length);
    expect(await losses()).toEqual([]);
  });

  test("is told repetitions that the broker no longer recognises by their positions", async () => {
    const id = await create();
    await atBroker(async (manager) => {
      await ensureChangeStream(manager, ONE_SERVER);
      await manager.streams.update(CHANGES.stream, { duplicate_window: 100 * 1e6 });
    });
    await publishAndDie(id);
    const published = async () => {
      await publishAndDie(id);
      return (await ids()).length;
    };
    await expect.poll(published, POLL).toBeGreaterThan(2);
    scene.startPublisher();
    await rename(id, "after");
    await scene.settled();
    expect(await losses()).toEqual([]);
  });

  test("goes on where the one before has stopped, stands by while another publishes, and takes over from it", async () => {
    const first = scene.startPublisher();
    const id = await create();
    await scene.settled();
    await first.close();
    await rename(id, "while none publishes");
    const publishers = [scene.startPublisher(), scene.startPublisher()];
    const states = () => publishers.map(({ state }) => state()).toSorted();
    await expect.poll(states, POLL).toEqual(["connected", "standing by"]);
    await scene.settled();
    await publishers.find(({ state }) => state() === "connected")?.close();
    await rename(id, "by the other");
    await scene.settled();
    expect(await losses()).toEqual([]);
    expect(await ids()).toHaveLength(4);
  });

  test("stops at an event of an unknown version, which is not passed over", async () => {
    const database = await createTestDatabase();
    const log = await createPostgresEventLog(database.url);
    const pool = await createDatabase(database.url, { applicationName: "test" });
    const catalogueId = randomUUID();
    const eventOf = (type: string, data: NewEvent["data"], schemaVersion: number): NewEvent => {
      const at = new Date().toISOString();
      const metadata = { schemaVersion, commandId: randomUUID(), actor: "a newer service", at };
      return { id: randomUUID(), type, data, metadata };
    };
    const created = { catalogueId, name: "a", isPublic: true, createdBy: "a" };
    const stream = catalogueStream(catalogueId);
    const first = await log.append(stream, NO_STREAM, [eventOf("CatalogueCreated", created, 1)]);
    await log.append(stream, 0, [eventOf("CatalogueRenamed", { catalogueId, name: "b" }, 99)]);
    const { promise: fatal, resolve: onFatal } = Promise.withResolvers<unknown>();
    const publisher = startChanges({
      databaseUrl: database.url,
      log,
      pool,
      natsUrl: scene.broker.url,
      natsReplicas: 1,
      publicBaseUrl: PUBLIC_BASE_URL,
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
    const subjects = (await scene.messages()).map(({ subject }) => subject);
    expect(subjects).toEqual([`catalogues.${catalogueId}.created`]);
  });
});

describe("a broker", () => {
  test("that was killed and was away gets what it has missed, and the whole log again where it has lost its disk", async () => {
    const publisher = scene.startPublisher();
    const id = await create();
    await scene.settled();
    await scene.broker.kill();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await rename(id, "while it is away");
    await scene.broker.restart();
    await scene.settled();
    expect(await losses()).toEqual([]);
    const before = await ids();
    expect(before).toHaveLength(3);
    await scene.broker.wipe();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await rename(id, "while it is away again");
    await scene.broker.restart();
    await expect.poll(ids, POLL).toEqual(expect.arrayContaining(before));
    await scene.settled();
    expect(await lossesOfAll()).toEqual([]);
  });

  test("whose stream was deleted, or has lost a message whose id it remembers, gets the whole log again", async () => {
    scene.startPublisher();
    const id = await create();
    await rename(id, "before");
    await scene.settled();
    await atBroker((manager) => manager.streams.delete(CHANGES.stream));
    await rename(id, "after");
    await scene.settled();
    expect(await lossesOfAll()).toEqual([]);
    for (const place of ["first", "middle", "last"] as const) {
      const { first, last } = await atBroker(async ({ streams }) => {
        const { state } = await streams.info(CHANGES.stream);
        return { first: state.first_seq, last: state.last_seq };
      });
      const sequence = { first, middle: Math.floor((first + last) / 2), last }[place];
      await atBroker(({ streams }) => streams.deleteMessage(CHANGES.stream, sequence));
      await expect.poll(lossesOfAll, { ...POLL, message: place }).toEqual([]);
    }
  });

  test("that has messages no more by age or by hand gets none of them again", async () => {
    const first = scene.startPublisher();
    const id = await create();
    await scene.settled();
    await first.close();
    await atBroker((manager) => manager.streams.purge(CHANGES.stream));
    scene.startPublisher();
    await rename(id, "after");
    await scene.settled();
    const subjects = (await scene.messages()).map(({ subject }) => subject);
    expect(subjects).toEqual([`catalogues.${id}.renamed`]);
  });
});

describe("of a restricted catalogue", () => {
  const own = useChanges();

  test("messages have its id, versions and counts alone", async () => {
    const { context } = own.catalogues;
    const id = await createdFrom(context, generatedRecords(4, 3));
    const changes = [{ access: "restricted", isByOwner: true } as const, { name: "to nobody" }];
    for (const change of changes) {
      await updateCatalogueCommand(context, newCommand(), id, change, null);
    }
    await deleteCatalogueCommand(context, newCommand(), id, null);
    own.startPublisher();
    await own.settled();
    const about = { catalogue_id: id };
    const counts = { added: 3, updated: 0, removed: 0, event_count: 3 };
    expect((await own.messages()).map(({ change: { data } }) => data)).toEqual([
      about,
      { ...about, version: 1, ...counts },
      { ...about, is_public: false, public_from: null },
      about,
      about,
    ]);
  });
});
