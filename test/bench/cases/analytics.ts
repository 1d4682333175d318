import { strict as assert } from "node:assert";
import { setTimeout } from "node:timers/promises";
import type { BenchService, SharedCatalogue } from "../../support/bench-service.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { aftershockSequences } from "../../support/statistics/synthetic.ts";
import { type Asking, openAsking, smallGetsWhile } from "../asking.ts";
import { type Result, secondsOf, spreadOf, within } from "../measure.ts";

/** Times the bare aggregate, of an analysis that nobody asked for before. */
const COLD_TARGET = 1.5;
const AGAIN_MS = 3;

/** The least that PostgreSQL has to do for each analysis, of the rows of one version. */
const AGGREGATES: Readonly<Record<string, string>> = {
  "magnitude-frequency": "select floor(magnitude / 0.1 + 0.5), count(*)",
  completeness: "select floor(magnitude / 0.1 + 0.5), count(*)",
  "b-value": "select floor(magnitude / 0.1 + 0.5), count(*)",
  rates: "select date_trunc('month', time), count(*)",
  depths: "select floor(depth / 5), count(*)",
  density: "select floor(longitude / 0.1) + 3600 * floor(latitude / 0.1), count(*)",
};

/** Analyses of a large catalogue. */
export async function benchAnalytics(
  bench: BenchService,
  count: number,
  rounds: number,
): Promise<Result[]> {
  const { shared, url, token } = bench;
  const catalogue = await shared.of(count);
  const asking = openAsking(url, token);
  try {
    const results: Result[] = [];
    for (const [path, aggregate] of Object.entries(AGGREGATES)) {
      results.push(...(await analysis(bench, asking, { catalogue, path, aggregate, rounds })));
    }
    return results;
  } finally {
    asking.close();
  }
}

type Asked = {
  readonly catalogue: SharedCatalogue;
  readonly path: string;
  readonly aggregate: string;
  readonly rounds: number;
};

async function analysis(
  { database }: BenchService,
  { ask }: Asking,
  { catalogue, path, aggregate, rounds }: Asked,
): Promise<Result[]> {
  const { id, key, version, events: count } = catalogue;
  // Another bound below every magnitude each time, so that nothing is known of it.
  let bound = -9;
  const cold: number[] = [];
  const bare: number[] = [];
  const again: number[] = [];
  for (let i = 0; i <= rounds; i += 1) {
    bound -= 0.001;
    const address = `/api/catalogues/${id}/analytics/${path}?minMagnitude=${bound}`;
    const first = await ask(address);
    const { input } = JSON.parse(first.body.toString());
    assert.equal(input.events, count);
    const sql = `${aggregate} from read_model.seismic_events
      where catalogue_key = ${key} and revision_from <= ${version}
        and (revision_to is null or revision_to > ${version})
        and coalesce(magnitude, '-infinity') >= ${bound} group by 1`;
    const bareSeconds = await secondsOf(() => database.query(sql));
    if (i === 0) continue;
    cold.push(first.milliseconds);
    bare.push(bareSeconds * 1_000);
    again.push((await ask(address)).milliseconds);
  }
  const [ours, yardstickFigure] = [spreadOf(cold), spreadOf(bare)];
  const size = `${count} events`;
  return [
    {
      case: `analytics, ${path}`,
      size,
      unit: "ms",
      ours,
      yardstick: "the bare aggregate",
      yardstickFigure,
      ratio: ours.median / yardstickFigure.median,
      target: COLD_TARGET,
    },
    { case: `analytics, ${path}, again`, size, unit: "ms", ...within(AGAIN_MS, again) },
  ];
}

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
