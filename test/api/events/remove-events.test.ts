import fc from "fast-check";
import { expect, test } from "vitest";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import { columnsOf } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { keyed } from "../support/keyed.ts";
import { whileRevisionIsOpen } from "../support/open-revision.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

type Removed = { readonly version: number; readonly removed: number };

/** A catalogue of so many events in order of time, and the calls about it. */
async function catalogueOf(count: number) {
  const client = await service.loginAs("editor");
  const events = Array.from({ length: count }, (_, i) =>
    seismicEvent({
      id: `event ${i}`,
      time: `20${String(10 + i).padStart(2, "0")}-01-01T00:00:00Z`,
      latitude: (i * 37) % 90,
      longitude: (i * 71) % 180,
      magnitude: i % 5 === 0 ? null : (i * 13) % 9,
    }),
  );
  const { id } = await createCatalogue(client, { events });
  const path = `/api/catalogues/${id}`;
  const list = async () =>
    (await client.get<{ events: SeismicEvent[] }>(`${path}/export?format=json&orderBy=time-asc`))
      .body.events;
  return {
    client,
    id,
    path,
    list,
    all: await list(),
    remove: (ids: readonly unknown[], query = "", headers?: Record<string, string>) =>
      client.send<Removed>("POST", `${path}/events/remove${query}`, { events: ids }, headers),
  };
}

test("POST …/events/remove removes what is named as one version, which restoring takes back", async () => {
  const { client, path, all, list, remove } = await catalogueOf(6);
  const gone = all.filter((_, i) => i % 2 === 0).map(({ id }) => id);
  const answer = await remove(gone, "?reason=counted+twice");
  expect(answer).toMatchObject({ status: 200, body: { version: 2, removed: 3 } });
  expect(answer.headers.get("etag")).toBe('"2"');
  expect((await list()).map(({ id }) => id)).toEqual(
    all.map(({ id }) => id).filter((id) => !gone.includes(id)),
  );
  const { body } = await client.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
  expect(body.versions[0]).toMatchObject({ version: 2, cause: "edit", added: 0, removed: 3 });
  const history = await client.get<{ history: EventChange[] }>(`${path}/events/${gone[0]}/history`);
  expect(history.body.history[0]).toMatchObject({
    version: 2,
    change: "removed",
    reason: "counted twice",
  });
  await client.send("POST", `${path}/versions/1/restore`);
  expect(await list()).toEqual(all);
});

test("POST …/events/remove stands in the audit with its number and its reason", async () => {
  const { id, all, remove } = await catalogueOf(2);
  await remove(
    all.map((event) => event.id),
    "?reason=all+wrong",
  );
  const admin = await service.loginAs("admin");
  const { body } = await admin.get<{ entries: AuditEntry[] }>(`/api/audit?subject=catalogue-${id}`);
  expect(body.entries.map(({ summary }) => summary)).toEqual(
    expect.arrayContaining([
      "Version 2 begun (edit): all wrong",
      expect.stringContaining("0 added, 0 updated, 2 removed, 0 events"),
    ]),
  );
});

test.each([
  ["of an unknown event", UNKNOWN_ID],
  ["that another catalogue has", null],
])("POST …/events/remove with an id %s removes nothing", async (_, unknown) => {
  const { all, list, remove } = await catalogueOf(3);
  const other = unknown ?? (await catalogueOf(1)).all[0]?.id ?? "";
  expectRefusal(await remove([all[0]?.id, other, all[1]?.id]), "NOT_FOUND", other);
  expect(await list()).toEqual(all);
});

test("POST …/events/remove of an event that is gone already is 404", async () => {
  const { all, remove } = await catalogueOf(2);
  await remove([all[0]?.id]);
  expectRefusal(await remove([all[0]?.id, all[1]?.id]), "NOT_FOUND", all[0]?.id);
});

test("POST …/events/remove counts an event that is named twice once, and makes no version of none", async () => {
  const { all, remove } = await catalogueOf(2);
  const id = all[0]?.id ?? "";
  expect((await remove([])).body).toEqual({ version: 1, removed: 0 });
  expect((await remove([id, id.toUpperCase()])).body).toEqual({ version: 2, removed: 1 });
});

test.each([
  ["no list", "events", { events: "all" }],
  ["without one", "events", {}],
  ["a text that is no id", "events", { events: ["event 1"] }],
  ["more than 10,000", "events", { events: Array.from({ length: 10_001 }, () => UNKNOWN_ID) }],
])("POST …/events/remove refuses %s", async (_, named, body) => {
  const { client, path } = await catalogueOf(1);
  const answer = await client.send("POST", `${path}/events/remove`, body);
  expectRefusal(answer, "VALIDATION_ERROR", named);
});

test("POST …/events/remove refuses a parameter that it does not know", async () => {
  const { all, remove } = await catalogueOf(1);
  expectRefusal(await remove([all[0]?.id], "?asOf=1"), "VALIDATION_ERROR", "asOf");
});

test("POST …/events/remove is guarded by If-Match, by other writers and by its key", async () => {
  const { id, all, list, remove } = await catalogueOf(3);
  const ids = all.slice(0, 2).map((event) => event.id);
  expectRefusal(await remove(ids, "", { "if-match": '"7"' }), "PRECONDITION_FAILED");
  await whileRevisionIsOpen(service, id, async () => {
    expectRefusal(await remove(ids), "CONFLICT");
  });
  expect(await list()).toEqual(all);
  const key = keyed();
  const first = await remove(ids, "", { ...key, "if-match": '"1"' });
  const again = await remove(ids, "", { ...key, "if-match": '"1"' });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
});

test("POST …/events/remove leaves the bounds of what is left", async () => {
  const subsets = fc.array(fc.nat(11), { minLength: 1, maxLength: 11 });
  await fc.assert(
    fc.asyncProperty(subsets, async (places) => {
      const { client, path, all, list, remove } = await catalogueOf(12);
      const ids = new Set(places.map((place) => all[place]?.id ?? ""));
      expect((await remove([...ids])).body).toEqual({ version: 2, removed: ids.size });
      const left = await list();
      const { body } = await client.get<Catalogue>(path);
      expect(body).toMatchObject({ event_count: left.length, ...boundsOf(columnsOf(left)) });
    }),
    { numRuns: runs(20) },
  );
});
