import { BACKWARDS, END, jsonEvent } from "@eventstore/db-client";
import { expect, it } from "vitest";
import { NO_STREAM, START } from "#infra/event-log/event-log.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import { anyEvent, bareClient, failureOf } from "../../support/eventstore/bare-client.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { openAdapter } from "./open-adapter.ts";

/** What the adapter does not use, and the test server offers as a real one does. */
const server = useEventStore();

/** With credentials of its own an append is no part of a batch. */
const ALONE = { credentials: { username: "-", password: "-" } };

it.each([
  ["one by one", ALONE],
  ["in batches", {}],
])("checks expected revisions of appends %s", async (_, options) => {
  const [client, stream] = [bareClient(server), uniqueName("stream")];
  const append = (expectedRevision: bigint | "any" | "no_stream" | "stream_exists") =>
    client.appendToStream(stream, anyEvent(), { ...options, expectedRevision });
  expect(await failureOf(append("stream_exists"))).toMatchObject({
    type: "wrong-expected-version",
    actualVersion: "no_stream",
  });
  expect(await append("no_stream")).toMatchObject({ nextExpectedRevision: 0n });
  expect(await append("any")).toMatchObject({ nextExpectedRevision: 1n });
  expect(await append("stream_exists")).toMatchObject({ nextExpectedRevision: 2n });
  expect(await append(2n)).toMatchObject({ nextExpectedRevision: 3n });
  expect(await failureOf(append(1n))).toMatchObject({
    type: "wrong-expected-version",
    actualVersion: 3n,
  });
});

it.each([
  ["one by one", ALONE],
  ["in batches", {}],
])("knows events by their ids again, appended %s", async (_, options) => {
  const [client, stream] = [bareClient(server), uniqueName("stream")];
  const events = [anyEvent(), anyEvent()];
  const first = await client.appendToStream(stream, events, options);
  expect(await client.appendToStream(stream, events, options)).toEqual(first);
  expect(server.store.stream(stream)).toHaveLength(2);
});

it.each([
  ["one by one", ALONE],
  ["in batches", {}],
])("takes no append above 1 MiB, appended %s", async (_, options) => {
  const event = jsonEvent({ type: "Large", data: { text: "x".repeat(1024 * 1024) } });
  const appending = bareClient(server).appendToStream(uniqueName("stream"), event, options);
  expect(await failureOf(appending)).toMatchObject({
    type: "maximum-append-size-exceeded",
    maxAppendSize: 1024 * 1024,
  });
});

it("reads a stream backwards, from any revision", async () => {
  const [client, stream] = [bareClient(server), uniqueName("stream")];
  await client.appendToStream(
    stream,
    Array.from({ length: 5 }, () => anyEvent()),
  );
  const revisions: number[] = [];
  const options = { direction: BACKWARDS, fromRevision: 3n, maxCount: 3 } as const;
  for await (const { event } of client.readStream(stream, options)) {
    revisions.push(Number(event?.revision));
  }
  expect(revisions).toEqual([3, 2, 1]);
});

it("subscribes to one stream, from its end", async () => {
  const [client, stream] = [bareClient(server), uniqueName("stream")];
  await client.appendToStream(stream, anyEvent());
  const subscription = client.subscribeToStream(stream, { fromRevision: END });
  await expect.poll(() => server.subscriptions.count).toBe(1);
  await client.appendToStream(uniqueName("other"), anyEvent());
  await client.appendToStream(stream, anyEvent());
  for await (const { event } of subscription) {
    expect([event?.streamId, event?.revision]).toEqual([stream, 1n]);
    break;
  }
  await subscription.unsubscribe();
});

it("forgets a deleted stream, and takes none again that was deleted for good", async () => {
  const [client, stream] = [bareClient(server), uniqueName("stream")];
  await client.appendToStream(stream, anyEvent());
  await client.deleteStream(stream);
  expect(await openAdapter(server).read(stream, 0, 10)).toEqual([]);
  await client.appendToStream(stream, anyEvent());
  await client.tombstoneStream(stream);
  expect(await failureOf(client.appendToStream(stream, anyEvent(), ALONE))).toMatchObject({
    type: "stream-deleted",
    streamName: stream,
  });
  const reading = (async () => {
    for await (const _ of client.readStream(stream));
  })();
  expect(await failureOf(reading)).toMatchObject({ type: "stream-deleted" });
});

it("is found by the adapter as a cluster of one", async () => {
  const log = openAdapter({ url: server.url.replace("esdb://", "esdb+discover://") });
  const stream = uniqueName("stream");
  await log.append(stream, NO_STREAM, newEvents(2));
  expect(await log.read(stream, 0, 10)).toHaveLength(2);
  expect((await log.head()) > START).toBe(true);
});
