import { expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge } from "../../support/api/merges.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

/** The seconds of the origins that an answer has, its own first. */
async function originsFor(client: ApiClient, base: string, flags = "includeallorigins=true") {
  const { body } = await client.get<string>(`${base}/fdsnws/event/1/query?${flags}`);
  const origins = body.matchAll(/<origin .*?<value>[^<]*:5(\d)\.346Z<\/value>/gs);
  return [...origins].map(([, place]) => Number(place));
}

const magnitudes = async (client: ApiClient, base: string) => {
  const query = `${base}/fdsnws/event/1/query?includeallmagnitudes=true`;
  const { body } = await client.get<string>(query);
  return [...body.matchAll(/<mag><value>([\d.]+)/g)].map(([, value]) => Number(value));
};

test("all origins are those of the sources as they were merged that the caller may read, whatever was kept", async () => {
  const editor = await service.loginAs("editor");
  const viewer = await service.loginAs("viewer");
  const guest = createApiClient(service.url);
  /** The same earthquake as each has it: its second tells the origins apart. */
  const made = [true, false, true].map((is_public, place) => {
    const event = seismicEvent({
      time: `2016-11-13T11:02:5${place}.346Z`,
      magnitude: 7 + place / 10,
      magnitude_type: "Mw",
      source_id: `of${place}`,
    });
    return createCatalogue(editor, { events: [event], is_public });
  });
  const sources = (await Promise.all(made)).map(({ id }, i) => ({ id, source: String(i) }));
  const config = { mergeStrategy: "priority", priority: "0", timeThreshold: 20 } as const;
  const { catalogueId: id, duplicateGroups } = await merge(editor, sources, config);
  expect(duplicateGroups).toBe(1);
  const base = `/api/catalogues/${id}`;
  await editor.send("PATCH", base, { is_public: true });

  expect(await originsFor(guest, base, "")).toEqual([0]);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  expect(await originsFor(viewer, base)).toEqual([0, 1, 2]);
  expect(await originsFor(guest, base, "includeallmagnitudes=true")).toEqual([0]);
  expect(await magnitudes(guest, base)).toEqual([7, 7.2]);
  expect(await magnitudes(viewer, base)).toEqual([7, 7.1, 7.2]);
  const { body } = await editor.send<{ share: { url: string } }>("POST", `${base}/shares`, {});
  expect(await originsFor(guest, new URL(body.share.url).pathname)).toEqual([0, 2]);
  // No cache shares an answer with sources, nor is it taken for one without.
  for (const below of ["", "/versions/1"]) {
    for (const client of [guest, viewer]) {
      for (const flag of ["includeallorigins", "includeallmagnitudes"]) {
        const path = `${base}${below}/fdsnws/event/1/query?${flag}=true`;
        const { status, headers } = await client.get(path, { "if-none-match": '"1"' });
        const head = [status, headers.get("cache-control"), headers.get("etag")];
        expect(head, path).toEqual([200, "private, no-cache", null]);
      }
    }
  }

  const [, hidden = "", open = ""] = sources.map((source) => source.id);
  const publish = (is_public: boolean) =>
    editor.send("PATCH", `/api/catalogues/${hidden}`, { is_public });
  await publish(true);
  expect(await originsFor(guest, base)).toEqual([0, 1, 2]);
  await publish(false);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  const [event] = await listEvents(editor, open);
  const path = `/api/catalogues/${open}/events/${event?.id}`;
  await editor.send("PATCH", path, { time: "2016-11-13T11:02:59.346Z" });
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  await editor.send("DELETE", path);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  await editor.send("DELETE", `/api/catalogues/${open}`);
  expect(await originsFor(guest, base)).toEqual([0]);
  expect(await originsFor(viewer, base)).toEqual([0, 1]);
});
