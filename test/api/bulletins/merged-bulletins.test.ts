import { beforeAll, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

const GIVEN = smallBulletin();
const PLACE = { time: "2024-05-06T07:08:02Z", latitude: -41.5, longitude: 174.5 };

async function eventsOf(id: string): Promise<SeismicEvent[]> {
  const path = `/api/catalogues/${id}/events/filtered?include=source_events`;
  return (await editor.get<{ events: SeismicEvent[] }>(path)).body.events;
}

/** The only event of a merge of catalogues with one event each, and its bulletin. */
async function merged(strategy: string, ...submitted: object[]) {
  const sources: { catalogueId: string; source: string }[] = [];
  const sourceEvents: SeismicEvent[] = [];
  for (const [i, event] of submitted.entries()) {
    const { id } = await createCatalogue(editor, { events: [event] });
    sources.push({ catalogueId: id, source: `source ${i}` });
    sourceEvents.push(...(await eventsOf(id)));
  }
  const { status, body } = await editor.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "merged bulletins",
    sourceCatalogues: sources.map(({ catalogueId: id, source }) => ({ id, source })),
    config: {
      timeThreshold: 60,
      distanceThreshold: 100,
      mergeStrategy: strategy,
      priority: "source 0",
    },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const [event] = await eventsOf(body.catalogueId);
  if (event === undefined) throw new Error("no event");
  const path = `/api/catalogues/${body.catalogueId}/events/${event.id}/bulletin`;
  const { bulletin } = (await editor.get<{ bulletin: Bulletin }>(path)).body;
  return { event, bulletin, sourceEvents };
}

/** Objects with the members that they come from, whose places are those of `source_events`. */
function ofMembers<T extends object>(objects: readonly T[] | undefined, ...member: number[]) {
  return objects?.map((object) => ({ ...object, member }));
}

test("a catalogue merged with its copy has everything once, from both", async () => {
  const { event, bulletin, sourceEvents } = await merged(
    "priority",
    { bulletin: GIVEN },
    { bulletin: GIVEN },
  );
  expect(bulletin).toEqual({
    ...GIVEN,
    origin: ofMembers(GIVEN.origin, 0, 1),
    magnitude: ofMembers(GIVEN.magnitude, 0, 1),
    stationMagnitude: ofMembers(GIVEN.stationMagnitude, 0, 1),
    amplitude: ofMembers(GIVEN.amplitude, 0, 1),
    pick: ofMembers(GIVEN.pick, 0, 1),
  });
  expect(event).toMatchObject({ depth: sourceEvents[0]?.depth, magnitude: 4.5 });
});

test("of three sources, equal solutions are there once and clashes under another id", async () => {
  const [pick, ...picks] = GIVEN.pick ?? [];
  const moved = { ...pick, time: { value: "2024-05-06T07:08:11.5Z" } };
  const { bulletin } = await merged(
    "priority",
    { bulletin: GIVEN },
    { bulletin: { ...GIVEN, pick: [moved, ...picks] } },
    { bulletin: smallBulletin("two") },
  );
  expect(bulletin.pick).toHaveLength(5);
  expect(bulletin.origin).toHaveLength(5);
  // Which of the two comes later depends on the ids of their events.
  const renamed = bulletin.pick?.find(({ foreign }) => foreign !== undefined);
  expect(renamed).toMatchObject({
    publicID: expect.stringMatching(/^smi:local\.catalogue\/pick\/merged\//),
    foreign: [{ name: "givenID", attribute: true, text: pick?.publicID }],
  });
  expect([moved.time, pick?.time]).toContainEqual(renamed?.time);
  const following = bulletin.origin?.filter(({ arrival }) =>
    arrival?.some(({ pickID }) => pickID === renamed?.publicID),
  );
  expect(following).toMatchObject([{ member: renamed?.member }]);
});

test("a member without a bulletin gives its row, and the ids of source events are nowhere", async () => {
  const { event, bulletin, sourceEvents } = await merged(
    "priority",
    seismicEvent({ ...PLACE, magnitude: 4.1, source_id: "row1" }),
    { bulletin: GIVEN },
  );
  expect(event).toMatchObject({ ...PLACE, magnitude: 4.1 });
  expect(bulletin.origin).toHaveLength(3);
  const text = JSON.stringify(bulletin);
  for (const { id } of sourceEvents) {
    expect(text).not.toContain(id);
    expect(text).not.toContain(id.replaceAll("-", ""));
  }
});

test("an average is an origin of its own with the service's method", async () => {
  const { event, bulletin } = await merged(
    "average",
    { bulletin: GIVEN },
    seismicEvent({ ...PLACE, latitude: -41.6 }),
  );
  const own = bulletin.origin?.find(({ publicID }) => publicID === bulletin.preferredOriginID);
  expect(own).toMatchObject({
    methodID: "smi:local.catalogue/merge/average",
    latitude: { value: event.latitude },
    time: { value: event.time },
  });
  expect(bulletin.origin).toHaveLength(4);
});

test("a merge of events without bulletins has none", async () => {
  const { event } = await merged("quality", seismicEvent(PLACE), seismicEvent(PLACE));
  expect(event.bulletin_sha256).toBeUndefined();
});
