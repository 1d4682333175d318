import { strict as assert } from "node:assert";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Job } from "#contracts/http/jobs.ts";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin, Origins } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../../support/bench-service.ts";
import { generateEvents, randomOf } from "../../support/generate-catalogue.ts";
import { displacedCopy } from "../../support/merge/displaced-copy.ts";
import { originsOf } from "../../support/origins-of.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { compareBetween, type Result, secondsOf, spreadOf, within } from "../measure.ts";

const CONFIG = {
  timeThreshold: 16,
  distanceThreshold: 50,
  mergeStrategy: "quality",
  priority: "",
} as const;
/** Events of each source of a merge that is not counted. */
const WARM_UP = 10_000;
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
): Promise<Result[]> {
  const material = submittedCatalogueAndCopy(size);
  // Making it has taken longer than idle connections are kept: their end is heard of before they are used.
  await setImmediate();
  const sources: string[] = [];
  for (const events of material) sources.push(await create(client, events));
  const merged: number[] = [];
  const exported: number[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    let result = "";
    merged.push(
      await secondsOf(async () => {
        result = await merge(client, sources);
      }),
    );
    const events = await eventsOf(client, result);
    await remove(client, result);
    const bodies = bodiesOf(events);
    exported.push(
      await secondsOf(async () => {
        for (const id of sources) await drain(client, id);
        result = await post(client, bodies);
      }),
    );
    await remove(client, result);
  }
  for (const id of sources) await remove(client, id);
  const label = `2 × ${size} events`;
  const ratios = merged.map((s, i) => s / (exported[i] ?? Number.NaN));
  return [
    {
      case: "merge until visible",
      size: label,
      unit: "s",
      ours: spreadOf(merged),
      yardstick: "exporting the sources as JSON and POST of the result",
      yardstickFigure: spreadOf(exported),
      ratio: spreadOf(ratios).median,
      target: 1.3,
    },
  ];
}

/** What twice the events cost, from the same case at two sizes. */
export async function benchMergeGrowth(
  bench: BenchService,
  [small, large]: readonly [number, number],
): Promise<Result[]> {
  await benchMerge(bench, WARM_UP, 1);
  const smaller = await benchMerge(bench, small, 2);
  const larger = await benchMerge(bench, large, 1);
  const [before, after] = [smaller[0], larger[0]];
  if (!before || !after) return [];
  const growth = after.ours.median / before.ours.median;
  return [
    ...smaller,
    ...larger,
    {
      ...after,
      case: "merge until visible, per doubling",
      yardstick: `2 × ${small} events`,
      yardstickFigure: before.ours,
      ratio: growth ** (1 / Math.log2(large / small)),
      target: 2.3,
    },
  ];
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
  return post(client, bodiesOf(texts, perRequest));
}

async function post(client: ApiClient, bodies: readonly Buffer[]): Promise<string> {
  let id = "";
  for (const body of bodies) {
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    const answer = await client.send<{ id: string }>("POST", path, body);
    if (answer.status >= 300) throw new Error(`creating answered ${JSON.stringify(answer.body)}`);
    if (id === "") ({ id } = answer.body);
  }
  return id;
}

