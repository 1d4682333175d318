import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { exportWhole } from "../../support/api/whole-documents.ts";
import { createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const OWN = "{urn:earthquake-catalogue:1.0}";
const editor = clientOf(service, "editor");
const GIVEN = smallBulletin();
const PLACE = { time: "2024-05-06T07:08:02Z", latitude: -41.5, longitude: 174.5 };

type Merged = SeismicEvent & { readonly bulletin: Bulletin };

/** The only event of a merge of catalogues with one event each, with its bulletin. */
async function merged(
  mergeStrategy: "priority" | "average" | "quality",
  ...submitted: readonly object[]
) {
  const sources = await Promise.all(
    submitted.map((event, i) => sourceOf(editor, `source ${i}`, [event])),
  );
  const { catalogueId: id } = await merge(editor, sources, {
    mergeStrategy,
    priority: "source 0",
    timeThreshold: 120,
    distanceThreshold: 100,
  });
  const [event, ...others] = await listEvents<Merged>(editor, id, "include=bulletin");
  if (event === undefined || others.length > 0) throw new Error("there is not one event");
  const sourceEvents = await Promise.all(sources.map((source) => listEvents(editor, source.id)));
  return { id, event, bulletin: event.bulletin, sources, sourceEvents: sourceEvents.flat() };
}

function expectNoIds(text: string, holders: readonly { readonly id: string }[]): void {
  for (const { id } of holders) {
    expect(text).not.toContain(id);
    expect(text).not.toContain(id.replaceAll("-", ""));
  }
}

/** Objects with the members that they come from, whose places are those of `source_events`. */
function ofMembers<T extends object>(objects: readonly T[] | undefined, ...member: number[]) {
  return objects?.map((object) => ({ ...object, member }));
}

test("a catalogue merged with its copy has everything once, from both", async () => {
  const { event, bulletin } = await merged("priority", { bulletin: GIVEN }, { bulletin: GIVEN });
  expect(bulletin).toEqual({
    ...GIVEN,
    origin: ofMembers(GIVEN.origin, 0, 1),
    magnitude: ofMembers(GIVEN.magnitude, 0, 1),
    stationMagnitude: ofMembers(GIVEN.stationMagnitude, 0, 1),
    amplitude: ofMembers(GIVEN.amplitude, 0, 1),
    pick: ofMembers(GIVEN.pick, 0, 1),
  });
  expect(event).toMatchObject({ depth: 12.3, magnitude: 4.5 });
  for (const one of [tangledBulletin(), everyMember()]) {
    const { id, sources } = await merged("priority", { bulletin: one }, { bulletin: one });
    const leaves = async (catalogue = "") => {
      const all = leavesOf(await exportWhole(editor, catalogue, "given"));
      return all.filter((leaf) => !leaf.includes(OWN));
    };
    expect(await leaves(id)).toEqual(await leaves(sources[0]?.id));
  }
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
  expect([bulletin.pick?.length, bulletin.origin?.length]).toEqual([5, 5]);
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
  const row = seismicEvent({ ...PLACE, magnitude: 4.1, source_id: "row1" });
  const { event, bulletin, sourceEvents } = await merged("priority", row, { bulletin: GIVEN });
  expect(event).toMatchObject({ ...PLACE, magnitude: 4.1 });
  expect(bulletin.origin).toHaveLength(3);
  expectNoIds(JSON.stringify(bulletin), sourceEvents);
  const { event: plain } = await merged("quality", seismicEvent(PLACE), seismicEvent(PLACE));
  expect(plain.bulletin_sha256).toBeUndefined();
});

test("an average is an origin of its own, and guests see all parts of it once the merge is public", async () => {
  const row = seismicEvent({ ...PLACE, latitude: -41.6 });
  const { id, event, bulletin, sources } = await merged("average", { bulletin: GIVEN }, row);
  const own = bulletin.origin?.find(({ publicID }) => publicID === bulletin.preferredOriginID);
  expect(own).toMatchObject({
    methodID: "smi:local.catalogue/merge/average",
    latitude: { value: event.latitude },
    time: { value: event.time },
  });
  expect(bulletin.origin).toHaveLength(4);
  const guest = createApiClient(service.url);
  const address = `/api/catalogues/${id}/fdsnws/event/1/query?includeall=true`;
  expect((await guest.get(address)).status).toBe(401);
  await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
  const { status, body } = await guest.get<string>(address);
  expect(status).toBe(200);
  for (const { publicID } of bulletin.origin ?? []) expect(body).toContain(publicID);
  expectNoIds(body, sources);
});

describe("the references of a merged bulletin", () => {
  /** What they say: of each holder what the object tells that they lead to. */
  function meanings(bulletin: Bulletin): Set<string> {
    const { origin = [], magnitude = [], pick = [], amplitude = [] } = bulletin;
    const { stationMagnitude = [], focalMechanism = [] } = bulletin;
    const found = <T extends { readonly publicID: string }>(
      list: readonly T[],
      id: string | undefined,
      tell: (object: T) => unknown,
    ) => {
      const object = list.find(({ publicID }) => publicID === id);
      return object === undefined ? id : tell(object);
    };
    const when = (id: string | undefined) => found(origin, id, ({ time }) => time.value);
    const picked = (id: string | undefined) => found(pick, id, ({ time }) => time.value);
    const strength = (id: string | undefined) =>
      found(amplitude, id, ({ genericAmplitude }) => genericAmplitude.value);
    const size = (id: string) => found(stationMagnitude, id, ({ mag }) => mag.value);
    const tells = [
      ...origin.flatMap(({ time, arrival = [] }) =>
        arrival.map(({ phase, pickID }) => ["arrival", time.value, phase, picked(pickID)]),
      ),
      ...magnitude.flatMap(({ mag, originID, stationMagnitudeContribution: parts = [] }) => [
        ["magnitude", mag.value, when(originID)],
        ...parts.map((part) => ["contribution", mag.value, size(part.stationMagnitudeID)]),
      ]),
      ...stationMagnitude.map(({ mag, originID, amplitudeID }) => [
        ...["station magnitude", mag.value, when(originID), strength(amplitudeID)],
      ]),
      ...amplitude.map((one) => ["amplitude", one.genericAmplitude.value, picked(one.pickID)]),
      ...focalMechanism.flatMap(({ triggeringOriginID, momentTensor = [] }) =>
        momentTensor.map((one) => [
          ...["tensor", when(triggeringOriginID), when(one.derivedOriginID)],
        ]),
      ),
    ];
    return new Set(tells.map((one) => JSON.stringify(one)));
  }

  test("say what its sources said, though these share ids with other contents", async () => {
    const first = tangledBulletin();
    const later = <T extends { readonly time: { readonly value: string } }>(
      objects: readonly T[] | undefined,
      from: string,
      to: string,
    ) =>
      (objects ?? []).map((one) => ({ ...one, time: { value: one.time.value.replace(from, to) } }));
    const moved: Bulletin = { ...first, pick: later(first.pick, ".25Z", ".75Z") };
    const shifted: Bulletin = {
      ...first,
      origin: later(first.origin, "07:08:", "07:09:"),
      amplitude: (first.amplitude ?? []).map((one) => ({ ...one, genericAmplitude: { value: 7 } })),
    };
    const members = [first, moved, shifted];
    const all = new Set(members.flatMap((member) => [...meanings(member)]));
    for (const strategy of ["priority", "average"] as const) {
      const { bulletin } = await merged(strategy, ...members.map((one) => ({ bulletin: one })));
      expect(meanings(bulletin)).toEqual(all);
    }
  });
});
