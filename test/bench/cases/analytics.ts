import { strict as assert } from "node:assert";
import type { BenchService, SharedCatalogue } from "../../support/bench-service.ts";
import { createBy, resultOf } from "../../support/bench-service.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { aftershockSequences } from "../../support/statistics/synthetic.ts";
import { type Asking, openAsking, smallGetsWhile } from "../asking.ts";
import { beside, medians, type Result, secondsOf, within } from "../measure.ts";

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
    for (const aggregate of Object.entries(AGGREGATES)) {
      results.push(...(await analysis(bench, asking, catalogue, aggregate, rounds)));
    }
    return results;
  } finally {
    asking.close();
  }
}

async function analysis(
  { database }: BenchService,
  { ask }: Asking,
  { id, key, version, events: count }: SharedCatalogue,
  [path, aggregate]: readonly [string, string],
  rounds: number,
): Promise<Result[]> {
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
  const size = `${count} events`;
  const comparison = medians(cold, bare);
  return [
    beside([`analytics, ${path}`, size, "ms"], ["the bare aggregate", COLD_TARGET], comparison),
    within([`analytics, ${path}, again`, size, "ms"], AGAIN_MS, again),
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
    const limit = SECONDS[method];
    results.push(within([`declustering, ${method}`, `${size} events`, "s"], limit, [seconds]));
    if (method === BESIDE) results.push(...(await besideAnother(bench, id, size)));
    await client.send("DELETE", `/api/catalogues/${id}`);
  }
  return results;
}

/** Small GETs beside another run, and the memory that it takes. */
async function besideAnother(
  { client, url, pid }: BenchService,
  id: string,
  count: number,
): Promise<Result[]> {
  const address = `${url}/api/catalogues/${id}`;
  const size = `${count} events`;
  let peak = Number.NaN;
  const gets = await smallGetsWhile("declustering", size, address, IDLE_GETS, async () => {
    [peak] = await peakMemoryOf(pid, () => declustered(client, id, BESIDE));
  });
  return [gets, within(["declustering, peak memory", size, "MiB"], MEMORY_MIB, [peak])];
}

function declustered(client: Client, id: string, method: Method): Promise<unknown> {
  return resultOf(client, `/api/catalogues/${id}/analytics/decluster`, { method });
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
  const pieces = Array.from({ length: Math.ceil(count / PER_REQUEST) }, (_, i) => ({
    name: "sequences",
    events: events.slice(i * PER_REQUEST, (i + 1) * PER_REQUEST),
  }));
  return createBy(client, pieces);
}
