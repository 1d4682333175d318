import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { EventChange } from "#contracts/http/events.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import type { ApiClient } from "../../support/api-client.ts";
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
