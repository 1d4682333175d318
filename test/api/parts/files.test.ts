import { createHash } from "node:crypto";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { PARTS, type PartsManifest } from "#contracts/http/parts.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { publishParts } from "#services/parts/publish.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { CONFIG } from "../../support/api/merges.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { type CliAnswer, cli } from "../../support/cli.ts";
import { readParquet } from "../../support/columnar.ts";
import { eventsAt, hashOfParts, manifestOf, rowsOf } from "../../support/parts.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const service = sharedService();
const editor = service.client("editor");

let session: Session;

beforeAll(async () => {
  session = await openSession(service.databaseUrl, "parts of tests");
  return () => session.close();
});

/** As operators do. */
function publish(id: string, to: string): Promise<CliAnswer> {
  const env = { DATABASE_URL: service.databaseUrl, PUBLIC_BASE_URL: "http://localhost" };
  return cli(env, "publish", "--catalogue", id, "--to", to);
}

async function published(id: string, to: string): Promise<PartsManifest> {
  const { client } = session;
  const [latest] = await versionsForParts(statementsOn(client), id);
  if (latest === undefined) throw new Error("there is no such catalogue");
  const manifest = await publishParts(client, join(to, id), latest);
  expect(await manifestOf(join(to, id))).toEqual(manifest);
  return manifest;
}

type VersionRecord = { version: { event_count: number; sha256: string; content_hash: string } };

async function recordOf(client: ApiClient, id: string, version: number) {
  const { body } = await client.get<VersionRecord>(`/api/catalogues/${id}/versions/${version}`);
  return body.version;
}

/** Events of several years, one at the last microsecond of a year, with what may be absent. */
const EVENTS = [
  seismicEvent({ time: "1043-02-03T00:00:00Z", magnitude: null, depth: null }),
  seismicEvent({ time: "1855-01-23T09:32:00Z", magnitude: 8.2, latitude: -41.4 }),
  seismicEvent({ time: "2015-12-31T23:59:59.999999Z", magnitude: 3 }),
  seismicEvent({ time: "2016-01-01T00:00:00Z", magnitude: 3, longitude: -179.5 }),
  seismicEvent({ time: "2016-11-13T11:02:56.340Z", extra: { "naïve — ✓": [1, null] } }),
];

test("a base is files by year, sorted, with their bounds, and an overview of the largest first", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const to = await temporaryDirectory();
  const manifest = await published(id, to);
  const record = await recordOf(editor, id, 1);
  expect(manifest).toMatchObject({
    catalogue: id,
    version: 1,
    event_count: 5,
    content_hash: record.content_hash,
    changes: [],
    overview: { version: 1, rows: 5 },
  });
  expect(
    manifest.base.files.map(({ path, year, rows }) => [path.split("/")[1], year, rows]),
  ).toEqual([
    ["year=1043", 1043, 1],
    ["year=1855", 1855, 1],
    ["year=2015", 2015, 1],
    ["year=2016", 2016, 2],
  ]);
  expect(manifest.base.files[3]?.bounds).toEqual({
    min_latitude: -42.69,
    max_latitude: -42.69,
    min_longitude: -179.5,
    max_longitude: 173.02,
    min_magnitude: 3,
    max_magnitude: 7.8,
    start_time: "2016-01-01T00:00:00Z",
    end_time: "2016-11-13T11:02:56.340Z",
  });
  expect(manifest.base.files[0]?.bounds).toMatchObject({ min_magnitude: null });
  const overview = await rowsOf(join(to, id), [manifest.overview]);
  expect(overview.map(({ magnitude }) => magnitude)).toEqual([8.2, 7.8, 3, 3, null]);
  const years = await rowsOf(join(to, id), manifest.base.files);
  expect(years.map(({ time }) => time)).toEqual(years.map(({ time }) => time).toSorted());
  expect(hashOfParts(years)).toBe(record.sha256);
});

