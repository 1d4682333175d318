import { strict as assert } from "node:assert";
import { type BenchService, catalogueOf } from "../../support/bench-service.ts";
import { type Asking, openAsking } from "../asking.ts";
import { type Result, repeated, within } from "../measure.ts";

const CHANGED = 100;
const DIFF_MS = 10;

/** The difference of two versions of a large catalogue of which few events changed. */
export async function benchVersions(
  bench: BenchService,
  count: number,
  rounds: number,
): Promise<Result[]> {
  const id = await catalogueOf(bench.client, count);
  const results = await benchDifferences(bench, id, count, rounds);
  await bench.client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

/** Changes few events of a catalogue of `count`, and asks what changed in the version that this made. */
async function benchDifferences(
  { url, token, client, database }: BenchService,
  id: string,
  count: number,
  rounds: number,
) {
  const path = `/api/catalogues/${id}`;
  const size = `${count} events`;
  const asking = openAsking(url, token);
  try {
    const { events } = JSON.parse(
      (await asking.ask(`${path}/events/filtered?limit=${CHANGED}`)).body.toString(),
    );
    const changed = events.map(({ id: _id, ...event }: { id: string }) => ({
      ...event,
      region: "changed",
    }));
    const body = { events: changed, updateExisting: true };
    const { version } = (await client.send<{ version: number }>("POST", `${path}/events`, body))
      .body;
    await database.query("vacuum (analyze) read_model.seismic_events");
    const difference = `${path}/versions/${version}/diff?limit=${CHANGED}`;
    return [
      await diffOf(asking, difference, size, rounds),
      await diffOf(asking, `${difference}&minMagnitude=0`, size, rounds),
    ];
  } finally {
    asking.close();
  }
}

async function diffOf(asking: Asking, path: string, size: string, rounds: number): Promise<Result> {
  const first = JSON.parse((await asking.ask(path)).body.toString());
  assert.equal(first.changes.length, CHANGED);
  assert.equal(first.updated, CHANGED);
  const figures = await repeated(rounds, 0, async () => (await asking.ask(path)).milliseconds);
  const filtered = path.includes("minMagnitude") ? ", filtered" : "";
  const name = `difference of versions, ${CHANGED} changes${filtered}`;
  return within([name, size, "ms"], DIFF_MS, figures);
}
