import { connect, type JetStreamManager } from "nats";
import { describe, expect, test } from "vitest";
import { CHANGE_OF } from "#contracts/changes/messages.ts";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import { CHANGES, catalogueStream } from "#contracts/names.ts";
import { ensureChangeStream, publishChange } from "#infra/nats/change-stream.ts";
import { updateCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { catalogueChange } from "#services/publisher/catalogue-change.ts";
import { ONE_SERVER } from "../../support/nats-server.ts";
import { checkChanges } from "../../torture/check-changes.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { newCommand } from "../catalogues/use-catalogues.ts";
import { POLL, PUBLIC_BASE_URL, useChanges } from "./use-changes.ts";

const scene = useChanges();

const create = (seed: number) => createdFrom(scene.catalogues.context, generatedRecords(seed, 2));
const rename = (id: string, name: string) =>
  updateCatalogueCommand(scene.catalogues.context, newCommand(), id, { name }, null);
const ids = async () => (await scene.messages()).map(({ id }) => id);

async function losses(): Promise<string[]> {
  return checkChanges(scene.catalogues.context.log, await scene.messages(), scene.start());
}

async function atBroker(work: (manager: JetStreamManager) => Promise<unknown>): Promise<void> {
  const connection = await connect({ servers: new URL(scene.broker.url).host });
  try {
    await work(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

/** Publishes the changes of a catalogue, and dies before the checkpoint moves. */
async function publishAndDie(id: string): Promise<void> {
  const types: readonly string[] = keysWithValue(CHANGE_OF);
  const recorded = await scene.catalogues.context.log.read(catalogueStream(id), 0, 100);
  const connection = await connect({ servers: new URL(scene.broker.url).host });
  try {
    await ensureChangeStream(await connection.jetstreamManager(), ONE_SERVER);
    for (const event of recorded.filter(({ type }) => types.includes(type))) {
      const { kind, change } = catalogueChange(event, PUBLIC_BASE_URL);
      await publishChange(connection.jetstream(), kind, change, event.position);
    }
  } finally {
    await connection.close();
  }
}

describe("a publisher", () => {
  test("a publisher that died between acknowledgement and checkpoint is repeated under the same ids, which the broker drops", async () => {
    await publishAndDie(await create(1));
    scene.startPublisher();
    await scene.settled();
    expect(new Set(await ids()).size).toBe((await ids()).length);
    expect(await losses()).toEqual([]);
  });

  test("a repetition that the broker no longer recognises is told by its position", async () => {
    const id = await create(2);
    await atBroker(async (manager) => {
      await ensureChangeStream(manager, ONE_SERVER);
      await manager.streams.update(CHANGES.stream, { duplicate_window: 100 * 1e6 });
    });
    await publishAndDie(id);
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

  test("a publisher goes on where the one before it has stopped, and repeats nothing", async () => {
    const first = scene.startPublisher();
    const id = await create(3);
    await scene.settled();
    await first.close();
    await rename(id, "while none publishes");
    scene.startPublisher();
    await scene.settled();
    expect(await losses()).toEqual([]);
    expect(await ids()).toHaveLength(3);
  });

  test("a publisher stands by while another publishes, and takes over when that one stops", async () => {
    const publishers = [scene.startPublisher(), scene.startPublisher()];
    const states = () => publishers.map(({ state }) => state()).toSorted();
    await expect.poll(states, POLL).toEqual(["connected", "standing by"]);
    const id = await create(4);
    await scene.settled();
    await publishers.find(({ state }) => state() === "connected")?.close();
    await rename(id, "by the other");
    await scene.settled();
    expect(await losses()).toEqual([]);
    expect(await ids()).toHaveLength(3);
  });
});

describe("a broker", () => {
  test("a broker that was killed and was away gets what it has missed", async () => {
    const publisher = scene.startPublisher();
    const id = await create(5);
    await scene.settled();
    await scene.broker.kill();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await rename(id, "while it is away");
    await scene.broker.restart();
    await scene.settled();
    expect(await losses()).toEqual([]);
    expect(await ids()).toHaveLength(3);
  });

  test("a broker that has lost its disk gets the whole log again", async () => {
    const publisher = scene.startPublisher();
    const id = await create(6);
    await scene.settled();
    const before = await ids();
    await scene.broker.wipe();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await rename(id, "while it is away");
    await scene.broker.restart();
    await expect.poll(ids, POLL).toEqual(expect.arrayContaining(before));
    await scene.settled();
    expect(await checkChanges(scene.catalogues.context.log, await scene.messages())).toEqual([]);
  });

  test("a stream that was deleted while a publisher is connected is made again with the whole log", async () => {
    scene.startPublisher();
    const id = await create(7);
    await rename(id, "before");
    await scene.settled();
    await atBroker((manager) => manager.streams.delete(CHANGES.stream));
    await rename(id, "after");
    await scene.settled();
    expect(await checkChanges(scene.catalogues.context.log, await scene.messages())).toEqual([]);
  });

  test.each([1, 2, 3])(
    "a stream that has lost message %i of 3, whose id the broker remembers, gets the whole log again",
    async (sequence) => {
      scene.startPublisher();
      const id = await create(9);
      await rename(id, "before");
      await scene.settled();
      expect(await ids()).toHaveLength(3);
      await atBroker((manager) => manager.streams.deleteMessage(CHANGES.stream, sequence));
      const { log } = scene.catalogues.context;
      await expect.poll(async () => checkChanges(log, await scene.messages()), POLL).toEqual([]);
    },
  );

  test("messages that are gone by age or by hand are not published again", async () => {
    const first = scene.startPublisher();
    const id = await create(8);
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
