import { strict as assert } from "node:assert";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import { exportAll } from "../bench-export.ts";
import type { BenchService } from "../bench-service.ts";
import { type Asking, openAsking } from "../reading/ask.ts";
import { type Result, within } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const CHANGED = 100;
const DIFF_MS = 10;
/** Times the export as JSON. */
const HASH_TARGET = 2;

/** The difference of two versions of a large catalogue of which few events changed, and a version's hash. */
export async function benchVersions(
  bench: BenchService,
  count: number,
  rounds: number,
): Promise<Result[]> {
  const id = await catalogueOf(bench.client, count);
  const { results, version } = await benchDifferences(bench, id, count, rounds);
  const hash = await hashing(bench.client, id, { version, count });
  await bench.client.send("DELETE", `/api/catalogues/${id}`);
  return [...results, hash];
}

/** Changes few events of a catalogue of `count`, and asks what changed in the version that this made. */
export async function benchDifferences(
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
    const results = [
      await diffOf(asking, difference, size, rounds),
      await diffOf(asking, `${difference}&minMagnitude=0`, size, rounds),
      await diffOf(asking, `${difference}&from=0`, size, rounds),
    ];
    return { results, version };
  } finally {
    asking.close();
  }
}

/** A page of the difference; without a target where every event of the catalogue is one. */
async function diffOf(asking: Asking, path: string, size: string, rounds: number): Promise<Result> {
  const isWhole = path.includes("from=0");
  const first = JSON.parse((await asking.ask(path)).body.toString());
  assert.equal(first.changes.length, CHANGED);
  if (!isWhole) assert.equal(first.updated, CHANGED);
  const figures: number[] = [];
  for (let i = 0; i < rounds; i += 1) figures.push((await asking.ask(path)).milliseconds);
  const result = within(DIFF_MS, figures);
  const filtered = path.includes("minMagnitude") ? ", filtered" : "";
  const what = isWhole ? "a page of all as added" : `${CHANGED} changes${filtered}`;
  return {
    case: `difference of versions, ${what}`,
    size,
    unit: "ms",
    ...result,
    target: isWhole ? null : result.target,
  };
}

async function hashing(
  client: BenchService["client"],
  id: string,
  { version, count }: { readonly version: number; readonly count: number },
): Promise<Result> {
  const exported: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    exported.push(await secondsOf(() => exportAll(client, id, "json", count)));
  }
  const hashed: number[] = [];
  for (const n of [version, version - 1]) {
    hashed.push(
      await secondsOf(async () => {
        const { body } = await client.get<{ version: VersionRecord }>(
          `/api/catalogues/${id}/versions/${n}`,
        );
        assert.match(body.version.sha256 ?? "", /^[0-9a-f]{64}$/);
      }),
    );
  }
  const [ours, yardstickFigure] = [spreadOf(hashed), spreadOf(exported)];
  return {
    case: "canonical hash of a version, once",
    size: `${count} events`,
    unit: "s",
    ours,
    yardstick: "its export as JSON",
    yardstickFigure,
    ratio: ours.median / yardstickFigure.median,
    target: HASH_TARGET,
  };
}
