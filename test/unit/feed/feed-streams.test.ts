import { afterEach, describe, expect, test } from "vitest";
import type { Readers } from "#projections/read/rights.ts";
import { Overloaded } from "#services/errors.ts";
import {
  createFeedStreams,
  createStreamPlaces,
  type FeedStreams,
  type FeedStreamsDeps,
  type FeedTimes,
  type Reader,
  type StreamEnd,
} from "#services/gateway/feed/streams.ts";
import { silentLogger } from "../../support/logger.ts";

const HOUR = 3_600_000;
const UNHURRIED: FeedTimes = { slowMs: HOUR, checkMs: HOUR, uncheckedMs: HOUR, tickMs: 5 };

let streams: FeedStreams;
afterEach(() => streams.close());

function start(
  times: Partial<FeedTimes> = {},
  presentReaders: FeedStreamsDeps["presentReaders"] = async () => new Set(),
  limit = 10,
): void {
  streams = createFeedStreams({
    places: createStreamPlaces({ limit }),
    presentReaders,
    times: { ...UNHURRIED, ...times },
    logger: silentLogger(),
  });
}

const GUEST: Reader = { kind: "guest" };

const HOLDER = { caller: "network 1", network: "1" };

function open(
  reader = GUEST,
  beatMs = HOUR,
  cut: (end: StreamEnd) => void = () => undefined,
  holder = HOLDER,
) {
  const stream = streams.open({ catalogueIds: ["a", "b"], reader, beatMs, cut }, holder);
  stream.takeNews();
  return stream;
}

describe("a stream of changes", () => {
  test("begins with everything as news", () => {
    start();
    const options = { catalogueIds: ["a", "b"], reader: GUEST, beatMs: HOUR, cut: () => undefined };
    const { takeNews } = streams.open(options, HOLDER);
    expect([...takeNews().keys()]).toEqual(["a", "b"]);
    expect([...takeNews().keys()]).toEqual([]);
  });

  test("is woken by news of its catalogues, and misses none while it does something else", async () => {
    start();
    const stream = open();
    const waiting = stream.next();
    expect(streams.follows("a") && !streams.follows("c")).toBe(true);
    await streams.tell("a", null);
    expect(await waiting).toBe("news");
    await streams.tell("b", null);
    expect(await stream.next()).toBe("news");
    expect([...stream.takeNews().keys()]).toEqual(["a", "b"]);
  });

  test("has a heartbeat when it is silent", async () => {
    start();
    expect(await open(GUEST, 10).next()).toBe("beat");
  });

  test("is cut when its client does not take what it was given", async () => {
    start({ slowMs: 20 });
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const stream = open(GUEST, HOUR, resolve);
    stream.handOver();
    expect(await promise).toBe("slow");
    expect(stream.end()).toBe("slow");
    expect(await stream.next()).toBe("over");
  });

  test("is forgotten once it is closed", () => {
    start();
    open().close();
    expect([streams.size(), streams.follows("a")]).toEqual([0, false]);
  });

  test("is refused when too many are open, and says when to come back", () => {
    start({}, undefined, 1);
    const first = open();
    expect(() => open()).toThrow(Overloaded);
    first.close();
    open();
  });

  test("ends when somebody of another network has its place", async () => {
    start({}, undefined, 2);
    const first = open();
    open();
    open(GUEST, HOUR, undefined, { caller: "network 2", network: "2" });
    expect([await first.next(), first.end(), streams.size()]).toEqual(["over", "crowded", 3]);
    first.close();
    expect(streams.size()).toBe(2);
  });

  test("ends with the process, also when its client takes nothing", async () => {
    start();
    const waiting = open().next();
    const ends: StreamEnd[] = [];
    open(GUEST, HOUR, (end) => ends.push(end)).handOver();
    streams.close();
    expect(await waiting).toBe("over");
    expect(ends).toEqual(["stopping"]);
  });
});

describe("who may not read any more", () => {
  const session = (sessionId: string): Reader => ({ kind: "session", sessionId });

  test("has an end, and the others go on", async () => {
    const asked: Readers[] = [];
    start({ checkMs: 5 }, async (readers) => {
      asked.push(readers);
      return new Set(["s1 a", "s1 b", "h1", "a", "b"]);
    });
    const kept = [session("s1"), session("s1"), GUEST, { kind: "share", hash: "h1" } as const];
    const staying = kept.map((reader) => open(reader));
    const leaving = [session("s2"), { kind: "share", hash: "h2" } as const].map((reader) =>
      open(reader).next(),
    );
    expect(await Promise.all(leaving)).toEqual(["over", "over"]);
    expect(staying.map(({ end }) => end())).toEqual([null, null, null, null]);
    // One question for all of them.
    const sessions = ["s1", "s2"].flatMap((by) =>
      ["a", "b"].map((catalogueId) => ({ by, catalogueId })),
    );
    expect(asked[0]).toEqual({
      sessions,
      tokens: [],
      shares: ["h1", "h2"],
      opened: ["a", "b"],
    });
  });

  test("has an end too when that cannot be found out for long", async () => {
    start({ checkMs: 5, uncheckedMs: 20 }, async () => {
      throw new Error("the database is away");
    });
    const stream = open();
    expect(await stream.next()).toBe("over");
    expect(stream.end()).toBe("ended");
  });
});
