import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Ambiguous,
  BEGINNING,
  type EventLog,
  NO_STREAM,
  type Position,
  START,
  TooLarge,
  Unavailable,
} from "#infra/log/event-log.ts";
import { collect, newEvent, newEvents, uniqueName } from "../../support/event-log.ts";
import { createEventStore } from "../../support/eventstore/event-store.ts";
import type { EventStoreServer } from "../../support/eventstore/event-store-server.ts";
import { failureOf, openAdapter, serverForTest } from "../../support/eventstore/open-adapter.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { collectingLogger } from "../../support/logger.ts";

const server = useEventStore();

/** The server's own events, which are none of the log. */
function writeStatistics({ store }: EventStoreServer, count: number): void {
  const content = { contentType: "application/json", metadata: new Uint8Array() };
  for (let index = 0; index < count; index += 1) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    store.append("$stats", "any", [
      { id, type: "$statsCollected", data: Buffer.from("{}"), ...content },
    ]);
  }
}

describe("an append", () => {
  const LOST = ["CANCELLED", "UNAVAILABLE", "UNKNOWN", "DEADLINE_EXCEEDED"] as const;
  const FAULTS = [
    ...LOST.flatMap((status) => [
      { kind: "fail-before" as const, status },
      { kind: "fail-after" as const, status },
    ]),
    ...(["hang-before", "hang-after", "end-after"] as const).map((kind) => ({ kind })),
  ];

  it("whose answer is lost is ambiguous, whether it has happened or not, and the same append again settles it", async () => {
    for (const fault of FAULTS) {
      const log = openAdapter(server);
      const name = JSON.stringify(fault);
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push(fault);
      const timeoutMs = "status" in fault ? 30_000 : 200;
      const lost = failureOf(log.append(stream, NO_STREAM, events, { timeoutMs }));
      expect(await lost, name).toBeInstanceOf(Ambiguous);
      await expect.poll(() => server.faults.appends, { message: name }).toEqual([]);
      expect(await log.append(stream, NO_STREAM, events), name).toMatchObject({ revision: 1 });
      const read = await log.read(stream, 0, 10);
      expect(
        read.map(({ id }) => id),
        name,
      ).toEqual(events.map(({ id }) => id));
    }
  });

  it("that the server gives up is repeated until it has happened, once, also beside others of the same events", async () => {
    const log = openAdapter(server);
    for (const kind of ["fail-before", "fail-after"] as const) {
      const givenUp = { kind, status: "ABORTED" } as const;
      const [stream, events] = [uniqueName("stream"), newEvents(2)];
      server.faults.appends.push(givenUp, givenUp, givenUp);
      const appending = Array.from({ length: 5 }, () => log.append(stream, NO_STREAM, events));
      const revisions = (await Promise.all(appending)).map(({ revision }) => revision);
      expect(revisions, kind).toEqual([1, 1, 1, 1, 1]);
      const read = await log.read(stream, 0, 10);
      expect(
        read.map(({ id }) => id),
        kind,
      ).toEqual(events.map(({ id }) => id));
      server.faults.appends.push(...Array<typeof givenUp>(100).fill(givenUp));
      const late = log.append(uniqueName("s"), NO_STREAM, newEvents(1), { timeoutMs: 300 });
      await expect(late, kind).rejects.toThrow(Ambiguous);
      server.faults.appends.length = 0;
    }
  });

  it("beyond what the server is configured to take is too large", async () => {
    const small = await serverForTest({ store: createEventStore({ maxAppendBytes: 1_000 }) });
    const event = newEvent({ data: new Uint8Array(2_000) });
    const appending = openAdapter(small).append(uniqueName("stream"), NO_STREAM, [event]);
    const refused = await failureOf(appending);
    expect(refused).toBeInstanceOf(TooLarge);
    expect(refused).toMatchObject({ maxBytes: 1_000 });
    expect((refused as TooLarge).bytes).toBeGreaterThan(2_000);
  });

  it("is left alone by the failure of another adapter's connection", async () => {
    const [slow, failing] = [await serverForTest(), await serverForTest()];
    const { promise, resolve: release } = Promise.withResolvers<void>();
    slow.faults.appends.push({ kind: "wait", until: promise });
    failing.faults.appends.push({ kind: "fail-before", status: "CANCELLED" });
    const waiting = openAdapter(slow).append(uniqueName("stream"), NO_STREAM, newEvents(2));
    await expect.poll(() => slow.faults.appends).toEqual([]);
    await failureOf(openAdapter(failing).append(uniqueName("stream"), NO_STREAM, newEvents(1)));
    release();
    expect(await waiting).toMatchObject({ revision: 1 });
  });

  it("that is repeated at once while the connection breaks again and again happens once", async () => {
    const breaking = await serverForTest();
    const log = openAdapter(breaking);
    const streams = Array.from({ length: 30 }, () => uniqueName("stream"));
    let isBreaking = true;
    const append = async (stream: string): Promise<number> => {
      let count = 0;
      for (; isBreaking; count += 1) {
        const events = newEvents(1);
        const revision = count === 0 ? NO_STREAM : count - 1;
        const tried = () =>
          log.append(stream, revision, events).then(
            () => true,
            () => false,
          );
        while (!(await tried()));
      }
      return count;
    };
    const appending = Promise.all(streams.map(append));
    for (let round = 0; round < 5; round += 1) {
      const before = breaking.store.all.length;
      await expect
        .poll(() => breaking.store.all.length, { timeout: 60_000 })
        .toBeGreaterThan(before);
      await breaking.stop();
      await breaking.start();
    }
    isBreaking = false;
    const counts = await appending;
    expect(streams.map((stream) => breaking.store.stream(stream)?.length)).toEqual(counts);
  });
});

