import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { EventChange } from "#contracts/http/events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");

const BOUNDS = [
  "min_latitude",
  "max_latitude",
  "min_longitude",
  "max_longitude",
  "min_magnitude",
  "max_magnitude",
  "start_time",
  "end_time",
  "bbox",
] as const satisfies (keyof Catalogue)[];

/** The catalogue as the detail and as the list show it. */
async function shown(client: ApiClient, id: string): Promise<Catalogue[]> {
  const detail = await client.get<Catalogue>(`/api/catalogues/${id}`);
  const list = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=100");
  const listed = list.body.catalogues.find((one) => one.id === id);
  if (listed === undefined) throw new Error("the catalogue is not in the list");
  return [detail.body, listed];
}

describe("to a guest a private catalogue", () => {
  test("has its name, count and dates, and neither bounds, times nor creator", async () => {
    const { id } = await createCatalogue(editor, { name: "one event" });
    for (const catalogue of await shown(editor, id)) {
      for (const name of BOUNDS) expect(catalogue[name]).not.toBeNull();
      expect(catalogue.created_by).toMatch(/^user_/);
    }
    const [known] = await shown(editor, id);
    for (const catalogue of await shown(guest, id)) {
      const hidden = Object.fromEntries([...BOUNDS, "created_by"].map((name) => [name, null]));
      expect(catalogue).toEqual({ ...known, ...hidden });
    }
  });

  test("does not tell what it was merged from", async () => {
    const sources = [
      await sourceOf(editor, "a", [seismicEvent()]),
      await sourceOf(editor, "b", [seismicEvent()]),
    ];
    const { catalogueId } = await merge(editor, sources);
    for (const catalogue of await shown(guest, catalogueId)) {
      expect(catalogue).toMatchObject({ merge_config: null, source_catalogues: null });
    }
    await editor.send("PATCH", `/api/catalogues/${catalogueId}`, { is_public: true });
    for (const catalogue of await shown(guest, catalogueId)) {
      expect(catalogue.source_catalogues).toHaveLength(2);
      expect(catalogue.created_by).toBeNull();
    }
  });
});

test("to a guest a public catalogue has its bounds, and nobody who made or changed it", async () => {
  const { id } = await createCatalogue(editor, { is_public: true });
  const [known] = await shown(editor, id);
  for (const catalogue of await shown(guest, id)) {
    expect(catalogue).toEqual({ ...known, created_by: null });
  }
  const versions = async (client: ApiClient) =>
    (await client.get<{ versions: CatalogueVersion[] }>(`/api/catalogues/${id}/versions`)).body
      .versions;
  const [version] = await versions(editor);
  expect(version?.actor).toMatch(/^user_/);
  expect(await versions(guest)).toEqual([{ ...version, actor: null }]);
});

test("no answer to a guest names a user", async () => {
  const { id, created_by: creator } = await createCatalogue(editor, { is_public: true });
  const { body } = await guest.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  const event = `/api/catalogues/${id}/events/${body.events[0]?.id}`;
  const history = await guest.get<{ history: EventChange[] }>(`${event}/history`);
  expect(history.body.history).toHaveLength(1);
  const paths = ["", "/versions", "/events", "/events/filtered"].map(
    (path) => `/api/catalogues/${id}${path}`,
  );
  for (const path of [...paths, event, `${event}/history`, "/api/catalogues"]) {
    const answer = await guest.get(path);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(creator);
  }
});

test("what guests and others are told differently has different entity tags", async () => {
  const { id } = await createCatalogue(editor, { is_public: true });
  for (const path of ["", "/versions"]) {
    const of = async (client: ApiClient) =>
      (await client.get(`/api/catalogues/${id}${path}`)).headers.get("etag") ?? "";
    const [mine, theirs] = [await of(editor), await of(guest)];
    expect(theirs).not.toBe(mine);
    const asked = await editor.get(`/api/catalogues/${id}${path}`, { "if-none-match": theirs });
    expect(asked.status).toBe(200);
    const again = await guest.get(`/api/catalogues/${id}${path}`, { "if-none-match": theirs });
    expect(again.status).toBe(304);
  }
});

const pathOf = (id: string) => `/api/catalogues/${id}`;

const add = (id: string, ...events: unknown[]) =>
  editor.send("POST", `${pathOf(id)}/events`, { events, updateExisting: true });

const change = (id: string, body: Record<string, unknown>): Promise<ApiAnswer> =>
  editor.send("PATCH", pathOf(id), body);

/** A private catalogue of versions 1 to 3, of an event each more; the second changes the first event too. */
async function threeVersions(): Promise<string> {
  const first = seismicEvent({ source_id: "first" });
  const { id } = await createCatalogue(editor, { events: [first] });
  await add(id, seismicEvent({ source_id: "second" }), { ...first, magnitude: 7.7 });
  await add(id, seismicEvent({ source_id: "third" }));
  return id;
}

/** Published at version 3, and changed once more. */
async function published(options: Record<string, unknown> = {}): Promise<string> {
  const id = await threeVersions();
  await change(id, { is_public: true, ...options });
  await add(id, seismicEvent({ source_id: "fourth" }));
  return id;
}

async function versionsOf(client: ApiClient, id: string): Promise<number[]> {
  const { body } = await client.get<{ versions: CatalogueVersion[] }>(`${pathOf(id)}/versions`);
  return body.versions.map(({ version }) => version);
}

