import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { ApiClient } from "../../support/api-client.ts";
import {
  type BenchService,
  catalogueOf,
  remove,
  startBenchService,
} from "../../support/bench-service.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { memoryOf } from "../../support/process-figures.ts";
import { smallGetsWhile } from "../asking.ts";
import type { FeedTask } from "../feed-thread.ts";
import { p99, type Result, secondsOf, spreadOf, within } from "../measure.ts";

/** How much each part of the case does. */
export type FeedSizes = {
  readonly clients: number;
  readonly changes: number;
  readonly idle: number;
  readonly replayed: number;
  readonly imported: number;
  readonly gets: number;
};

const THREAD = new URL("../feed-thread.ts", import.meta.url);
/** Milliseconds from the commit until half of the clients, and 99 of a hundred, have the change. */
const SEEN_MS = { half: 20, most: 100 };
const IDLE_MIB = 1024;
const REPLAYED_PER_SECOND = 50_000;
const PAUSE_MS = 100;

/** The change feed: how soon changes are seen, what waiting streams hold, how fast the past is replayed. */
export async function benchFeed(sizes: FeedSizes): Promise<Result[]> {
  const bench = await startBenchService({ FEED_STREAMS: "20000" });
  try {
    return [
      ...(await seen(bench, sizes)),
      await waiting(bench, sizes),
      await replayed(bench, sizes),
      ...(await besideSmallGets(bench, sizes)),
    ];
  } finally {
    await bench.close();
  }
}

type Followers = {
  /** Milliseconds from commits until clients had them, since the last call. */
  readonly taken: () => Promise<number[]>;
  readonly close: () => Promise<unknown>;
};

async function follow(url: string, clients: number): Promise<Followers> {
  const task: FeedTask = { url, clients };
  const thread = new Worker(THREAD, { workerData: task });
  await once(thread, "message");
  return {
    taken: async () => {
      thread.postMessage("");
      const [milliseconds] = await once(thread, "message");
      return milliseconds;
    },
    close: () => thread.terminate(),
  };
}

async function followed(client: ApiClient): Promise<string> {
  const id = await catalogueOf(client, 1);
  await client.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
  return id;
}

async function seen(
  { client, url }: BenchService,
  { clients, changes }: FeedSizes,
): Promise<Result[]> {
  const id = await followed(client);
  const followers = await follow(`${url}/api/catalogues/${id}/feed`, clients);
  const half: number[] = [];
  const most: number[] = [];
  const { body } = await client.get<{ events: [{ id: string }] }>(`/api/catalogues/${id}/events`);
  for (let i = 0; i < changes; i += 1) {
    const path = `/api/catalogues/${id}/events/${body.events[0].id}`;
    await client.send("PATCH", path, { magnitude: 1 + (i % 60) / 10 + 0.05 });
    await delay(PAUSE_MS);
    const milliseconds = await followers.taken();
    if (milliseconds.length !== clients) {
      throw new Error(`${milliseconds.length} of ${clients} clients have seen the change`);
    }
    // The first changes warm up.
    if (i < changes / 10) continue;
    half.push(spreadOf(milliseconds).median);
    most.push(p99(milliseconds));
  }
  await followers.close();
  await remove(client, id);
  const size = `${changes} changes, ${clients} clients`;
  return [
    within(["feed, commit to seen, p50", size, "ms"], SEEN_MS.half, half),
    within(["feed, commit to seen, p99", size, "ms"], SEEN_MS.most, most),
  ];
}

/** Resident memory of a service that holds streams on which nothing happens. */
async function waiting({ client, url, pid }: BenchService, { idle }: FeedSizes): Promise<Result> {
  const id = await followed(client);
  const followers = await follow(`${url}/api/catalogues/${id}/feed`, idle);
  // Over two heartbeats.
  await delay(32_000);
  const held = await memoryOf(pid);
  await followers.close();
  await remove(client, id);
  const size = `${idle} streams`;
  return within(["feed, memory of idle streams", size, "MiB"], IDLE_MIB, [held]);
}

async function replayed({ client }: BenchService, { replayed: count }: FeedSizes): Promise<Result> {
  const id = await catalogueOf(client, count);
  const result = await replayOf(client, id, count, 2);
  await remove(client, id);
  return result;
}

/** The past of a catalogue of `count` events to which nothing but events was added, so many times. */
export async function replayOf(
  client: ApiClient,
  id: string,
  count: number,
  times: number,
): Promise<Result> {
  const path = `/api/catalogues/${id}`;
  const { body } = await client.get<{ versions: [CatalogueVersion] }>(`${path}/versions`);
  const [{ version, added }] = body.versions;
  const passes: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const read = () => readUntil(client, `${path}/feed?after=0`, `id: ${version}.${added}\n`);
    passes.push(await secondsOf(read));
  }
  const size = `${count} changes`;
  return within(["feed, replay", size, "s"], count / REPLAYED_PER_SECOND, passes);
}

/** Takes a stream until it has had a line. */
async function readUntil(client: ApiClient, path: string, line: string): Promise<void> {
  const { body } = await client.stream(path);
  let rest = Buffer.alloc(0);
  for await (const bytes of body ?? []) {
    const text = Buffer.concat([rest, bytes]);
    if (text.includes(line)) return;
    rest = text.subarray(-line.length);
  }
  throw new Error(`the stream ended before ${line}`);
}

/** Streams of the catalogue that grows with filters that leave nothing, and a few that take all. */
async function besideSmallGets(
  { client, url }: BenchService,
  { clients, imported, gets }: FeedSizes,
): Promise<Result[]> {
  const other = await followed(client);
  const address = `${url}/api/catalogues/${other}`;
  const results: Result[] = [];
  for (const [kind, query] of Object.entries({ filtered: "?minMagnitude=9", whole: "" })) {
    const id = await followed(client);
    const followers = await follow(`${url}/api/catalogues/${id}/feed${query}`, clients);
    const size = `${imported} events, ${clients} streams, ${kind}`;
    results.push(
      await smallGetsWhile("followed events are added", size, address, gets, () =>
        addEvents(client, id, imported),
      ),
    );
    await followers.close();
    await remove(client, id);
  }
  await remove(client, other);
  return results;
}

async function addEvents(client: ApiClient, id: string, count: number): Promise<void> {
  const body = catalogueBody("added", 2, count).replaceAll('"source_id":"', '"source_id":"n-');
  const answer = await client.send("POST", `/api/catalogues/${id}/events`, Buffer.from(body));
  if (answer.status !== 200) throw new Error(`adding answered ${answer.status}`);
}