async function drain(client: ApiClient, id: string): Promise<void> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=json`);
  for await (const piece of response.body ?? []) if (piece.length === 0) return;
}

export async function remove(client: ApiClient, id: string): Promise<void> {
  await client.send("DELETE", `/api/catalogues/${id}`);
}

const RULES = { thresholds: thresholdsOf(16, 50) };
const WARM_UPS = 2;

/** Grouping two catalogues of `size` events in this process, against sorts and against half of it. */
export async function benchGrouping(size: number, repetitions: number): Promise<Result[]> {
  const [whole, half] = [catalogueAndCopy(size), catalogueAndCopy(size / 2)];
  const against = async (
    yardstick: string,
    target: number,
    rounds: number,
    work: () => unknown,
  ): Promise<Result> => ({
    case: "grouping alone",
    size: `2 × ${size} events`,
    unit: "s",
    yardstick,
    ...(await compareBetween(
      rounds,
      async () => groupEvents(whole, RULES),
      async () => work(),
      WARM_UPS,
    )),
    target,
  });
  return [
    await against("three sorts by time", 1, Math.ceil(repetitions / 3), () => {
      for (let sorts = 0; sorts < 3; sorts += 1) sortByTime(whole);
    }),
    await against("half the events", 2.3, repetitions, () => groupEvents(half, RULES)),
  ];
}

/** Resident memory that a merge may take, MiB. */
export const MERGING_MIB = 1_536;
const POLLS_MS = 500;
/** So that this process holds little beside the events. */
const EVENTS_PER_REQUEST = 100_000;

/** Resident memory of a service that has done nothing else while it merges three sources of `size` events each. */
export async function benchMergeMemory(
  { client, startAnother }: BenchService,
  size: number,
): Promise<Result[]> {
  const events = [...generateEvents(1, size)];
  const sources = [await create(client, events, EVENTS_PER_REQUEST)];
  for (const seed of [2, 3]) {
    sources.push(await create(client, submittedCopy(events, seed), EVENTS_PER_REQUEST));
  }
  const { process, signIn } = await startAnother();
  try {
    const fresh = await signIn();
    let merged = "";
    const peak = await peakMemoryOf(process.pid, async () => {
      merged = await mergeInBackground(fresh, sources);
    });
    for (const id of [merged, ...sources]) await remove(client, id);
    return [
      {
        case: "peak memory while merging",
        size: `3 × ${size} events`,
        unit: "MiB",
        ...within(MERGING_MIB, [peak]),
      },
    ];
  } finally {
    await process.stop();
  }
}

/** A request would end before so large a merge does. */
export async function mergeInBackground(
  client: ApiClient,
  sources: readonly string[],
): Promise<string> {
  const prefer = { prefer: "respond-async" };
  const body = mergeForm(sources);
  const started = await client.send<{ operationId: string }>("POST", "/api/merge", body, prefer);
  assert.equal(started.status, 202);
  for (;;) {
    const path = `/api/operations/${started.body.operationId}`;
    const { operation } = (await client.get<{ operation: Job }>(path)).body;
    assert.notEqual(operation.status, "failed", JSON.stringify(operation));
    if (operation.status === "succeeded") {
      const { catalogueId } = operation.result as { catalogueId: string };
      return catalogueId;
    }
    await setTimeout(POLLS_MS);
  }
}

/** Changes of a source before a refresh, and many. */
const FEW = 100;
const MANY = 1_000;
const SECONDS = 1;
/** What twice the events may cost. */
const FLAT = 1.3;

type Times = { readonly preview: number[]; readonly refresh: number[] };

/**
 * A refresh after 100 changes of a source, and its preview, at two sizes of the sources; and after 1,000, which
 * takes longer.
 */
export async function benchMergeRefresh(
  { client }: BenchService,
  [small, large]: readonly [number, number],
  rounds: number,
): Promise<Result[]> {
  const smaller = await withMerge(client, small, (change) => timesOf(change, FEW, rounds));
  const larger = await withMerge(client, large, async (change) => ({
    few: await timesOf(change, FEW, rounds),
    many: await timesOf(change, MANY, rounds),
  }));
  return [
    ...among(large, larger.few, FEW),
    flat("refresh of a merge", [small, smaller.refresh], [large, larger.few.refresh]),
    flat("preview of a refresh", [small, smaller.preview], [large, larger.few.preview]),
    {
      case: `refresh of a merge, ${MANY} changes`,
      size: `2 × ${large} events`,
      unit: "s",
      ours: spreadOf(larger.many.refresh),
      yardstick: `${FEW} changes`,
      yardstickFigure: spreadOf(larger.few.refresh),
      ratio: spreadOf(larger.many.refresh).median / spreadOf(larger.few.refresh).median,
      target: MANY / FEW,
    },
  ];
}

function among(size: number, { preview, refresh }: Times, changes: number): Result[] {
  const common = { size: `2 × ${size} events`, unit: "s" };
  return [
    { case: `refresh of a merge, ${changes} changes`, ...common, ...within(SECONDS, refresh) },
    { case: `preview of a refresh, ${changes} changes`, ...common, ...within(SECONDS, preview) },
  ];
}

function flat(
  name: string,
  [small, before]: readonly [number, readonly number[]],
  [large, after]: readonly [number, readonly number[]],
): Result {
  const [ours, yardstickFigure] = [spreadOf(after), spreadOf(before)];
  return {
    case: `${name}, ${FEW} changes`,
    size: `2 × ${large} events`,
    unit: "s",
    ours,
    yardstick: `2 × ${small} events`,
    yardstickFigure,
    ratio: ours.median / yardstickFigure.median,
    target: FLAT,
  };
}

/** Changes that many events of a source, then previews and refreshes the merge. */
type Change = (changes: number, round: number) => Promise<{ preview: number; refresh: number }>;

async function timesOf(change: Change, changes: number, rounds: number): Promise<Times> {
  const times: Times = { preview: [], refresh: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const { preview, refresh } = await change(changes, round);
    // The first warms up.
    if (round === 0) continue;
    times.preview.push(preview);
    times.refresh.push(refresh);
  }
  return times;
}

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
      return timesOfOne(client, merged);
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

async function timesOfOne(client: ApiClient, merged: string) {
  const path = `/api/catalogues/${merged}/merge`;
  let expected = 0;
  const preview = await secondsOf(async () => {
    const { status, body } = await client.send<Refreshed>("POST", `${path}/preview`, {});
    assert.equal(status, 200);
    expected = body.added + body.updated + body.removed;
  });
  const refresh = await secondsOf(async () => {
    const { status, body } = await client.send<Refreshed>("POST", `${path}/refresh`, {});
    assert.equal(status, 200);
    assert.equal(body.added + body.updated + body.removed, expected);
  });
  assert.ok(expected > 0);
  return { preview, refresh };
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
export function submittedCopy(events: readonly JsonObject[], seed: number): JsonObject[] {
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
