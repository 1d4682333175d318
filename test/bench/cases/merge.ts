import { strict as assert } from "node:assert";
import type { MergeResult } from "#contracts/http/merges.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { groupEvents } from "#services/domain/merges/grouping/group-events.ts";
import {
  type Origin,
  type Origins,
  thresholdsOf,
} from "#services/domain/merges/grouping/thresholds.ts";
import type { ApiClient } from "../../support/api-client.ts";
import {
  type BenchService,
  createBy,
  drain,
  remove,
  resultOf,
} from "../../support/bench-service.ts";
import { generateEvents, randomOf } from "../../support/generate-catalogue.ts";
import { displacedCopy } from "../../support/merge/displaced-copy.ts";
import { originsOf } from "../../support/origins-of.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import {
  beside,
  compare,
  compareBetween,
  medians,
  type Result,
  repeated,
  secondsOf,
  timed,
  within,
} from "../measure.ts";

const CONFIG = {
  timeThreshold: 16,
  distanceThreshold: 50,
  mergeStrategy: "quality",
  priority: "",
} as const;
/** As many as one request takes. */
const PER_REQUEST = 500_000;

/**
 * Merging a catalogue of `size` events with its displaced copy until the result is visible, against
 * what a client would have to do: export both as JSON, and create the result by POST.
 */
export async function benchMerge(
  { client }: BenchService,
  size: number,
  repetitions: number,
): Promise<Result> {
  const sources: string[] = [];
  for (const events of submittedCatalogueAndCopy(size)) sources.push(await create(client, events));
  const comparison = await compare(
    repetitions,
    async () => {
      const [merged, result] = await timed(() => merge(client, sources));
      const bodies = bodiesOf(await eventsOf(client, result));
      await remove(client, result);
      const [exported, posted] = await timed(async () => {
        for (const id of sources) await drain(client, `/api/catalogues/${id}/export?format=json`);
        return createBy(client, bodies);
      });
      await remove(client, posted);
      return [merged, exported];
    },
    0,
  );
  for (const id of sources) await remove(client, id);
  return beside(
    ["merge until visible", `2 × ${size} events`, "s"],
    ["exporting the sources as JSON and POST of the result", 1.3],
    comparison,
  );
}

export async function merge(client: ApiClient, ids: readonly string[]): Promise<string> {
  const form = mergeForm(ids);
  const { status, body } = await client.send<MergeResult>("POST", "/api/merge", form);
  if (status !== 200 || body.duplicatesRemoved === 0) throw new Error(`merging answered ${status}`);
  return body.catalogueId;
}

function mergeForm(ids: readonly string[]) {
  const sourceCatalogues = ids.map((id) => ({ id, source: id }));
  return { name: "bench merged", sourceCatalogues, config: CONFIG };
}

