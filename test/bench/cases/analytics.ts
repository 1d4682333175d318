import { strict as assert } from "node:assert";
import type { BenchService, SharedCatalogue } from "../../support/bench-service.ts";
import { type Asking, openAsking } from "../asking.ts";
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