describe("a server", () => {
  it("that cannot be reached is unavailable, whatever is done, and comes back", async () => {
    const gone = await serverForTest();
    const log = openAdapter(gone);
    const stream = uniqueName("stream");
    await log.append(stream, NO_STREAM, newEvents(1));
    await gone.stop();
    // The first to come may find the connection just lost; the next ones find none.
    await failureOf(log.head());
    const tries = [log.append(stream, 0, newEvents(1)), log.read(stream, 0, 1), log.head()];
    for (const error of await Promise.all(tries.map(failureOf))) {
      expect(error).toBeInstanceOf(Unavailable);
    }
    await gone.start();
    await expect
      .poll(() => log.read(stream, 0, 9).catch(() => []), { timeout: 20_000 })
      .toHaveLength(1);
    expect(await log.append(stream, 0, newEvents(1))).toMatchObject({ revision: 1 });
  });

  it("is asked for a long stream in pages", async () => {
    const own = await serverForTest();
    const [log, stream] = [openAdapter(own), uniqueName("stream")];
    await log.append(stream, NO_STREAM, newEvents(300));
    const read = await log.read(stream, 10, 250);
    expect(read.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 250 }, (_, index) => index + 10),
    );
    expect(own.reads).toEqual([100, 100, 50]);
  });

  it("that does not answer a read is unavailable after the adapter's time", async () => {
    const own = await serverForTest();
    const log = openAdapter(own, { readTimeoutMs: 100 });
    for (const read of [() => log.read(uniqueName("stream"), 0, 1), () => log.head()]) {
      own.faults.reads.push({ kind: "hang-before" });
      await expect(read()).rejects.toThrow(Unavailable);
      // It is there still where the read did not even come so far.
      own.faults.reads.length = 0;
    }
    expect(await openAdapter(own).head()).toBe(START);
  });

  it("that does not lead sends the adapter to the leader", async () => {
    const store = createEventStore();
    const [follower, leader] = [await serverForTest({ store }), await serverForTest({ store })];
    const fault = { kind: "not-leader", leader: { host: "127.0.0.1", port: leader.port } } as const;
    const [log, other, stream] = [openAdapter(follower), openAdapter(follower), uniqueName("s")];
    follower.faults.appends.push(fault);
    expect(await log.append(stream, NO_STREAM, newEvents(1))).toMatchObject({ revision: 0 });
    follower.faults.reads.push(fault);
    expect(await other.read(stream, 0, 10)).toHaveLength(1);
  });

  it("is found as a cluster of one, and its own events are no head, however many, and are looked at once", async () => {
    const own = await serverForTest();
    const log = openAdapter({ url: own.url.replace("esdb://", "esdb+discover://") });
    expect(await log.head()).toBe(START);
    writeStatistics(own, 2_000);
    expect(await log.head()).toBe(START);
    const before = own.reads.length;
    expect(await log.head()).toBe(START);
    expect(own.reads.length - before).toBe(1);
  });

  it("has a password that no line of the log shows", async () => {
    const own = await serverForTest();
    const { log: logger, lines } = collectingLogger();
    const url = own.url.replace("esdb://", "esdb://ops:tell-nobody@");
    const log = openAdapter({ url }, { log: logger });
    const ending = new AbortController();
    const subscribing = (async () => {
      for await (const _ of log.subscribe({ after: BEGINNING, signal: ending.signal }));
    })();
    await expect.poll(() => own.subscriptions.count).toBe(1);
    await own.stop();
    await expect.poll(() => lines.length).toBeGreaterThan(1);
    const error = await failureOf(log.head());
    ending.abort();
    await subscribing;
    const told = JSON.stringify([lines, String(error), String((error as Error).cause)]);
    expect(told).not.toContain("tell-nobody");
  });
});