/** An event each as a client that merges itself would submit it: what is known, without ids of ours. */
async function eventsOf(client: ApiClient, id: string): Promise<string[]> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=json`);
  const events: string[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith('{"id"')) events.push(submitted(line));
  }
  return events;
}

function submitted(line: string): string {
  const event: Record<string, unknown> = JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line);
  const { id: _, source_events: __, ...own } = event;
  return JSON.stringify(own, (_key, value: unknown) => value ?? undefined);
}

function bodiesOf(events: readonly string[], perRequest = PER_REQUEST): Buffer[] {
  const bodies: Buffer[] = [];
  for (let from = 0; from < events.length; from += perRequest) {
    const part = events.slice(from, from + perRequest).map((event) => Buffer.from(`${event},`));
    const list = Buffer.concat(part).subarray(0, -1);
    bodies.push(
      Buffer.concat([Buffer.from('{"name":"bench","events":['), list, Buffer.from("]}")]),
    );
  }
  return bodies;
}

/** @param perRequest events in one request */
export function create(
  client: ApiClient,
  events: readonly unknown[],
  perRequest = PER_REQUEST,
): Promise<string> {
  const texts = events.map((event) => JSON.stringify(event));
  return createBy(client, bodiesOf(texts, perRequest));
}

const RULES = { thresholds: thresholdsOf(16, 50) };
const WARM_UPS = 2;

/** Grouping two catalogues of `size` events in this process, against sorts of them. */
export async function benchGrouping(size: number, repetitions: number): Promise<Result> {
  const events = catalogueAndCopy(size);
  const comparison = await compareBetween(
    repetitions,
    async () => groupEvents(events, RULES),
    async () => {
      for (let sorts = 0; sorts < 3; sorts += 1) sortByTime(events);
    },
    WARM_UPS,
  );
  const named = ["grouping alone", `2 × ${size} events`, "s"] as const;
  return beside(named, ["three sorts by time", 1], comparison);
}

/** Resident memory that a merge may take, MiB. */
const MERGING_MIB = 1_536;
/** So that this process holds little beside the events. */
const EVENTS_PER_REQUEST = 100_000;

/** Resident memory of a service that has done nothing else while it merges three sources of `size` events each. */
export async function benchMergeMemory(
  { client, withAnother }: BenchService,
  size: number,
): Promise<Result> {
  const events = [...generateEvents(1, size)];
  const sources = [await create(client, events, EVENTS_PER_REQUEST)];
  for (const seed of [2, 3]) {
    sources.push(await create(client, submittedCopy(events, seed), EVENTS_PER_REQUEST));
  }
  const [peak, merged] = await withAnother((fresh, pid) =>
    peakMemoryOf(pid, () => mergeInBackground(fresh, sources)),
  );
  for (const id of [merged, ...sources]) await remove(client, id);
  return within(["peak memory while merging", `3 × ${size} events`, "MiB"], MERGING_MIB, [peak]);
}

/** A request would end before so large a merge does. */
async function mergeInBackground(client: ApiClient, sources: readonly string[]): Promise<string> {
  type Merged = { catalogueId: string };
  return (await resultOf<Merged>(client, "/api/merge", mergeForm(sources))).catalogueId;
}

/** Changes of a source before a refresh, and many. */
const FEW = 100;
const MANY = 1_000;
const SECONDS = 1;

/** A refresh after 100 changes of a source, and after 1,000, which takes longer. */
export async function benchMergeRefresh(
  { client }: BenchService,
  size: number,
  rounds: number,
): Promise<Result[]> {
  const { few, many } = await withMerge(client, size, async (change) => ({
    few: await repeated(rounds, 1, (round) => change(FEW, round + 1)),
    many: await repeated(rounds, 1, (round) => change(MANY, round + 1)),
  }));
  const named = (changes: number) =>
    [`refresh of a merge, ${changes} changes`, `2 × ${size} events`, "s"] as const;
  return [
    within(named(FEW), SECONDS, few),
    beside(named(MANY), [`${FEW} changes`, MANY / FEW], medians(many, few)),
  ];
}

/** Changes that many events of a source, then refreshes the merge; how long that takes. */
type Change = (changes: number, round: number) => Promise<number>;

/** Runs `work` beside a merge of a catalogue of `size` events and its displaced copy. */
async function withMerge<T>(
  client: ApiClient,
  size: number,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const [catalogue, copy] = submittedCatalogueAndCopy(size);
  const sources = [await create(client, catalogue), await create(client, copy)];
  const merged = await merge(client, sources);
  const random = randomOf(size);
  try {
    return await work(async (changes, round) => {
      const chosen = Array.from(
        { length: changes },
        () => copy[Math.floor(random() * size)] ?? {},
      ).map((event) => relocated(event, round, random));
      await update(client, sources[1] ?? "", chosen);
      return refreshed(client, merged);
    });
  } finally {
    for (const id of [merged, ...sources]) await remove(client, id);
  }
}

/** Up to 2 s later and 0.02° further north; its depth tells the round. */
function relocated(event: JsonObject, round: number, random: () => number): JsonObject {
  const micros = timeToMicros(String(event["time"])) + BigInt(Math.round(random() * 2e6));
  const latitude = Number(event["latitude"]) + random() * 0.02;
  return { ...event, time: microsToTime(micros, 6), latitude, depth: 1 + round };
}

async function update(
  client: ApiClient,
  source: string,
  events: readonly JsonObject[],
): Promise<void> {
  const path = `/api/catalogues/${source}/events`;
  const answer = await client.send("POST", path, { events, updateExisting: true });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

type Refreshed = { readonly added: number; readonly updated: number; readonly removed: number };

function refreshed(client: ApiClient, merged: string): Promise<number> {
  return secondsOf(async () => {
    const path = `/api/catalogues/${merged}/merge/refresh`;
    const { status, body } = await client.send<Refreshed>("POST", path, {});
    assert.equal(status, 200);
    assert.ok(body.added + body.updated + body.removed > 0);
  });
}

/** σ of a copy's errors: what two agencies differ by. */
const ERRORS = { seconds: 2, kilometres: 8 };

function originsOfEvents(events: Iterable<JsonObject>): Origin[] {
  return Array.from(events, (event) => ({
    source: 0,
    id: String(event["source_id"]),
    time: String(event["time"]),
    latitude: Number(event["latitude"]),
    longitude: Number(event["longitude"]),
  }));
}

/** The origins of a catalogue of `size` events and of its displaced copy, as a merge reads them: by time. */
function catalogueAndCopy(size: number): Origins {
  const events = originsOfEvents(generateEvents(1, size));
  const both = [...events, ...displacedCopy(events, ERRORS, randomOf(2))];
  return originsOf(both.sort(byTimeThenId));
}

/** Times of as many digits. */
function byTimeThenId(a: Origin, b: Origin): number {
  if (a.time === b.time) return a.id < b.id ? -1 : 1;
  return a.time < b.time ? -1 : 1;
}

/** The events of the same two catalogues as they are submitted. */
export function submittedCatalogueAndCopy(size: number): [JsonObject[], JsonObject[]] {
  const events = [...generateEvents(1, size)];
  return [events, submittedCopy(events, 2)];
}

/** The same earthquakes as another agency would submit them; another seed, another agency. */
function submittedCopy(events: readonly JsonObject[], seed: number): JsonObject[] {
  const displaced = displacedCopy(originsOfEvents(events), ERRORS, randomOf(seed));
  return events.map((event, i) => {
    const { time = "", latitude = 0, longitude = 0, id = "" } = displaced[i] ?? {};
    return { ...event, time, latitude, longitude, source_id: id };
  });
}

/** The sort that the grouping is measured against: rows by their time alone. */
function sortByTime({ length, seconds, micros }: Origins): Int32Array {
  const times = seconds.map((whole, row) => whole + (micros[row] ?? 0) / 1e6);
  return Int32Array.from({ length }, (_, row) => row).sort(
    (a, b) => (times[a] ?? 0) - (times[b] ?? 0),
  );
}
