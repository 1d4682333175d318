import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { catalogueStream } from "#contracts/events/log.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { fromRecorded, toNewEvents } from "#infra/log/domain-events.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import type { ApiClient } from "../../support/api-client.ts";
import {
  type BenchService,
  catalogueOf,
  createBy,
  exportAll,
  remove,
} from "../../support/bench-service.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { type Asking, openAsking } from "../asking.ts";
import { beside, inTurn, medians, type Result, repeated, secondsOf, within } from "../measure.ts";

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
    ];
    return { results, version };
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

async function hashing(
  client: ApiClient,
  id: string,
  { version, count }: { readonly version: number; readonly count: number },
): Promise<Result> {
  const exported = await repeated(2, 0, () =>
    secondsOf(() => exportAll(client, id, "json", count)),
  );
  const hashed = await repeated(2, 0, (i) =>
    secondsOf(async () => {
      const path = `/api/catalogues/${id}/versions/${version - i}`;
      const { body } = await client.get<{ version: VersionRecord }>(path);
      assert.match(body.version.sha256 ?? "", /^[0-9a-f]{64}$/);
    }),
  );
  return beside(
    ["canonical hash of a version, once", `${count} events`, "s"],
    ["its export as JSON", HASH_TARGET],
    medians(hashed, exported),
  );
}

const TARGET = 1.5;
/** Every fifth event is superseded. */
const SUPERSEDED = 5;

/** What is read, by name. */
const READS = {
  "10,000 filtered events": "/filtered?minMagnitude=1",
  "page of 50": "?pagination=cursor&limit=50",
} as const;

/**
 * The first version of a catalogue, of which a fifth was superseded, against the latest: the median
 * time of the same reads, in turn. The first version has to answer as it did before there was another.
 */
export async function benchAsOf(
  { url, token, client, database }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const events = [...generateEvents(count, count)];
  const id = await createBy(client, [{ name: "bench", events }]);
  const asking = openAsking(url, token);
  const path = `/api/catalogues/${id}/events`;
  const reads = Object.entries(READS).map(([name, read]) => ({ name, latest: path + read }));
  const before = new Map<string, string>();
  for (const { name, latest } of reads) before.set(name, await eventsOf(latest));
  const changed = events
    .filter((_, i) => i % SUPERSEDED === 0)
    .map((event) => ({ ...event, region: "superseded" }));
  const form = { events: changed, updateExisting: true };
  const { body } = await client.send<{ updatedEvents: number }>("POST", path, form);
  assert.equal(body.updatedEvents, changed.length);
  await database.query("vacuum (analyze) read_model.seismic_events");

  async function eventsOf(asked: string): Promise<string> {
    return JSON.stringify(JSON.parse((await asking.ask(asked)).body.toString()).events);
  }

  const results: Result[] = [];
  for (const { name, latest } of reads) {
    const old = `${latest}&asOf=1`;
    assert.equal(await eventsOf(old), before.get(name));
    assert.notEqual(await eventsOf(latest), before.get(name));
    const milliseconds = async (asked: string) => (await asking.ask(asked)).milliseconds;
    results.push(
      beside(
        [`asOf an old version, ${name}`, `${count} events`, "ms"],
        ["the latest version", TARGET],
        await inTurn(
          repetitions,
          1,
          () => milliseconds(old),
          () => milliseconds(latest),
        ),
      ),
    );
  }
  asking.close();
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

const EDITS_TARGET = 1.2;
const EVENTS = 1_000;
const YOUNG = 10;
/** Events in one append, which may have a megabyte. */
const APPENDED = 1_000;

/** An edit of one event in a catalogue of very many versions, and the same in a young one, in turn. */
export async function benchEdits(
  bench: Pick<BenchService, "client" | "databaseUrl">,
  versions: number,
  rounds: number,
): Promise<Result[]> {
  const { client } = bench;
  const old = await catalogueAt(bench, versions);
  const young = await catalogueAt(bench, YOUNG);
  // The first reads what no state is kept of yet.
  const comparison = await inTurn(
    rounds,
    1,
    (i) => edit(client, old, i + 1),
    (i) => edit(client, young, i + 1),
  );
  for (const { id } of [old, young]) await remove(client, id);
  return [
    beside(
      ["an edit of a catalogue of many versions", `${versions} versions`, "ms"],
      [`at version ${YOUNG}`, EDITS_TARGET],
      comparison,
    ),
  ];
}

type Edited = { readonly id: string; readonly events: readonly string[] };

async function edit(client: ApiClient, { id, events }: Edited, round: number): Promise<number> {
  const path = `/api/catalogues/${id}/events/${events[round % events.length]}`;
  const seconds = await secondsOf(async () => {
    const { status } = await client.send("PATCH", path, { depth: 1 + round / 1_000 });
    assert.equal(status, 200);
  });
  return 1_000 * seconds;
}

/** A catalogue whose versions after the first change nothing, appended to the log as they would be written. */
async function catalogueAt(
  { client, databaseUrl }: Pick<BenchService, "client" | "databaseUrl">,
  last: number,
): Promise<Edited> {
  const id = await catalogueOf(client, EVENTS);
  const path = `/api/catalogues/${id}`;
  const { body } = await client.get<{ events: { id: string }[] }>(`${path}/events?limit=100`);
  const log = await createPostgresEventLog(databaseUrl);
  try {
    const stream = catalogueStream(id);
    const written = await log.read(stream, 0, APPENDED);
    const commit = written.map(fromRecorded).find(({ type }) => type === "RevisionCommitted");
    if (commit?.type !== "RevisionCommitted") throw new Error("no version");
    const counts = { chunks: 0, added: 0, updated: 0, removed: 0 };
    const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
    let revision = written.length - 1;
    for (let version = 2; version <= last; ) {
      const events = [];
      for (; version <= last && events.length < APPENDED; version += 1) {
        const data = { ...commit.data, ...counts, cause: "edit", revision: version } as const;
        const opened = { catalogueId: id, revision: version, cause: "edit", worker: "-" } as const;
        events.push({ type: "RevisionOpened", data: opened } as const);
        events.push({ type: "RevisionCommitted", data } as const);
      }
      await log.append(stream, revision, toNewEvents(stream, revision + 1, events, origin));
      revision += events.length;
    }
  } finally {
    await log.close();
  }
  while ((await client.get<Catalogue>(path)).body.version < last) await setTimeout(200);
  return { id, events: body.events.map((event) => event.id) };
}
