import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { CONFIG, merge } from "../../support/api/merges.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, type Person, person, restricted } from "./rights-scene.ts";

const SECRET = "a secret network";
const NAME = "A name for members";

const service = sharedService();
let owner: Person;
let reader: Person;
const guest = service.client("guest");
/** The id of the restricted source, of its event, and of what is merged of it and another catalogue. */
let source: string;
let sourceEvent: string;
let merged: string;
let event: string;

beforeAll(async () => {
  owner = await person(service, "editor");
  reader = await person(service, "editor");
  source = (await restricted(owner.client, { name: NAME })).id;
  const other = (await createCatalogue(owner.client, { name: "An open name" })).id;
  merged = await mergedOf(source, other, "public");
  type Listed = { events: SeismicEvent[] };
  const first = async (id: string) =>
    (await owner.client.get<Listed>(`/api/catalogues/${id}/events`)).body.events[0]?.id ?? "";
  sourceEvent = await first(source);
  event = await first(merged);
});

async function mergedOf(a: string, b: string, access?: string): Promise<string> {
  const { body } = await owner.client.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "merged",
    sourceCatalogues: [
      { id: a, source: SECRET },
      { id: b, source: "open" },
    ],
    config: { ...CONFIG, mergeStrategy: "priority", priority: SECRET },
    access,
  });
  return body.catalogueId;
}

async function mainEventsOf(catalogue: string, maker: ApiClient): Promise<string> {
  const path = `/api/catalogues/${catalogue}/analytics/decluster`;
  const form = { method: "gardner-knopoff" };
  const { body } = await maker.send<{ result: string }>("POST", path, form);
  type Made = { catalogueId: string };
  const made = await maker.send<Made>("POST", `${path}/${body.result}/catalogue`, {
    name: "main events",
    role: "main",
  });
  return made.body.catalogueId;
}

const READS = [
  "",
  "/versions/1",
  "/versions/1/citation",
  "/versions/1/citation?format=datacite",
  "/versions/1/diff?from=0",
  "/versions/1/diff?from=0&format=csv",
  "/versions/1/diff?from=0&format=geojson",
  "/events?include=source_events",
  "/events/filtered?include=source_events,bulletin",
  "/events/EVENT",
  "/events/EVENT/history",
  "/events/EVENT/bulletin",
  "/export?format=csv",
  "/export?format=json",
  "/export?format=geojson",
  "/export?format=quakeml",
  "/export?format=quakeml&detail=full",
  "/export?format=arrow",
  "/export?format=kml",
  "/fdsnws/event/1/query?format=geojson",
  "/fdsnws/event/1/query?includeallorigins=true",
  "/fdsnws/event/1/query?format=text",
  "/fdsnws/event/1/query?format=csv",
  "/feed/v1.0/detail/EVENT.geojson",
] as const;

async function expectNameless(client: ApiClient, address: string): Promise<void> {
  const answer = await client.stream(address);
  expect(answer.status, address).toBe(200);
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  for (const name of [source, sourceEvent, SECRET, NAME]) expect(text, address).not.toContain(name);
}

