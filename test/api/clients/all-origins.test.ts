import { beforeAll, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let editor: ApiClient;
let viewer: ApiClient;
let guest: ApiClient;

beforeAll(async () => {
  editor = await service.loginAs("editor");
  viewer = await service.loginAs("viewer");
  guest = createApiClient(service.url);
});

/** The same earthquake as `place` has it: its second tells the origins apart. */
const asLocated = (place: number) =>
  seismicEvent({
    time: `2016-11-13T11:02:5${place}.346Z`,
    magnitude: 7 + place / 10,
    magnitude_type: "Mw",
    source_id: `of${place}`,
  });

/** A merged public catalogue of one earthquake that several catalogues have. */
async function merged(visibilities: readonly boolean[]) {
  const sources: string[] = [];
  for (const [i, is_public] of visibilities.entries()) {
    const { id } = await createCatalogue(editor, { events: [asLocated(i)], is_public });
    sources.push(id);
  }
  const config = {
    timeThreshold: 20,
    distanceThreshold: 50,
    mergeStrategy: "priority",
    priority: "0",
  };
  const { status, body } = await editor.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "Merged",
    sourceCatalogues: sources.map((id, i) => ({ id, source: String(i) })),
    config,
  });
  expect([status, body]).toEqual([200, expect.objectContaining({ duplicateGroups: 1 })]);
  await editor.send("PATCH", `/api/catalogues/${body.catalogueId}`, { is_public: true });
  return { id: body.catalogueId, sources };
}

/** The seconds of the origins that an answer has, its own first. */
async function originsFor(client: ApiClient, base: string, flags = "includeallorigins=true") {
  const { body } = await client.get<string>(`${base}/fdsnws/event/1/query?${flags}`);
  return [...body.matchAll(/<origin .*?<value>[^<]*:5(\d)\.346Z<\/value>/gs)].map(([, place]) =>
    Number(place),
  );
}

const magnitudes = async (client: ApiClient, base: string, flags: string) => {
  const { body } = await client.get<string>(`${base}/fdsnws/event/1/query?${flags}`);
  return [...body.matchAll(/<mag><value>([\d.]+)/g)].map(([, value]) => Number(value));
};

test("all origins are those of the sources that the caller may read", async () => {
  const { id } = await merged([true, false, true]);
  const base = `/api/catalogues/${id}`;
  expect(await originsFor(guest, base, "")).toEqual([0]);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  expect(await originsFor(viewer, base)).toEqual([0, 1, 2]);
  expect(await originsFor(guest, base, "includeallmagnitudes=true")).toEqual([0]);
  expect(await magnitudes(guest, base, "includeallmagnitudes=true")).toEqual([7, 7.2]);
  expect(await magnitudes(viewer, base, "includeallmagnitudes=true")).toEqual([7, 7.1, 7.2]);
  const path = `${base}/shares`;
  const { body } = await editor.send<{ share: { url: string } }>("POST", path, {});
  expect(await originsFor(guest, new URL(body.share.url).pathname)).toEqual([0, 2]);
});

test("a source that is published, hidden or deleted changes what is shown of it, whatever was kept", async () => {
  const { id, sources } = await merged([true, false, true]);
  const base = `/api/catalogues/${id}`;
  const [, hidden = "", open = ""] = sources;
  await editor.send("PATCH", `/api/catalogues/${hidden}`, { is_public: true });
  expect(await originsFor(guest, base)).toEqual([0, 1, 2]);
  await editor.send("PATCH", `/api/catalogues/${hidden}`, { is_public: false });
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  await editor.send("DELETE", `/api/catalogues/${open}`);
  expect(await originsFor(guest, base)).toEqual([0]);
  expect(await originsFor(viewer, base)).toEqual([0, 1]);
});

test("a source is shown as it was merged, whatever it became", async () => {
  const { id, sources } = await merged([true, true]);
  const [, source = ""] = sources;
  const events = `/api/catalogues/${source}/events`;
  const { body } = await editor.get<{ events: { id: string }[] }>(events);
  await editor.send("PATCH", `${events}/${body.events[0]?.id}`, {
    time: "2016-11-13T11:02:59.346Z",
  });
  expect(await originsFor(guest, `/api/catalogues/${id}`)).toEqual([0, 1]);
  await editor.send("DELETE", `${events}/${body.events[0]?.id}`);
  expect(await originsFor(guest, `/api/catalogues/${id}`)).toEqual([0, 1]);
});

test("no cache shares an answer with sources, nor is it taken for one without", async () => {
  const { id } = await merged([true, false]);
  for (const below of ["", "/versions/1"]) {
    const base = `/api/catalogues/${id}${below}/fdsnws/event/1/query`;
    for (const client of [guest, viewer]) {
      for (const flag of ["includeallorigins", "includeallmagnitudes"]) {
        const { status, headers } = await client.get(`${base}?${flag}=true`, {
          "if-none-match": '"1"',
        });
        const head = [status, headers.get("cache-control"), headers.get("etag")];
        expect([below, flag, ...head]).toEqual([below, flag, 200, "private, no-cache", null]);
      }
    }
  }
});
