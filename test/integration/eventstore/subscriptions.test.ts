import { excludeSystemEvents, type ResolvedEvent } from "@eventstore/db-client";
import { describe, expect, it } from "vitest";
import { type EventLog, NO_STREAM, type Position, START } from "#infra/event-log/event-log.ts";
import { toPosition } from "#infra/event-log/eventstoredb/recorded-event.ts";
import { atLeast, collect } from "../../contract/event-log/collect.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import { bareClient, failureOf } from "../../support/eventstore/bare-client.ts";
import type { EventStoreServer } from "../../support/eventstore/event-store-server.ts";
import { collectingLogger } from "../../support/logger.ts";
import { openAdapter, serverForTest } from "./open-adapter.ts";

/** What ends or stops a subscription that has been given something. */
const BREAKS: Readonly<Record<string, (server: EventStoreServer) => Promise<void> | void>> = {
  "is ended by the server without an error": ({ subscriptions }) => subscriptions.endAll(),
  "fails as cancelled": ({ subscriptions }) => subscriptions.failAll("CANCELLED"),
  "fails as unavailable": ({ subscriptions }) => subscriptions.failAll("UNAVAILABLE"),
  "is sent nothing any more": ({ subscriptions }) => subscriptions.muteAll(),
  "loses its server, which comes back": async (server) => {
    await server.stop();
    await server.start();
  },
};

async function appendOne(log: EventLog, stream: string, revision: number, type: string) {
  for (;;) {
    const events = newEvents(1, { type });
    const appended = await log.append(stream, revision, events).catch(() => null);
    if (appended) return appended;
  }
}

describe.each(Object.entries(BREAKS))("a subscription that %s", (_, breakIt) => {
  it("gives users of the client nothing more", async () => {
    const server = await serverForTest();
    const log = openAdapter(server);
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    await appendOne(log, stream, NO_STREAM, type);
    const given: ResolvedEvent[] = [];
    const subscription = bareClient(server).subscribeToAll({ filter: excludeSystemEvents() });
    subscription.on("data", (event: ResolvedEvent) => void given.push(event));
    subscription.on("error", () => {});
    await expect.poll(() => given).toHaveLength(1);
    await breakIt(server);
    const adapter = collect(openAdapter(server), {
      after: toPosition(given[0]?.event?.position),
      enough: atLeast(1),
    });
    await appendOne(log, stream, 0, type);
    await adapter;
    expect(given).toHaveLength(1);
  });

  it("is followed by another in the adapter, without loss or repetition", async () => {
    const server = await serverForTest();
    const { log: logger, lines } = collectingLogger();
    const log = openAdapter(server, { silenceMs: 200, log: logger });
    const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
    const after = await log.head();
    const seen: number[] = [];
    const waiting = collect(log, {
      after,
      types: [type],
      enough: atLeast(6),
      onBatch: ({ events }) => void seen.push(...events.map(({ revision }) => revision)),
    });
    for (let revision = 0; revision < 6; revision += 1) {
      await appendOne(log, stream, revision - 1, type);
      await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(revision + 1);
      if (revision < 5) await breakIt(server);
    }
    await waiting;
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    expect(lines.some(({ msg }) => /^subscription .* begun again$/.test(String(msg)))).toBe(true);
  });
});

describe("a subscription that cannot be begun", () => {
  it("fails to users of the client", async () => {
    const server = await serverForTest();
    server.faults.subscriptions.push({ kind: "fail-before", status: "UNAVAILABLE" });
    const subscription = bareClient(server).subscribeToAll();
    const reading = (async () => {
      for await (const _ of subscription);
    })();
    expect(await failureOf(reading)).toMatchObject({ type: "unavailable" });
  });

  it.each(["fail-before", "hang-before"] as const)(
    "is tried again by the adapter until it is (%s)",
    async (kind) => {
      const server = await serverForTest();
      const log = openAdapter(server, { silenceMs: 100 });
      const fault = { kind, status: "UNAVAILABLE" } as const;
      server.faults.subscriptions.push(fault, fault);
      const after = await log.head();
      await log.append(uniqueName("stream"), NO_STREAM, newEvents(2));
      const { events } = await collect(log, { after, enough: atLeast(2) });
      expect(events.map(({ revision }) => revision)).toEqual([0, 1]);
    },
  );
});

describe("checkpoints", () => {
  it("run ahead of what users of the client have processed", async () => {
    const server = await serverForTest();
    const log = openAdapter(server);
    await log.append(uniqueName("stream"), NO_STREAM, newEvents(40));
    const checkpoints: Position[] = [];
    const subscription = bareClient(server).subscribeToAll(
      {
        filter: excludeSystemEvents({
          checkpointReached: async (_, place) => void checkpoints.push(toPosition(place)),
        }),
      },
      { highWaterMark: 100 },
    );
    for await (const { event } of subscription) {
      await expect.poll(() => checkpoints).toHaveLength(1);
      const place = toPosition(event?.position);
      expect(checkpoints.every((checkpoint) => checkpoint > place)).toBe(true);
      break;
    }
  });

  it.each([false, true])(
    "give nobody a position before the events up to it (server ahead: %s)",
    async (isAhead) => {
      const server = await serverForTest();
      server.faults.checkpointsAhead = isAhead;
      const log = openAdapter(server);
      const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
      const after = await log.head();
      await log.append(stream, NO_STREAM, newEvents(1_000, { type }));
      let reached = after;
      await collect(log, {
        after,
        types: [type],
        enough: atLeast(1_000),
        onBatch: ({ events, position }) => {
          for (const event of events) expect(event.position > reached).toBe(true);
          reached = position;
        },
      });
    },
  );

  it("are places of events of the log alone, whatever the server writes of its own", async () => {
    const server = await serverForTest();
    const log = openAdapter(server);
    const stream = uniqueName("stream");
    const first = await log.append(stream, NO_STREAM, newEvents(1));
    const content = { contentType: "application/json", metadata: new Uint8Array() };
    for (let index = 0; index < 1_000; index += 1) {
      const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
      server.store.append("$stats", "any", [
        { id, type: "$statsCollected", data: Buffer.from("{}"), ...content },
      ]);
    }
    expect(await log.head()).toBe(first.position);
    const second = await log.append(stream, 0, newEvents(1));
    const places: Position[] = [];
    await collect(log, {
      after: START,
      enough: atLeast(2),
      onBatch: ({ position }) => places.push(position),
    });
    const own = new Set([first.position, second.position]);
    expect(places.every((place) => own.has(place))).toBe(true);
  });
});