async function eventOf(id: string, sourceId: string): Promise<SeismicEvent> {
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${pathOf(id)}/events?asOf=1`);
  const later = await editor.get<{ events: SeismicEvent[] }>(`${pathOf(id)}/events`);
  const found = [...body.events, ...later.body.events].find((one) => one.source_id === sourceId);
  if (found === undefined) throw new Error(`no event ${sourceId}`);
  return found;
}

/** Every read of events as of something, with the status that it must be answered with. */
async function expectAsOf(client: ApiClient, id: string, asOf: string, status: 200 | 404) {
  const { id: event } = await eventOf(id, "first");
  for (const path of [
    "/events",
    "/events?page=1",
    "/events?offset=0",
    "/events?pagination=cursor",
    "/events/filtered",
    "/events/filtered?minMagnitude=1",
    "/events/columns",
    `/events/${event}`,
  ]) {
    const separator = path.includes("?") ? "&" : "?";
    const answer = await client.get(`${pathOf(id)}${path}${separator}asOf=${asOf}`);
    if (status === 404) expectRefusal(answer, "NOT_FOUND");
    else expect([path, answer.status]).toEqual([path, 200]);
  }
}

describe("of a catalogue that was published guests see", () => {
  test("the version that was the latest then, and all later ones", async () => {
    const id = await published();
    expect(await versionsOf(guest, id)).toEqual([4, 3]);
    await expectAsOf(guest, id, "3", 200);
    await expectAsOf(guest, id, "4", 200);
    const latest = await guest.get<{ total: number }>(`${pathOf(id)}/events`);
    expect(latest.body.total).toBe(4);
    const { body } = await guest.get<Catalogue>(pathOf(id));
    expect(body).toMatchObject({ version: 4, public_from: 3, event_count: 4 });
  });

  test("nothing in the history of an event from before", async () => {
    const id = await threeVersions();
    const removed = await eventOf(id, "second");
    const gone = await eventOf(id, "third");
    await editor.send("DELETE", `${pathOf(id)}/events/${removed.id}`);
    await change(id, { is_public: true });
    await editor.send("DELETE", `${pathOf(id)}/events/${gone.id}`);
    await add(id, seismicEvent({ source_id: "first", magnitude: 7.6 }));
    const historyOf = async (client: ApiClient, event: SeismicEvent) => {
      const answer = await client.get<{ history: EventChange[] }>(
        `${pathOf(id)}/events/${event.id}/history`,
      );
      if (answer.status !== 200) return answer.status;
      return answer.body.history.map((entry) => [entry.version, entry.change]);
    };
    const first = await eventOf(id, "first");
    expect(await historyOf(editor, first)).toEqual([
      [6, "updated"],
      [2, "updated"],
      [1, "added"],
    ]);
    expect(await historyOf(guest, first)).toEqual([[6, "updated"]]);
    expect(await historyOf(editor, gone)).toEqual([
      [5, "removed"],
      [3, "added"],
    ]);
    expect(await historyOf(guest, gone)).toEqual([[5, "removed"]]);
    // The version that was published had it no more.
    expect(await historyOf(editor, removed)).toEqual([
      [4, "removed"],
      [2, "added"],
    ]);
    expect(await historyOf(guest, removed)).toBe(404);
  });

  test("all versions where its history is published with it, or later", async () => {
    const withIt = await published({ publishHistory: true });
    expect(await versionsOf(guest, withIt)).toEqual([4, 3, 2, 1]);
    await expectAsOf(guest, withIt, "1", 200);
    const later = await published({ publishHistory: false });
    expect(await versionsOf(guest, later)).toEqual([4, 3]);
    const before = (await guest.get(`${pathOf(later)}/versions`)).headers.get("etag");
    await change(later, { is_public: true, publishHistory: true });
    const after = await guest.get(`${pathOf(later)}/versions`, { "if-none-match": before ?? "" });
    expect(after.status).toBe(200);
    expect(await versionsOf(guest, later)).toEqual([4, 3, 2, 1]);
    await expectAsOf(guest, later, "2", 200);
  });

  test("after it was private for a while only what the new publication shows", async () => {
    const id = await published();
    await expectAsOf(guest, id, "3", 200);
    await change(id, { is_public: false });
    expectRefusal(await guest.get(`${pathOf(id)}/events`), "UNAUTHENTICATED");
    expectRefusal(await guest.get(`${pathOf(id)}/events?asOf=3`), "UNAUTHENTICATED");
    await change(id, { is_public: true });
    expect(await versionsOf(guest, id)).toEqual([4]);
    await expectAsOf(guest, id, "3", 404);
    await expectAsOf(guest, id, "4", 200);
  });
});

test("publishing again what is public changes nothing", async () => {
  const id = await published();
  const tag = (await editor.get(pathOf(id))).headers.get("etag");
  await change(id, { is_public: true });
  expect((await editor.get(pathOf(id))).headers.get("etag")).toBe(tag);
  expect(await versionsOf(guest, id)).toEqual([4, 3]);
});

test.each([{ publishHistory: true }, { is_public: false, publishHistory: true }])(
  "refuses %j: history is published with its catalogue",
  async (body) => {
    const { id } = await createCatalogue(editor);
    expectRefusal(await change(id, body), "VALIDATION_ERROR", "publishHistory");
  },
);
