import { strict as assert } from "node:assert";
import { setTimeout } from "node:timers/promises";
import { aftershockSequences } from "../../support/statistics/aftershock-sequences.ts";
import type { BenchService } from "../bench-service.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import { type Result, within } from "../report.ts";
import { smallGetsWhile } from "../small-gets.ts";
import { secondsOf } from "../statistics.ts";

const SECONDS = { "gardner-knopoff": 8, reasenberg: 60, "nearest-neighbour": 15 } as const;
type Method = keyof typeof SECONDS;
/** The method beside which others are answered. */
const BESIDE: Method = "gardner-knopoff";
const IDLE_GETS = 1_000;
const MEMORY_MIB = 1_024;

/** Events of the synthetic catalogue for each of its main events. */
const EVENTS_PER_MAIN = 2;

/** Declustering of a catalogue of aftershock sequences, in the background, until its result is there. */
export async function benchDeclustering(
  bench: BenchService,
  sizes: Readonly<Record<Method, number>>,
): Promise<Result[]> {
  const { client } = bench;
  const results: Result[] = [];
  for (const [method, size] of Object.entries(sizes) as [Method, number][]) {
    const id = await sequencesOf(client, size);
    const seconds = await secondsOf(() => declustered(client, id, method));
    const figures = within(SECONDS[method], [seconds]);
    results.push({
      case: `declustering, ${method}`,
      size: `${size} events`,
      unit: "s",
      ...figures,
    });
    if (method === BESIDE) results.push(...(await beside(bench, id, size)));
    await client.send("DELETE", `/api/catalogues/${id}`);
  }
  return results;
}

/** Small GETs beside another run, and the memory that it takes. */
async function beside(
  { client, url, pid }: BenchService,
  id: string,
  count: number,
): Promise<Result[]> {
  const address = `${url}/api/catalogues/${id}`;
  const size = `${count} events`;
  const memory: number[] = [];
  const gets = await smallGetsWhile("declustering", size, address, IDLE_GETS, async () => {
    memory.push(await peakMemoryOf(pid, () => declustered(client, id, BESIDE)));
  });
  const peak = { case: "declustering, peak memory", size, unit: "MiB" as const };
  return [gets, { ...peak, ...within(MEMORY_MIB, memory) }];
}

async function declustered(client: Client, id: string, method: Method): Promise<void> {
  const { body } = await client.send<{ operationId: string }>(
    "POST",
    `/api/catalogues/${id}/analytics/decluster`,
    { method },
    { prefer: "respond-async" },
  );
  await untilSucceeded(client, body.operationId);
}

type Client = BenchService["client"];

const PER_REQUEST = 250_000;

/** A catalogue of exactly `count` events of aftershock sequences. */
async function sequencesOf(client: Client, count: number): Promise<string> {
  const events = aftershockSequences(Math.ceil(count / EVENTS_PER_MAIN) + 2_000, 4_711)
    .slice(0, count)
    .map(({ time, ...event }, i) => ({
      ...event,
      time: new Date(time).toISOString(),
      source_id: `s${i}`,
    }));
  assert.equal(events.length, count);
  let id = "";
  for (let from = 0; from < count; from += PER_REQUEST) {
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    const body = { name: "sequences", events: events.slice(from, from + PER_REQUEST) };
    const answer = await client.send<{ id: string }>("POST", path, body);
    if (answer.status >= 300) throw new Error(`creating answered ${answer.status}`);
    if (id === "") ({ id } = answer.body);
  }
  return id;
}

const ASK_MS = 200;

async function untilSucceeded(client: Client, operationId: string): Promise<void> {
  for (;;) {
    await setTimeout(ASK_MS);
    const { body } = await client.get<{ operation: { status: string; error?: object } }>(
      `/api/operations/${operationId}`,
    );
    const { status, error } = body.operation;
    if (status === "succeeded") return;
    if (status !== "running") throw new Error(`declustering ${status}: ${JSON.stringify(error)}`);
  }
}