describe("who reads a merge without one of its sources", () => {
  test("is not told of it by any read", async () => {
    for (const path of READS) {
      const address = `/api/catalogues/${merged}${path.replace("EVENT", event)}`;
      await expectNameless(reader.client, address);
      if (path.startsWith("/export")) expect((await guest.get(address)).status).toBe(401);
      else await expectNameless(guest, address);
    }
  });

  test("sees members without names, and so many as there are", async () => {
    const path = `/api/catalogues/${merged}/events/${event}`;
    type Answer = { event: SeismicEvent };
    const whole = (await owner.client.get<Answer>(path)).body.event.source_events ?? [];
    const { body, headers } = await reader.client.get<Answer>(path);
    const nameless = { catalogue_id: null, event_id: null, source_id: null, source: null };
    expect(body.event.source_events).toEqual(
      whole.map((one) => (one.catalogue_id === source ? { ...one, ...nameless } : one)),
    );
    expect(whole).toHaveLength(2);
    const tag = (await owner.client.get(path)).headers.get("etag");
    expect(headers.get("etag")).not.toBe(tag);
  });

  test("is told of sources by their versions alone, and not which label was preferred", async () => {
    const { body } = await reader.client.get<Catalogue>(`/api/catalogues/${merged}`);
    expect(body.source_catalogues).toEqual([
      { id: null, name: null, source: null, version: 1, event_count: 1 },
      expect.objectContaining({ name: "An open name", source: "open" }),
    ]);
    expect(body.merge_config?.priority).toBe("");
    type Answer = { version: VersionRecord };
    const record = await reader.client.get<Answer>(`/api/catalogues/${merged}/versions/1`);
    expect(record.body.version.sources[0]).toEqual({
      catalogue_id: null,
      version: 1,
      sha256: null,
    });
  });

  test("has an export that says that something is left out", async () => {
    const path = `/api/catalogues/${merged}/export?format=json`;
    type Exported = { redacted?: boolean };
    expect((await reader.client.get<Exported>(path)).body.redacted).toBe(true);
    expect((await owner.client.get<Exported>(path)).body).not.toHaveProperty("redacted");
  });

  test("changes events without being told, by the tag that he has", async () => {
    const id = await mergedOf(source, (await createCatalogue(owner.client)).id, "internal");
    type Listed = { events: SeismicEvent[] };
    const list = await reader.client.get<Listed>(`/api/catalogues/${id}/events`);
    const path = `/api/catalogues/${id}/events/${list.body.events[0]?.id}`;
    const tag = (await reader.client.get(path)).headers.get("etag") ?? "";
    const changed = await reader.client.send("PATCH", path, { depth: 7 }, { "if-match": tag });
    expect(changed.status).toBe(200);
    expect(JSON.stringify(changed.body)).not.toContain(source);
  });

  test("is told of them when he becomes a member, and no more once the source is gone", async () => {
    const { id } = await restricted(owner.client);
    const made = await mergedOf(id, (await createCatalogue(owner.client)).id, "internal");
    const told = async () =>
      JSON.stringify((await reader.client.get(`/api/catalogues/${made}`)).body).includes(id);
    expect(await told()).toBe(false);
    await giveRight(owner.client, id, reader.id, "read");
    expect(await told()).toBe(true);
    await owner.client.send("DELETE", `/api/catalogues/${id}`);
    expect(await told()).toBe(false);
  });
});

describe("a public merge with a restricted source", () => {
  test("is for its member alone by every read", async () => {
    for (const path of READS) {
      const { headers } = await owner.client.get(
        `/api/catalogues/${merged}${path.replace("EVENT", event)}`,
      );
      expect(headers.get("cache-control"), path).not.toContain("public");
    }
  });

  test("is for shared caches as guests read its record, which does not say who made it", async () => {
    const { headers } = await guest.stream(`/api/catalogues/${merged}/versions/1`);
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
  });

  test("is for shared caches as guests read its differences and its citation", async () => {
    for (const path of ["/versions/1/diff?from=0", "/versions/1/citation?format=datacite"]) {
      for (const client of [reader.client, guest]) {
        const { headers } = await client.get(`/api/catalogues/${merged}${path}`);
        expect(headers.get("cache-control"), path).toBe("public, max-age=3600");
      }
    }
  });
});

describe("what is made of a restricted catalogue", () => {
  test("is restricted unless its maker says otherwise", async () => {
    const open = (await createCatalogue(owner.client)).id;
    const accessOf = async (id: string) =>
      (await owner.client.get<Catalogue>(`/api/catalogues/${id}`)).body.access;
    expect(await accessOf(await mergedOf(source, open))).toBe("restricted");
    expect(await accessOf(await mergedOf(source, open, "internal"))).toBe("internal");
    const { catalogueId } = await merge(owner.client, [
      { id: open, source: "a" },
      { id: (await createCatalogue(owner.client)).id, source: "b" },
    ]);
    expect(await accessOf(catalogueId)).toBe("internal");
  });

  test("is restricted where it is one role of its clusters", async () => {
    const made = await mainEventsOf(source, owner.client);
    expect((await reader.client.get(`/api/catalogues/${made}`)).status).toBe(404);
  });

  test("is named to members alone in its main events, once these are public", async () => {
    const made = await mainEventsOf(source, owner.client);
    await owner.client.send("PATCH", `/api/catalogues/${made}`, { access: "public" });
    const read = async (client: ApiClient) => {
      const { body, headers } = await client.get(`/api/catalogues/${made}/versions/1`);
      return { names: JSON.stringify(body).includes(source), kept: headers.get("cache-control") };
    };
    expect(await read(owner.client)).toEqual({ names: true, kept: "private, no-cache" });
    expect((await read(reader.client)).names).toBe(false);
  });
});