describe("a certificate", () => {
  const DAY_MS = 86_400_000;

  /** Of an authority of its own, valid from the day before `daysFromNow` on for a day and a half. */
  function certificateFor(ip: string, daysFromNow = 0) {
    const from = Date.now() + (daysFromNow - 1) * DAY_MS;
    return generate([{ name: "commonName", value: ip }], {
      keyType: "ec",
      notBeforeDate: new Date(from),
      notAfterDate: new Date(from + 1.5 * DAY_MS),
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip }] }],
    });
  }
  type Certificate = Awaited<ReturnType<typeof certificateFor>>;

  /** A server over TLS, and the connection string of a client that trusts its certificate, or not. */
  async function serverWith(certificate: Certificate, isTrusted: boolean) {
    const own = await serverForTest({ certificate });
    if (!isTrusted) return own;
    const directory = await mkdtemp(join(tmpdir(), "certificates-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, "ca.pem");
    await writeFile(path, certificate.cert);
    return { url: `${own.url}&tlsCAFile=${path}`, port: own.port };
  }

  it("that is trusted lets an event store be written to over TLS", async () => {
    const log = openAdapter(await serverWith(await certificateFor("127.0.0.1"), true));
    const stream = uniqueName("stream");
    expect(await log.append(stream, NO_STREAM, newEvents(2))).toMatchObject({ revision: 1 });
    expect(await log.read(stream, 0, 10)).toHaveLength(2);
  });

  it("that is not to be trusted is refused with the reason, directly and among several servers; one that is away is not", async () => {
    const discovered = (url: string) =>
      `${url.replace("esdb://", "esdb+discover://")}&maxDiscoverAttempts=2`;
    for (const [reason, ip, days, isTrusted] of [
      ["is not trusted", "127.0.0.1", 0, false],
      ["has expired", "127.0.0.1", -3, true],
      ["is not valid yet", "127.0.0.1", 3, true],
      ["names another host", "192.0.2.1", 0, true],
    ] as const) {
      const { url, port } = await serverWith(await certificateFor(ip, days), isTrusted);
      for (const asked of [url, discovered(url)]) {
        const error = await failureOf(openAdapter({ url: asked }).head());
        expect(error, asked).toBeInstanceOf(Unavailable);
        expect((error as Error).message).toBe(`the certificate of 127.0.0.1:${port} ${reason}`);
      }
    }
    const away = await serverForTest({ certificate: await certificateFor("127.0.0.1") });
    await away.stop();
    for (const url of [away.url, discovered(away.url)]) {
      const message = "the event store cannot be reached";
      expect(await failureOf(openAdapter({ url }).head()), url).toMatchObject({ message });
    }
  });
});

