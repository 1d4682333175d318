import { setImmediate } from "node:timers/promises";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../bench-service.ts";
import { submittedCatalogueAndCopy } from "../merge-material.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

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

export function mergeForm(ids: readonly string[]) {
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
