import { beforeAll, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

const GIVEN = smallBulletin();

type Added = { version: number; updatedEvents: number; skippedEvents: number };

/** A catalogue of one event with `smallBulletin()`. */
async function catalogueOfOne() {
  const { id } = await createCatalogue(editor, { events: [{ bulletin: GIVEN }] });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/events/filtered`,
  );
  const [event] = body.events;
  if (event === undefined) throw new Error("no event");
  const path = `/api/catalogues/${id}/events/${event.id}`;
  return {
    event,
    path,
    update: async (submitted: object) =>
      (
        await editor.send<Added>("POST", `/api/catalogues/${id}/events`, {
          events: [submitted],
          updateExisting: true,
        })
      ).body,
    present: async () => (await editor.get<{ event: SeismicEvent }>(path)).body.event,
    bulletin: async () =>
      (await editor.get<{ bulletin: Bulletin }>(`${path}/bulletin`)).body.bulletin,
  };
}

/** What a table has of the event: its id and the values that are given. */
function tabled({ source_id, extra, time, latitude, longitude }: SeismicEvent, given: object) {
  return { source_id, extra, time, latitude, longitude, magnitude: null, ...given };
}

test("an event that comes again as a row is edited, and nothing is taken away", async () => {
  const { event, update, present, bulletin } = await catalogueOfOne();
  expect(await update(tabled(event, {}))).toMatchObject({ version: 1, skippedEvents: 1 });
  const changed = await update(tabled(event, { depth: 20, magnitude: 4.5 }));
  expect(changed).toMatchObject({ version: 2, updatedEvents: 1 });
  expect(await present()).toMatchObject({ depth: 20, magnitude: 4.5, magnitude_type: "Mw" });
  const after = await bulletin();
  expect(after.origin?.slice(0, 2)).toEqual(GIVEN.origin);
  expect(after.origin?.[2]).toMatchObject({ depth: { value: 20_000 } });
  expect(after.magnitude).toEqual(GIVEN.magnitude);
});

test("an event that comes again with its bulletin keeps what was made here", async () => {
  const { event, path, update, present, bulletin } = await catalogueOfOne();
  await editor.send("PATCH", path, { depth: 20 });
  await editor.send("POST", `${path}/comments`, { text: "checked" });
  const edited = await bulletin();
  const { source_id } = event;
  expect(await update({ source_id, bulletin: GIVEN })).toMatchObject({ version: 3 });
  expect(await bulletin()).toEqual(edited);

  const [first, ...others] = GIVEN.magnitude ?? [];
  const magnitude = [{ ...first, mag: { value: 4.9 } }, ...others];
  const renewed = await update({ source_id, bulletin: { ...GIVEN, magnitude } });
  expect(renewed).toMatchObject({ version: 4, updatedEvents: 1 });
  expect(await present()).toMatchObject({ depth: 20, magnitude: 4.9 });
  const after = await bulletin();
  expect(after.origin).toEqual(edited.origin);
  expect(after.comment).toEqual(edited.comment);
});

test("a bulletin of solutions alone is added to the readings that are there", async () => {
  const { event, update, present, bulletin } = await catalogueOfOne();
  const [origin] = GIVEN.origin ?? [];
  const { arrival: _, ...relocated } = { ...origin, publicID: "smi:test.local/relocated/1" };
  const added = { publicID: GIVEN.publicID, origin: [{ ...relocated, depth: { value: 8000 } }] };
  const { source_id } = event;
  expect(await update({ source_id, bulletin: added })).toMatchObject({ version: 2 });
  expect(await present()).toMatchObject({ depth: 8, magnitude: 4.5 });
  const after = await bulletin();
  expect(after.origin).toEqual([...(GIVEN.origin ?? []), added.origin[0]]);
  expect(after.pick).toEqual(GIVEN.pick);
});