test("files are GeoParquet 1.1 with a covering, in groups of 20,000 rows with bounds of time, place, depth and magnitude", async () => {
  const events = Array.from({ length: 20_001 }, (_, i) =>
    seismicEvent({
      time: new Date(Date.UTC(2016, 0, 1) + i * 1_000).toISOString(),
      source_id: `e${i}`,
    }),
  );
  const { id } = await createCatalogue(editor, { events });
  const to = await temporaryDirectory();
  const { base } = await published(id, to);
  const bytes = await readFile(join(to, id, base.files[0]?.path ?? ""));
  const { metadata, pairs, rows } = await readParquet(bytes);
  expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([20_000n, 1n]);
  const bounded = metadata.row_groups[0]?.columns
    .filter(({ meta_data }) => meta_data?.statistics?.min_value !== undefined)
    .map(({ meta_data }) => meta_data?.path_in_schema.join("."));
  for (const name of ["time", "magnitude", "latitude", "longitude", "depth", "bbox.xmin"]) {
    expect(bounded).toContain(name);
  }
  expect(metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe("ZSTD");
  expect(JSON.parse(pairs["geo"] ?? "")).toMatchObject({
    version: "1.1.0",
    columns: {
      geometry: { covering: { bbox: { xmin: ["bbox", "xmin"], ymax: ["bbox", "ymax"] } } },
    },
  });
  expect(rows[0]).toMatchObject({
    time_digits: 3,
    bbox: { xmin: 173.02, ymin: -42.69, xmax: 173.02, ymax: -42.69 },
  });
});

type Deed =
  | { readonly kind: "change"; readonly at: number; readonly to: number }
  | { readonly kind: "add"; readonly count: number }
  | { readonly kind: "remove"; readonly at: number }
  | { readonly kind: "restore"; readonly at: number }
  | { readonly kind: "publish" };

/** What is done to a catalogue, one version each. */
const Deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("change" as const), at: fc.nat(), to: fc.nat(90) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("publish" as const) }) },
);

async function doIt(id: string, deed: Deed, version: number): Promise<void> {
  const path = `/api/catalogues/${id}/events`;
  if (deed.kind === "add") {
    const time = `20${10 + (version % 9)}-05-01T00:00:00.${version}Z`;
    const events = Array.from({ length: deed.count }, () => seismicEvent({ time }));
    await editor.send("POST", path, { events });
  }
  if (deed.kind === "restore") {
    await editor.send("POST", `/api/catalogues/${id}/versions/${1 + (deed.at % version)}/restore`);
  }
  if (deed.kind !== "change" && deed.kind !== "remove") return;
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${path}?pageSize=1000`);
  const event = body.events[deed.at % body.events.length];
  if (event === undefined) return;
  const [method, change] =
    deed.kind === "remove"
      ? (["DELETE", undefined] as const)
      : (["PATCH", { latitude: deed.to }] as const);
  await editor.send(method, `${path}/${event.id}`, change);
}

async function latestOf(id: string): Promise<number> {
  return (await editor.get<{ version: number }>(`/api/catalogues/${id}`)).body.version;
}

test("every version from the base on has the service's count and hash, computed from the files alone", async () => {
  const to = await temporaryDirectory();
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(Deed, { minLength: 10, maxLength: 20 }), async (deeds) => {
      const events = Array.from({ length: 30 }, (_, i) =>
        seismicEvent({ time: `20${10 + (i % 9)}-0${1 + (i % 9)}-01T00:00:00Z` }),
      );
      const { id } = await createCatalogue(editor, { events });
      const folder = join(to, id);
      let manifest = await published(id, to);
      for (const deed of deeds) {
        if (deed.kind !== "publish") await doIt(id, deed, await latestOf(id));
        else {
          const before = manifest;
          manifest = await published(id, to);
          kinds.add(manifest.base.version === before.base.version ? "changes" : "base");
        }
      }
      manifest = await published(id, to);
      expect(manifest.version).toBe(await latestOf(id));
      for (let version = manifest.base.version; version <= manifest.version; version += 1) {
        const rows = await eventsAt(folder, manifest, version);
        const record = await recordOf(editor, id, version);
        expect([version, rows.length, hashOfParts(rows)]).toEqual([
          version,
          record.event_count,
          record.sha256,
        ]);
      }
    }),
    { numRuns: runs(100, 0.03) },
  );
  expect([...kinds].toSorted()).toEqual(["base", "changes"]);
});

test("a base that is made anew keeps the files of years that did not change, and what is named no longer goes after a day", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const to = await temporaryDirectory();
  const folder = join(to, id);
  const before = await published(id, to);
  const kept = before.base.files.filter(({ year }) => year !== 2016).map(({ path }) => path);
  const times = await Promise.all(
    kept.map(async (path) => (await stat(join(folder, path))).mtimeMs),
  );
  const added = Array.from({ length: 3 }, () => seismicEvent());
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: added });
  const after = await published(id, to);
  expect(after).toMatchObject({ base: { version: 2 }, changes: [] });
  expect(after.base.files.map(({ path }) => path)).toEqual(expect.arrayContaining(kept));
  expect(
    await Promise.all(kept.map(async (path) => (await stat(join(folder, path))).mtimeMs)),
  ).toEqual(times);
  const old = before.base.files.find(({ year }) => year === 2016)?.path ?? "";
  expect((await readFile(join(folder, old))).length).toBeGreaterThan(0);
  // What a process left that was killed while it wrote.
  await writeFile(join(folder, ".cut-off"), "PAR1");
  const yesterday = new Date(Date.now() - PARTS.keptMs - 1_000);
  for (const path of [old, ".cut-off", ...kept])
    await utimes(join(folder, path), yesterday, yesterday);
  await editor.send("PATCH", `/api/catalogues/${id}`, { name: "another name" });
  expect((await published(id, to)).name).toBe("another name");
  const left = await readdir(folder, { recursive: true });
  expect(left).not.toContain(old);
  expect(left).not.toContain(".cut-off");
  expect(left).toEqual(expect.arrayContaining(kept));
});

test("the same version is published as nothing, and its hash follows once somebody has asked for it", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const to = await temporaryDirectory();
  const first = await published(id, to);
  expect(first.sha256).toBeNull();
  expect(await published(id, to)).toEqual(first);
  const { sha256 } = await recordOf(editor, id, 1);
  expect(await published(id, to)).toMatchObject({ sha256, base: first.base });
});

test("more than a hundred files of changes are joined, the smallest neighbours first", async () => {
  const events = Array.from({ length: 1_000 }, (_, i) => seismicEvent({ source_id: `e${i}` }));
  const { id } = await createCatalogue(editor, { events });
  const to = await temporaryDirectory();
  const folder = join(to, id);
  await published(id, to);
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/events?pageSize=1000`,
  );
  for (let n = 0; n <= PARTS.changesFiles; n += 1) {
    // The first two have two rows each, those after them one.
    for (const event of body.events.slice(n, n < 2 ? n + 2 : n + 1)) {
      await editor.send("PATCH", `/api/catalogues/${id}/events/${event.id}`, { depth: n + 1 });
    }
    await published(id, to);
  }
  const manifest = await manifestOf(folder);
  expect(manifest.changes).toHaveLength(PARTS.changesFiles);
  expect(manifest.changes.slice(0, 4).map(({ rows }) => rows)).toEqual([2, 2, 2, 1]);
  expect(manifest.changes.slice(1).map(({ from }) => from)).toEqual(
    manifest.changes.slice(0, -1).map((part) => part.to),
  );
  const rows = await eventsAt(folder, manifest, manifest.version);
  expect(hashOfParts(rows)).toBe((await recordOf(editor, id, manifest.version)).sha256);
});