describe("a subscription", () => {
  /** What ends or stops a subscription that has been given something. */
  const BREAKS: Readonly<Record<string, (server: EventStoreServer) => Promise<void> | void>> = {
    "is ended by the server without an error": ({ subscriptions }) => subscriptions.endAll(),
    "fails as cancelled": ({ subscriptions }) => subscriptions.failAll("CANCELLED"),
    "fails as unavailable": ({ subscriptions }) => subscriptions.failAll("UNAVAILABLE"),
    "is sent nothing any more": ({ subscriptions }) => subscriptions.muteAll(),
    "loses its server, which comes back": async (own) => {
      await own.stop();
      await own.start();
    },
  };

  async function appendOne(log: EventLog, stream: string, revision: number, type: string) {
    for (;;) {
      const events = newEvents(1, { type });
      const appended = await log.append(stream, revision, events).catch(() => null);
      if (appended) return;
    }
  }

  it.each(Object.entries(BREAKS))(
    "that %s is followed by another, without loss or repetition",
    async (_, breakIt) => {
      const own = await serverForTest();
      const { log: logger, lines } = collectingLogger();
      const log = openAdapter(own, { silenceMs: 200, log: logger });
      const [stream, type, after] = [uniqueName("stream"), uniqueName("Type"), await log.head()];
      const seen: number[] = [];
      const waiting = collect(log, {
        after,
        types: [type],
        enough: 4,
        onBatch: ({ events }) => void seen.push(...events.map(({ revision }) => revision)),
      });
      for (let revision = 0; revision < 4; revision += 1) {
        await appendOne(log, stream, revision - 1, type);
        await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(revision + 1);
        if (revision < 3) await breakIt(own);
      }
      await waiting;
      expect(seen).toEqual([0, 1, 2, 3]);
      expect(lines.some(({ msg }) => /^subscription .* begun again$/.test(String(msg)))).toBe(true);
    },
  );

  it("that cannot be begun is tried again until it is", async () => {
    const own = await serverForTest();
    const log = openAdapter(own, { silenceMs: 100 });
    for (const kind of ["fail-before", "hang-before"] as const) {
      const fault = { kind, status: "UNAVAILABLE" } as const;
      const after = await log.head();
      await log.append(uniqueName("stream"), NO_STREAM, newEvents(2));
      own.faults.subscriptions.push(fault, fault);
      const { events } = await collect(log, { after, enough: 2 });
      expect(
        events.map(({ revision }) => revision),
        kind,
      ).toEqual([0, 1]);
    }
  });

  it("gives no position before the events up to it, though the server's checkpoints run ahead", async () => {
    for (const isAhead of [false, true]) {
      const own = await serverForTest();
      own.faults.checkpointsAhead = isAhead;
      const [log, type] = [openAdapter(own), uniqueName("Type")];
      let reached = await log.head();
      await log.append(uniqueName("stream"), NO_STREAM, newEvents(300, { type }));
      await collect(log, {
        after: reached,
        types: [type],
        enough: 300,
        onBatch: ({ events, position }) => {
          for (const event of events) expect(event.position > reached).toBe(true);
          reached = position;
        },
      });
    }
  });

  it("has checkpoints at events of the log alone, whatever the server writes of its own", async () => {
    const own = await serverForTest();
    const [log, stream] = [openAdapter(own), uniqueName("stream")];
    const first = await log.append(stream, NO_STREAM, newEvents(1));
    writeStatistics(own, 1_000);
    expect(await log.head()).toBe(first.position);
    const second = await log.append(stream, 0, newEvents(1));
    const places: Position[] = [];
    const onBatch = ({ position }: { position: Position }) => void places.push(position);
    await collect(log, { after: START, enough: 2, onBatch });
    const ofLog = new Set([first.position, second.position]);
    expect(places.every((place) => ofLog.has(place))).toBe(true);
  });
});
