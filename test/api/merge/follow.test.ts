import pg from "pg";
import { beforeAll, expect, test, vi } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { type Person, person } from "../rights/rights-scene.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { merge, type Source, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let maker: Person;
let client: ApiClient;
beforeAll(async () => {
  maker = await person(service, "editor");
  ({ client } = maker);
});

async function scene(config: object = { follow: true }) {
  const first = await sourceOf(client, "first", [seismicEvent()]);
  const second = await sourceOf(client, "second", [seismicEvent()]);
  const { catalogueId: id } = await merge(client, [first, second], config);
  return { id, first, second };
}

async function addTo({ id }: Source, year: number): Promise<void> {
  const events = [seismicEvent({ time: `${year}-01-01T00:00:00Z` })];
  const { status } = await client.send("POST", `/api/catalogues/${id}/events`, { events });
  expect(status).toBe(200);
}

const read = async (id: string, by = client) =>
  (await by.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

const following = (id: string, isSo: (merge: MergedCatalogue) => boolean) =>
  vi.waitUntil(async () => isSo(await read(id)), { timeout: 20_000, interval: 100 });

/** Changes how a merge fares, as if that had come about. */
async function changeState(id: string, change: string): Promise<void> {
  const database = new pg.Client(service.databaseUrl);
  await database.connect();
  try {
    await database.query(`update operations.merge_follows set ${change} where catalogue_id = $1`, [
      id,
    ]);
  } finally {
    await database.end();
  }
}

test("a merge that follows is refreshed by itself when a source changes, in its maker's name", async () => {
  const { id, first } = await scene();
  expect((await read(id)).follow).toEqual({
    parked: false,
    failures: 0,
    error: null,
    last_run: null,
  });
  await addTo(first, 2017);
  await following(id, ({ behind }) => !behind);
  const { body } = await client.get<Catalogue>(`/api/catalogues/${id}`);
  expect(body).toMatchObject({ version: 2, event_count: 2 });
  type Versions = { versions: CatalogueVersion[] };
  const { versions } = (await client.get<Versions>(`/api/catalogues/${id}/versions`)).body;
  expect(versions[0]).toMatchObject({ cause: "merge", actor: maker.id, added: 1 });
  await following(id, ({ follow }) => typeof follow?.last_run === "string");
});

test("a merge is refreshed by itself once a minute, and not again before", async () => {
  const { id, first } = await scene();
  await addTo(first, 2017);
  await following(id, ({ behind }) => !behind);
  const { follow } = await read(id);
  await addTo(first, 2018);
  const others = await scene();
  await addTo(others.first, 2017);
  await following(others.id, ({ behind }) => !behind);
  expect(await read(id)).toMatchObject({ behind: true, follow });
  await changeState(id, "last_run = last_run - interval '1 minute'");
  await following(id, ({ behind }) => !behind);
});

test("a merge that does not follow stays as it is, and says nothing of following", async () => {
  const { id, first } = await scene({});
  await addTo(first, 2017);
  const others = await scene();
  await addTo(others.first, 2017);
  await following(others.id, ({ behind }) => !behind);
  const merged = await read(id);
  expect(merged.behind).toBe(true);
  expect(merged).not.toHaveProperty("follow");
});

test("a merge whose maker may not read a source any more fails, and says why", async () => {
  const owner = await person(service, "editor");
  const theirs = await sourceOf(owner.client, "theirs", [seismicEvent()]);
  const mine = await sourceOf(client, "mine", [seismicEvent()]);
  const { catalogueId: id } = await merge(client, [mine, theirs], { follow: true });
  await owner.client.send("PATCH", `/api/catalogues/${theirs.id}`, { access: "restricted" });
  await addTo(mine, 2017);
  await following(id, ({ follow }) => (follow?.failures ?? 0) > 0);
  const { follow, behind } = await read(id);
  expect(behind).toBe(true);
  expect(follow).toMatchObject({ parked: false, failures: 1 });
  expect(follow?.error).toMatch(/right to read every source/);
});

test("a merge whose maker is no editor any more fails", async () => {
  const other = await person(service, "editor");
  const sources = [
    await sourceOf(client, "first", [seismicEvent()]),
    await sourceOf(client, "second", [seismicEvent()]),
  ];
  const { catalogueId: id } = await merge(other.client, sources, { follow: true });
  const admin = await service.loginAs("admin");
  await admin.send("PATCH", `/api/users/${other.id}`, { role: "viewer" });
  await addTo(sources[0] as Source, 2017);
  await following(id, ({ follow }) => follow?.error?.includes("may not change") === true);
});

test("a merge that has failed again and again is parked, until it is refreshed by hand", async () => {
  const { id, first, second } = await scene();
  await addTo(first, 2017);
  await following(id, ({ behind }) => !behind);
  const parked = "failures = 5, error = 'It failed', last_run = last_run - interval '1 day'";
  await changeState(id, parked);
  await addTo(second, 2018);
  const others = await scene();
  await addTo(others.first, 2017);
  await following(others.id, ({ behind }) => !behind);
  expect(await read(id)).toMatchObject({
    behind: true,
    follow: { parked: true, failures: 5, error: "It failed" },
  });
  const refreshed = await client.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
  expect(refreshed.body).toMatchObject({ added: 1 });
  expect((await read(id)).follow).toMatchObject({ parked: false, failures: 0, error: null });
  await addTo(first, 2019);
  await following(id, ({ behind }) => !behind);
});
