import { describe, expect, it } from "vitest";
import { Unavailable } from "#infra/event-log/errors.ts";
import { BEGINNING, NO_STREAM, START } from "#infra/event-log/event-log.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import {
  anyEvent,
  bareClient,
  failureOf,
  isPending,
} from "../../support/eventstore/bare-client.ts";
import { createEventStore } from "../../support/eventstore/event-store.ts";
import { collectingLogger } from "../../support/logger.ts";
import { openAdapter, serverForTest } from "./open-adapter.ts";

describe("a read of a long stream", () => {
  it("is without limit by the client", async () => {
    const server = await serverForTest();
    const stream = uniqueName("stream");
    await openAdapter(server).append(stream, NO_STREAM, newEvents(1_000));
    let count = 0;
    for await (const _ of bareClient(server).readStream(stream)) count += 1;
    expect(count).toBe(1_000);
    expect(server.reads.at(-1)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("is paged by the adapter", async () => {
    const server = await serverForTest();
    const [log, stream] = [openAdapter(server), uniqueName("stream")];
    await log.append(stream, NO_STREAM, newEvents(1_000));
    const read = await log.read(stream, 10, 250);
    expect(read.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 250 }, (_, index) => index + 10),
    );
    expect(server.reads).toEqual([100, 100, 50]);
  });
});

describe("a read that is not answered", () => {
  it("stays pending for users of the client", async () => {
    const server = await serverForTest();
    const client = bareClient(server);
    server.faults.reads.push({ kind: "hang-before" });
    const reading = (async () => {
      for await (const _ of client.readAll());
    })();
    await expect.poll(() => server.faults.reads).toEqual([]);
    await client.appendToStream(uniqueName("stream"), anyEvent());
    expect(await isPending(reading)).toBe(true);
  });

  it("is unavailable to the adapter after its time", async () => {
    const server = await serverForTest();
    const log = openAdapter(server, { readTimeoutMs: 100 });
    const hang = { kind: "hang-before" } as const;
    server.faults.reads.push(hang);
    await expect(log.read(uniqueName("stream"), 0, 1)).rejects.toThrow(Unavailable);
    server.faults.reads.push(hang);
    await expect(log.head()).rejects.toThrow(Unavailable);
    expect(await log.head()).toBe(START);
  });
});

describe("a server that does not lead", () => {
  /** Two servers of one cluster, as it were. */
  async function cluster() {
    const store = createEventStore();
    const [follower, leader] = [await serverForTest({ store }), await serverForTest({ store })];
    const fault = { kind: "not-leader", leader: { host: "127.0.0.1", port: leader.port } } as const;
    return { follower, fault };
  }

  it("refuses users of the client", async () => {
    const { follower, fault } = await cluster();
    follower.faults.appends.push(fault);
    const appending = bareClient(follower).appendToStream(uniqueName("stream"), anyEvent(), {
      credentials: { username: "-", password: "-" },
    });
    expect(await failureOf(appending)).toMatchObject({ type: "not-leader" });
  });

  it("sends the adapter to the leader", async () => {
    const { follower, fault } = await cluster();
    const [log, stream] = [openAdapter(follower), uniqueName("stream")];
    follower.faults.appends.push(fault);
    expect(await log.append(stream, NO_STREAM, newEvents(1))).toMatchObject({ revision: 0 });
    const other = openAdapter(follower);
    follower.faults.reads.push(fault);
    expect(await other.read(stream, 0, 10)).toHaveLength(1);
  });
});

it("a server's own events are no head, however many, and are looked at once", async () => {
  const server = await serverForTest();
  const log = openAdapter(server);
  expect(await log.head()).toBe(START);
  const content = { contentType: "application/json", metadata: new Uint8Array() };
  for (let index = 0; index < 2_000; index += 1) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    server.store.append("$stats", "any", [
      { id, type: "$statsCollected", data: Buffer.from("{}"), ...content },
    ]);
  }
  expect(await log.head()).toBe(START);
  const before = server.reads.length;
  expect(await log.head()).toBe(START);
  expect(server.reads.length - before).toBe(1);
});

it("no line of the log shows the password of the connection", async () => {
  const server = await serverForTest();
  const { log: logger, lines } = collectingLogger();
  const url = server.url.replace("esdb://", "esdb://ops:tell-nobody@");
  const log = openAdapter({ url }, { log: logger });
  const ending = new AbortController();
  const subscribing = (async () => {
    for await (const _ of log.subscribe({ after: BEGINNING, signal: ending.signal }));
  })();
  await expect.poll(() => server.subscriptions.count).toBe(1);
  await server.stop();
  await expect.poll(() => lines.length).toBeGreaterThan(1);
  const error = await failureOf(log.head());
  ending.abort();
  await subscribing;
  expect(JSON.stringify([lines, String(error), String((error as Error).cause)])).not.toContain(
    "tell-nobody",
  );
});
