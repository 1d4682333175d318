import { describe, expect, onTestFinished, test } from "vitest";
import { ANALYTICS } from "#contracts/events/log.ts";
import { openKafkaSession } from "#infra/brokers/kafka.ts";
import { readFeedCheckpoint } from "#infra/brokers/relay.ts";
import { type FeedMessage, publishAnalytics } from "#services/publisher/analytics.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { silentLogger } from "../../support/logger.ts";
import {
  outline,
  POLL,
  PUBLIC_BASE_URL,
  useAnalytics,
  withoutRepetitions,
} from "./use-analytics.ts";

const scene = useAnalytics();

const create = (seed: number, count: number) =>
  createdFrom(scene.catalogues.context, generatedRecords(seed, count));

const settled = () => scene.settled();
const checkpoint = () => readFeedCheckpoint(scene.catalogues.context.pool, ANALYTICS.feed);

const whole = (count: number) => [
  "catalogue.created.v1",
  `${count} seismic-event.added.v1`,
  "catalogue.revision-committed.v1",
];

/** Publishes as the publisher does, but dies when `send` throws. */
async function publishUntilDead(
  wrap: (send: (messages: readonly FeedMessage[]) => Promise<void>) => typeof send,
): Promise<void> {
  const { log, pool } = scene.catalogues.context;
  const { signal } = new AbortController();
  const session = await openKafkaSession({
    brokers: [scene.cluster.broker],
    clientId: "dying",
    logger: silentLogger(),
    signal,
  });
  onTestFinished(session.close);
  const deps = { log, pool, publicBaseUrl: PUBLIC_BASE_URL, onProgress: () => {} };
  const publishing = publishAnalytics(
    { ...deps, isRestricted: async () => false, send: wrap(session.send) },
    signal,
  );
  await expect(publishing).rejects.toThrow("died");
}

describe("a publisher", () => {
  test("a publisher that dies between acknowledgement and checkpoint repeats, and loses nothing", async () => {
    const id = await create(3, 300);
    let sent = 0;
    await publishUntilDead((send) => async (messages) => {
      await send(messages);
      sent += messages.length;
      throw new Error("died");
    });
    scene.startPublisher();
    await settled();
    const messages = await scene.messagesOf(id);
    expect(sent).toBeGreaterThan(0);
    expect(outline(messages.slice(sent))).toEqual(whole(300));
    expect(outline(withoutRepetitions(messages))).toEqual(whole(300));
  });

  test("a publisher that dies in the middle of a revision is followed from its last whole chunk", async () => {
    const id = await create(4, 9_000);
    let sent = 0;
    await publishUntilDead((send) => async (messages) => {
      if (sent > 6_000) throw new Error("died");
      await send(messages);
      sent += messages.length;
    });
    const { part } = await checkpoint();
    expect(part).toMatchObject({ chunks: expect.any(Number), messages: expect.any(Number) });
    expect(part?.chunks).toBeGreaterThan(1);
    scene.startPublisher();
    await settled();
    const messages = await scene.messagesOf(id);
    // One for the catalogue, then those of the chunks that were acknowledged.
    expect(messages.length).toBe(sent + (9_002 - (1 + (part?.messages ?? 0))));
    expect(outline(withoutRepetitions(messages))).toEqual(whole(9_000));
  });

  test("a publisher sends one bounded batch at a time", async () => {
    await create(5, 12_000);
    const sizes: number[] = [];
    let open = 0;
    await publishUntilDead((send) => async (messages) => {
      open += 1;
      expect(open).toBe(1);
      await send(messages);
      open -= 1;
      sizes.push(messages.reduce((sum, { bytes }) => sum + bytes, 0));
      if (messages.at(-1)?.value?.includes("revision-committed")) throw new Error("died");
    });
    expect(sizes.length).toBeGreaterThan(10);
    expect(Math.max(...sizes)).toBeLessThan(640 * 1024);
  });

  test("a publisher stands by while another publishes, and takes over when that one stops", async () => {
    const publishers = [scene.startPublisher(), scene.startPublisher()];
    const states = () => publishers.map(({ state }) => state()).toSorted();
    await expect.poll(states, POLL).toEqual(["connected", "standing by"]);
    const first = await create(6, 2_500);
    await settled();
    const active = publishers.find(({ state }) => state() === "connected");
    await active?.close();
    const second = await create(7, 2_500);
    await settled();
    expect(outline(await scene.messagesOf(first))).toEqual(whole(2_500));
    expect(outline(await scene.messagesOf(second))).toEqual(whole(2_500));
  });
});

describe("a cluster", () => {
  test("a cluster that has lost everything gets what comes after the checkpoint", async () => {
    const publisher = scene.startPublisher();
    const first = await create(8, 10);
    await settled();
    await scene.cluster.kill();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    const second = await create(9, 10);
    await scene.cluster.restart();
    await settled();
    expect(await scene.messagesOf(first)).toEqual([]);
    expect(outline(await scene.messagesOf(second))).toEqual(whole(10));
    expect(publisher.state()).toBe("connected");
  });

  test("a cluster that is absent at the start is waited for", async () => {
    await scene.cluster.kill();
    const publisher = scene.startPublisher();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    const id = await create(10, 10);
    await scene.cluster.restart();
    await settled();
    expect(outline(await scene.messagesOf(id))).toEqual(whole(10));
  });

  test("a cluster whose connections break again and again gets a large revision all the same", async () => {
    const id = await create(11, 30_000);
    scene.startPublisher();
    for (let breaks = 0; breaks < 5; breaks += 1) {
      const seen = (await checkpoint()).part?.chunks ?? 0;
      await expect
        .poll(async () => ((await checkpoint()).part?.chunks ?? 1_000) > seen, POLL)
        .toBe(true);
      scene.cluster.dropConnections();
    }
    await settled();
    expect(outline(withoutRepetitions(await scene.messagesOf(id)))).toEqual(whole(30_000));
  });

  test("a cluster that answers nothing does not keep a publisher from ending", async () => {
    const publisher = scene.startPublisher();
    await expect.poll(publisher.state, POLL).toBe("connected");
    scene.cluster.freeze();
    onTestFinished(() => scene.cluster.thaw());
    const id = await create(12, 10);
    await publisher.close();
    scene.cluster.thaw();
    scene.startPublisher();
    await settled();
    expect(outline(withoutRepetitions(await scene.messagesOf(id)))).toEqual(whole(10));
  });
});
