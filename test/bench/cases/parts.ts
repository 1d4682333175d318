import { join } from "node:path";
import { Transform } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { PartsManifest } from "#contracts/http/parts.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { publishParts } from "#services/parts/publish.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf } from "../../support/bench-service.ts";
import { hasPython, spawnPython } from "../../support/clients/python.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { startTcpRelay } from "../../support/tcp-relay.ts";
import { smallGetsWhile } from "../asking.ts";
import { type Result, timed, within } from "../measure.ts";

const SCRIPT = join(import.meta.dirname, "parts_statement.py");

/** Events a second: 10,000,000 in three minutes. */
const PUBLISHED_PER_SECOND = 10_000_000 / 180;
const PUBLISHING_MIB = 400;
const IDLE_GETS = 3_000;
const CHANGED = 1_000;
const CHANGING = { seconds: 2, bytes: 1_000_000 };
/** Of a version, after its commit. */
const READABLE_SECONDS = 60;
const MONTH = { seconds: 0.5, share: 0.01 };
const AS_OF_SECONDS = 2.3;

/** What it takes to publish a catalogue, to publish changes of it, and for DuckDB to read both over HTTP. */
export async function benchParts(bench: BenchService, events: number): Promise<Result[]> {
  const { client, shared, url, pid } = bench;
  const { id } = await shared.of(events);
  const size = `${events} events`;
  const other = await catalogueOf(client, 1);
  const address = `${url}/api/catalogues/${other}`;
  let seconds = Number.NaN;
  let peak = Number.NaN;
  const asked = await smallGetsWhile("publishing", size, address, IDLE_GETS, async () => {
    [peak, [seconds]] = await peakMemoryOf(pid, () => timed(() => published(client, id, 1)));
  });
  const limit = events / PUBLISHED_PER_SECOND;
  return [
    within(["publishing all parts", size, "s"], limit, [seconds]),
    within(["peak memory of it", size, "MiB"], PUBLISHING_MIB, [peak]),
    asked,
    ...(await changesOf(bench, id, size)),
    ...(hasPython ? await readsOf(bench, id, size) : noPython()),
  ];
}

function noPython(): [] {
  console.error("DuckDB is not installed (.ci/run does that): it reads no parts");
  return [];
}

/** The manifest, once it is of a version or a later one; asks for parts. */
async function published(client: ApiClient, id: string, version: number): Promise<PartsManifest> {
  await client.send("PATCH", `/api/catalogues/${id}`, { parts: true });
  for (;;) {
    const path = `/api/catalogues/${id}/parts/manifest.json`;
    const { status, body } = await client.get<PartsManifest>(path);
    if (status === 200 && body.version >= version) return body;
    await wait(100);
  }
}

/** Changes some of a catalogue's newest events. @returns the version with the changes */
async function change(client: ApiClient, id: string, count: number): Promise<number> {
  const path = `/api/catalogues/${id}/events`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(`${path}?pageSize=${count}`);
  const events = body.events.map(({ source_id, time, latitude, longitude, magnitude }) => ({
    ...{ source_id, time, latitude, longitude, magnitude },
    depth: count / 100,
  }));
  const form = { events, updateExisting: true };
  const { status, body: made } = await client.send<{ version: number }>("POST", path, form);
  if (status >= 300) throw new Error(`changing answered ${JSON.stringify(made)}`);
  return made.version;
}

async function changesOf(
  { client, database, partsDir }: BenchService,
  id: string,
  size: string,
): Promise<Result[]> {
  const version = await change(client, id, 1);
  const [readable] = await timed(() => published(client, id, version));
  await change(client, id, CHANGED);
  const [latest] = await versionsForParts(statementsOn(database), id);
  if (latest === undefined) throw new Error("the catalogue is gone");
  const [seconds, { changes }] = await timed(() =>
    publishParts(database, join(partsDir, id), latest),
  );
  const [part] = changes.slice(-1);
  if (part?.rows !== CHANGED) throw new Error(`there are ${part?.rows} changes`);
  const changed = `${CHANGED} changes of ${size}`;
  return [
    within(["readable after the commit", `1 change of ${size}`, "s"], READABLE_SECONDS, [readable]),
    within(["publishing changes", changed, "s"], CHANGING.seconds, [seconds]),
    within(["their file", changed, "bytes"], CHANGING.bytes, [part.bytes]),
  ];
}

/** In the middle of the catalogue: its number of events, and the mean magnitude of a version. */
async function readsOf({ client, url }: BenchService, id: string, size: string): Promise<Result[]> {
  const manifest = await published(client, id, 1);
  const middle = manifest.base.files[Math.floor(manifest.base.files.length / 2)];
  const made = await client.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${id}/shares`,
    {},
  );
  let bytes = 0;
  const count = () =>
    new Transform({
      transform(piece, _encoding, done) {
        bytes += piece.length;
        done(null, piece);
      },
    });
  const relay = await startTcpRelay(() => Number(new URL(url).port), count);
  try {
    const { pathname } = new URL(made.body.share.url);
    const addressOf = ({ path }: { readonly path: string }) =>
      `http://127.0.0.1:${relay.port}${pathname}/parts/${path}`;
    const ask = async (statement: string) => {
      bytes = 0;
      const { child, output } = spawnPython("python", [SCRIPT]);
      const [base, changes] = [manifest.base.files.map(addressOf), manifest.changes.map(addressOf)];
      child.stdin?.end(JSON.stringify({ base, changes, statement }));
      return JSON.parse((await output).stdout) as [seconds: number, row: number[]];
    };
    const start = `timestamptz '${middle?.bounds.start_time?.slice(0, 7)}-01'`;
    const [monthly] = await ask(
      `select count(*) from read_parquet(getvariable('base'), hive_partitioning = true)
       where year = ${middle?.year} and time >= ${start} and time < ${start} + interval 1 month`,
    );
    const all = [...manifest.base.files, ...manifest.changes].reduce(
      (sum, part) => sum + part.bytes,
      0,
    );
    const share = bytes / all;
    const [asOf, [rows]] = await ask(
      `with changed as (
         select * from read_parquet(getvariable('changes'), union_by_name = true)
         where version <= ${manifest.version}
         qualify row_number() over (partition by id order by version desc) = 1)
       select count(*), avg(magnitude) from (
         select id, magnitude from read_parquet(getvariable('base')) anti join changed using (id)
         union all select id, magnitude from changed where change <> 'removed')`,
    );
    if (rows !== manifest.event_count) throw new Error(`there are ${rows} events`);
    return [
      within(["a month by DuckDB over HTTP", size, "s"], MONTH.seconds, [monthly]),
      within(["what it reads of all bytes", size, ""], MONTH.share, [share]),
      within(["mean magnitude as of a version", size, "s"], AS_OF_SECONDS, [asOf]),
    ];
  } finally {
    await relay.close();
  }
}
