import { isCommandError } from "@eventstore/db-client";
import { describe, expect, it } from "vitest";
import { Ambiguous, TooLarge, Unavailable } from "#infra/event-log/errors.ts";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { newEvent, newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import {
  anyEvent,
  bareClient,
  failureOf,
  isPending,
} from "../../support/eventstore/bare-client.ts";
import { createEventStore } from "../../support/eventstore/event-store.ts";
import { startEventStoreServer } from "../../support/eventstore/event-store-server.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { openAdapter, serverForTest } from "./open-adapter.ts";

const server = useEventStore();

const LOST = ["CANCELLED", "UNAVAILABLE", "UNKNOWN", "DEADLINE_EXCEEDED"] as const;

describe.each(LOST)("an append that fails with %s", (status) => {
  it("tells users of the client the same whether it has happened or not", async () => {
    const client = bareClient(server);
    const happened: boolean[] = [];
    const errors: string[] = [];
    for (const kind of ["fail-before", "fail-after"] as const) {
      const stream = uniqueName("stream");
      server.faults.appends.push({ kind, status });
      errors.push(String(await failureOf(client.appendToStream(stream, anyEvent()))));
      happened.push(server.store.stream(stream) !== null);
    }
    expect(happened).toEqual([false, true]);
    expect(errors[0]).toBe(errors[1]);
  });

  it.each(["fail-before", "fail-after"] as const)(
    "is ambiguous to the adapter (%s), and the same append again settles it",
    async (kind) => {
      const log = openAdapter(server);
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push({ kind, status });
      await expect(log.append(stream, NO_STREAM, events)).rejects.toThrow(Ambiguous);
      expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ revision: 1 });
      const read = await log.read(stream, 0, 10);
      expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    },
  );
});

describe.each(["fail-before", "fail-after"] as const)(
  "an append that the server gives up (%s)",
  (kind) => {
    const givenUp = { kind, status: "ABORTED" } as const;

    it("is an error to users of the client", async () => {
      const client = bareClient(server);
      server.faults.appends.push(givenUp);
      const error = await failureOf(client.appendToStream(uniqueName("stream"), anyEvent()));
      expect(error).toMatchObject({ code: 10 });
    });

    it("is repeated by the adapter until it has happened, once", async () => {
      const log = openAdapter(server);
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push(givenUp, givenUp, givenUp);
      expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ revision: 1 });
      const read = await log.read(stream, 0, 10);
      expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    });

    it("is repeated beside others of the same events, all of which find it done", async () => {
      const log = openAdapter(server);
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push(givenUp, givenUp);
      const appending = Array.from({ length: 5 }, () => log.append(stream, NO_STREAM, events));
      const revisions = (await Promise.all(appending)).map(({ revision }) => revision);
      expect(revisions).toEqual([1, 1, 1, 1, 1]);
      expect(await log.read(stream, 0, 10)).toHaveLength(2);
    });

    it("is ambiguous once the adapter's time is over", async () => {
      const log = openAdapter(server);
      const stream = uniqueName("stream");
      server.faults.appends.push(...Array<typeof givenUp>(100).fill(givenUp));
      const appending = log.append(stream, NO_STREAM, newEvents(1), { timeoutMs: 300 });
      await expect(appending).rejects.toThrow(Ambiguous);
      server.faults.appends.length = 0;
    });
  },
);

describe.each(["hang-before", "hang-after", "end-after"] as const)(
  "an append that is not answered (%s)",
  (kind) => {
    it("stays pending for users of the client", async () => {
      const client = bareClient(server);
      server.faults.appends.push({ kind });
      const appending = client.appendToStream(uniqueName("stream"), anyEvent());
      await expect.poll(() => server.faults.appends).toEqual([]);
      await client.getStreamMetadata(uniqueName("stream"));
      expect(await isPending(appending)).toBe(true);
    });

    it("is ambiguous to the adapter after its time", async () => {
      const log = openAdapter(server);
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push({ kind });
      const appending = log.append(stream, NO_STREAM, events, { timeoutMs: 200 });
      await expect(appending).rejects.toThrow(Ambiguous);
      expect(await log.append(stream, NO_STREAM, events)).toMatchObject({ revision: 1 });
      expect(await log.read(stream, 0, 10)).toHaveLength(2);
    });
  },
);

it("once the server has ended the client's stream of appends, later ones stay pending too", async () => {
  const client = bareClient(server);
  server.faults.appends.push({ kind: "end-after" });
  const first = client.appendToStream(uniqueName("stream"), anyEvent());
  await expect.poll(() => server.faults.appends).toEqual([]);
  await client.getStreamMetadata(uniqueName("stream"));
  const stream = uniqueName("stream");
  const later = client.appendToStream(stream, anyEvent());
  await client.getStreamMetadata(stream);
  expect([await isPending(first), await isPending(later)]).toEqual([true, true]);
  expect(server.store.stream(stream)).toBeNull();
});

describe("a server that cannot be reached", () => {
  it("gives users of the client an error of the connection, which is none of its own", async () => {
    const gone = await serverForTest();
    const client = bareClient(gone);
    await gone.stop();
    const error = await failureOf(client.appendToStream(uniqueName("stream"), anyEvent()));
    expect(isCommandError(error as Error)).toBe(false);
    expect(error).toMatchObject({ code: 14 });
  });

  it("is unavailable to the adapter, whatever it does, and comes back", async () => {
    const gone = await serverForTest();
    const log = openAdapter(gone);
    const [stream, events] = [uniqueName("stream"), newEvents(1)];
    await log.append(stream, NO_STREAM, events);
    await gone.stop();
    // The first to come may find the connection just lost; the next ones find none.
    await failureOf(log.head());
    await expect(log.append(stream, 0, newEvents(1))).rejects.toThrow(Unavailable);
    await expect(log.read(stream, 0, 1)).rejects.toThrow(Unavailable);
    await expect(log.head()).rejects.toThrow(Unavailable);
    await gone.start();
    await expect
      .poll(() => log.read(stream, 0, 9).catch(() => []), { timeout: 20_000 })
      .toHaveLength(1);
    expect(await log.append(stream, 0, newEvents(1))).toMatchObject({ revision: 1 });
  });
});

it("an append beyond what the server is configured to take is too large", async () => {
  const store = createEventStore({ maxAppendBytes: 1_000 });
  const small = await startEventStoreServer({ store });
  const log = openAdapter(small);
  const event = newEvent({ data: new Uint8Array(2_000) });
  const refused = await failureOf(log.append(uniqueName("stream"), NO_STREAM, [event]));
  await small.stop();
  expect(refused).toBeInstanceOf(TooLarge);
  expect(refused).toMatchObject({ maxBytes: 1_000 });
  expect((refused as TooLarge).bytes).toBeGreaterThan(2_000);
});