test("events with bulletins and merged events have the hash of their version too", async () => {
  const [one, other] = await Promise.all([
    createCatalogue(editor, { name: "one", events: [...EVENTS, { bulletin: smallBulletin() }] }),
    createCatalogue(editor, { name: "other", events: EVENTS }),
  ]);
  const { body } = await editor.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "merged",
    sourceCatalogues: [
      { id: one.id, source: "one" },
      { id: other.id, source: "other" },
    ],
    config: CONFIG,
  });
  const to = await temporaryDirectory();
  const manifest = await published(body.catalogueId, to);
  const rows = await rowsOf(join(to, body.catalogueId), manifest.base.files);
  for (const name of ["source_events", "bulletin_sha256"]) {
    expect(rows.filter((row) => row[name] !== null)).not.toEqual([]);
  }
  expect(hashOfParts(rows)).toBe((await recordOf(editor, body.catalogueId, 1)).sha256);
});

test("the command publishes to a folder, and tells of a catalogue that is not there and of wrong arguments", async () => {
  const to = await temporaryDirectory();
  expect(await publish("00000000-0000-4000-8000-000000000000", to)).toMatchObject({
    exitCode: 1,
    said: ["The catalogue is not there, or has no version yet"],
  });
  await expect(publish("all", to)).rejects.toThrow("Name a catalogue and a folder");
  expect(await readdir(to)).toEqual([]);
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const { exitCode, lines } = await publish(id.toUpperCase(), to);
  expect([exitCode, lines]).toEqual([
    0,
    [`${join(to, id)}: version 1, 4 files of version 1, 0 of changes`],
  ]);
  expect(await manifestOf(join(to, id))).toMatchObject({ catalogue: id, event_count: 5 });
});

test("a manifest of another history is replaced by a base", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const to = await temporaryDirectory();
  const manifest = await published(id, to);
  const other = createHash("sha256").update("another log").digest("hex");
  await writeFile(
    join(to, id, "manifest.json"),
    JSON.stringify({ ...manifest, content_hash: other }),
  );
  expect(await published(id, to)).toMatchObject({ content_hash: manifest.content_hash });
});