describe("the main events of a merge", () => {
  let mixed: string;
  let made: string;
  let mainEvent: string;

  beforeAll(async () => {
    const open = (await createCatalogue(owner.client)).id;
    mixed = await mergedOf(source, open, "internal");
    made = await mainEventsOf(mixed, reader.client);
    type Listed = { events: SeismicEvent[] };
    const { body } = await owner.client.get<Listed>(`/api/catalogues/${made}/events`);
    mainEvent = body.events[0]?.id ?? "";
  });

  test("do not name its restricted source by any read", async () => {
    for (const path of READS) {
      const address = `/api/catalogues/${made}${path.replace("EVENT", mainEvent)}`;
      for (const client of [reader.client, owner.client]) await expectNameless(client, address);
    }
  });

  test("are the events of the merge without its members", async () => {
    type Answer = { events: SeismicEvent[] };
    const eventIn = async (catalogue: string) => {
      const path = `/api/catalogues/${catalogue}/events/filtered?include=source_events`;
      return (await owner.client.get<Answer>(path)).body.events[0];
    };
    const merged = await eventIn(mixed);
    expect(merged?.source_events).toHaveLength(2);
    expect(await eventIn(made)).toEqual({
      ...merged,
      id: mainEvent,
      source_count: 1,
      source_events: undefined,
      extra: { ...merged?.extra, is_mainshock: true },
    });
  });
});

describe("the entity tag of a public merge", () => {
  const addressesOf = (id: string, eventId: string): readonly string[] => [
    `/api/catalogues/${id}/events`,
    `/api/catalogues/${id}/events/filtered?include=source_events`,
    `/api/catalogues/${id}/events/${eventId}`,
    `/api/catalogues/${id}/versions/1/diff?from=0`,
    `/api/catalogues/${id}/fdsnws/event/1/query?format=csv`,
    `/api/catalogues/${id}/versions/1/fdsnws/event/1/query?format=xml`,
    `/fdsnws/event/1/query?catalog=${id}&format=geojson`,
    `/fdsnws/event/1/query?catalog=${id}&format=text`,
    `/api/ogc/collections/${id}/items`,
    `/api/ogc/collections/${id}/items/${eventId}`,
  ];

  test("is another at every address once a source of it is restricted, and a member's answer is his alone", async () => {
    const open = (await createCatalogue(owner.client, { name: NAME, is_public: true })).id;
    const other = (await createCatalogue(owner.client, { is_public: true })).id;
    const id = await mergedOf(open, other, "public");
    const { body } = await guest.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
    const addresses = addressesOf(id, body.events[0]?.id ?? "");
    const tags = new Map<string, string>();
    for (const address of addresses) {
      const { status, headers } = await guest.get(address);
      expect([address, status]).toEqual([address, 200]);
      tags.set(address, headers.get("etag") ?? "");
    }
    const change = { access: "restricted" };
    expect((await owner.client.send("PATCH", `/api/catalogues/${open}`, change)).status).toBe(200);
    for (const address of addresses) {
      const tag = tags.get(address) ?? "";
      const again = await guest.get(address, { "if-none-match": tag });
      expect([address, again.status]).toEqual([address, 200]);
      expect([address, again.headers.get("etag")]).not.toEqual([address, tag]);
      if (address.startsWith("/api/ogc/")) continue;
      const members = await owner.client.get(address);
      expect([address, members.headers.get("cache-control")]).toEqual([
        address,
        expect.stringContaining("private"),
      ]);
      expect(members.headers.get("etag")).not.toBe(again.headers.get("etag"));
    }
  });
});
