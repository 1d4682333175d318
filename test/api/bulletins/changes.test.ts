import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { exportWhole } from "../../support/api/whole-documents.ts";
import { createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const GIVEN = smallBulletin();
const idOf = (kind: string, place: number) => `smi:test.local/one/${kind}/${place}`;
const solution = (kind: string, place: number) =>
  `/solutions/${kind}/${encodeURIComponent(idOf(kind, place))}`;
const withBulletin = () => oneEvent(editor, { bulletin: GIVEN });

function attributesOf(event: SeismicEvent, ...left: string[]) {
  return Object.fromEntries(
    ATTRIBUTE_NAMES.filter((name) => !left.includes(name)).map((name) => [name, event[name]]),
  );
}

describe("an edited attribute of an event with a bulletin", () => {
  test("makes one preferred origin of ours beside the others, and equal values make no version", async () => {
    const { event, change, bulletin, history } = await withBulletin();
    const { event: changed, version } = (await change({ depth: 33 })).body;
    expect([version, changed.depth]).toEqual([2, 33]);
    expect(attributesOf(changed, "depth")).toEqual(attributesOf(event, "depth"));
    const { bulletin: after } = await bulletin();
    expect(after.origin?.slice(0, 2)).toEqual(GIVEN.origin);
    expect(after.origin?.[2]).toMatchObject({
      publicID: after.preferredOriginID,
      depth: { value: 33_000 },
      creationInfo: { agencyID: "WEL", version: "2" },
      foreign: [{ name: "madeFrom", text: idOf("origin", 1) }],
    });
    expect(after.origin?.[2]?.arrival).toBeUndefined();
    expect(after.preferredMagnitudeID).toBe(idOf("magnitude", 1));

    expect((await change({ depth: 34 })).body.version).toBe(3);
    expect((await change({ depth: 34 })).body.version).toBe(3);
    expect((await bulletin()).bulletin.origin).toHaveLength(3);
    expect((await bulletin("?asOf=2")).bulletin).toEqual(after);
    expect((await history()).map((one) => one.event.depth)).toEqual([34, 33, 12.3]);
  });

  test("of the magnitude, region, type and mechanisms changes what it is of, another leaves the bulletin", async () => {
    const { event, change, bulletin } = await withBulletin();
    const noted = (await change({ extra: { note: "checked" } })).body;
    expect([noted.version, noted.event.bulletin_sha256]).toEqual([2, event.bulletin_sha256]);
    const patch = {
      magnitude: 5.1,
      region: "Cook Strait",
      event_type: "quarry blast",
      focal_mechanisms: [{ misfit: 0.5 }],
    };
    const changed = (await change(patch)).body.event;
    expect(changed).toMatchObject({ magnitude: 5.1, region: "Cook Strait", depth: 12.3 });
    const { bulletin: after } = await bulletin();
    expect(after).toMatchObject({
      type: "quarry blast",
      description: [{ text: "Cook Strait", type: "region name" }],
      focalMechanism: [{ misfit: 0.5 }],
    });
    expect(after.origin).toEqual(GIVEN.origin);
    expect(after.magnitude?.[2]).toMatchObject({ mag: { value: 5.1, uncertainty: 0.2 } });
  });
});

test("after every kind of change an earlier version comes back with its event, bulletin and hash", async () => {
  const { catalogue, event, read, change, send, bulletin } = await withBulletin();
  await change({ depth: 33, magnitude: 5.1, region: "Cook Strait", event_type: "quarry blast" });
  await send("PATCH", "/preferred", { originID: idOf("origin", 2) });
  await send("DELETE", `${solution("magnitude", 2)}?cascade=true`);
  await send("POST", "/comments", { text: "checked" });
  await send("PUT", "/bulletin", { bulletin: smallBulletin("other") });
  await send("DELETE", "/bulletin");
  await send("DELETE", "");
  const restored = await editor.send("POST", `${catalogue}/versions/1/restore`);
  expect(restored.body).toEqual({ version: 9 });
  expect(await read()).toEqual(event);
  expect(await bulletin()).toEqual({ bulletin: GIVEN, version: 9, source: "bulletin" });
  const hashOf = async (version: number) =>
    (await editor.get<{ version: VersionRecord }>(`${catalogue}/versions/${version}`)).body.version
      .sha256;
  const hashes = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(hashOf));
  expect(hashes[8]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(8);
});

test("preferred solutions move, and the row follows; null leaves the choice to the rules", async () => {
  const { send, bulletin } = await withBulletin();
  const same = await send("PATCH", "/preferred", { originID: idOf("origin", 1) });
  expect(same.body.version).toBe(1);
  const nowhere = await send("PATCH", "/preferred", { originID: "smi:x.y/9" });
  expectRefusal(nowhere, "CONFLICT");
  const second = { originID: idOf("origin", 2), magnitudeID: idOf("magnitude", 2) };
  expect((await send("PATCH", "/preferred", second)).body).toMatchObject({
    event: { latitude: -41.75, magnitude: 4.7, magnitude_type: "ML" },
    version: 2,
  });
  const chosen = await send("PATCH", "/preferred", { originID: null });
  expect(chosen.body.event.latitude).toBe(-41.5);
  expect((await bulletin()).bulletin.preferredOriginID).toBeUndefined();

  const row = await oneEvent(editor);
  expectRefusal(await row.send("PATCH", "/preferred", { originID: "x" }), "CONFLICT");
  const none = await row.send("PATCH", "/preferred", { originID: null });
  expect(none.body).toEqual({ version: 1, event: row.event });
});

test("a free solution is deleted, a preferred or needed one only with what goes with it", async () => {
  const { send, bulletin } = await withBulletin();
  type Deleted = { version: number; deleted: object[] };
  const remove = (below: string) => send<Deleted>("DELETE", below);
  expect((await remove(solution("magnitude", 2))).body).toEqual({
    version: 2,
    deleted: [{ kind: "magnitude", publicID: idOf("magnitude", 2) }],
  });
  expectRefusal(await remove(solution("magnitude", 1)), "CONFLICT", "preferred");
  await send("PATCH", "/preferred", { originID: idOf("origin", 2) });
  expectRefusal(await remove(solution("origin", 1)), "CONFLICT", "referred to");
  const { body } = await remove(`${solution("origin", 1)}?cascade=true`);
  expect(body.deleted).toEqual(
    ["magnitude", "stationMagnitude", "origin"].map((kind) => ({ kind, publicID: idOf(kind, 1) })),
  );
  const { bulletin: after } = await bulletin();
  expect(after.pick).toEqual(GIVEN.pick);
  expect(after.magnitude).toBeUndefined();
  expectRefusal(await remove(solution("origin", 1)), "NOT_FOUND");
});

test("a comment comes into the bulletin with author and time, which is made of the row where there is none", async () => {
  for (const submitted of [{ bulletin: GIVEN }, seismicEvent()]) {
    const { event, read, send, bulletin } = await oneEvent(editor, submitted);
    const further = "members are ignored, as in other bodies";
    const answer = await send<{ comment: object }>("POST", "/comments", { text: "felt", further });
    const creationInfo = { author: expect.any(String), creationTime: expect.any(String) };
    expect(answer).toMatchObject({
      status: 201,
      body: { comment: { text: "felt", creationInfo }, version: 2 },
    });
    expect((await bulletin()).bulletin.comment?.at(-1)).toEqual(answer.body.comment);
    expect(attributesOf(await read())).toEqual(attributesOf(event));
  }
});

test("a bulletin is replaced with its row, and history and differences name the solutions that differ", async () => {
  const { catalogue, change, send, bulletin, history } = await withBulletin();
  const [origin, ...others] = GIVEN.origin ?? [];
  const [arrival] = origin?.arrival ?? [];
  const changed = { ...origin, arrival: [{ ...arrival, timeResidual: 0.5 }] };
  const put = (members: object) =>
    send("PUT", "/bulletin", { bulletin: { ...GIVEN, origin: [changed, ...others], ...members } });
  expect((await put({})).body.version).toBe(2);
  await change({ extra: { note: "the row alone" } });
  const solutions = [
    { kind: "arrival", publicID: arrival?.publicID, change: "updated", members: ["timeResidual"] },
  ];
  const told = await history();
  expect(told).toMatchObject([{ version: 3 }, { version: 2, solutions }, { version: 1 }]);
  expect(told[0]).not.toHaveProperty("solutions");
  const diff = await editor.get(`${catalogue}/versions/2/diff`);
  expect(diff.body).toMatchObject({ updated: 1, changes: [{ change: "updated", solutions }] });

  const preferred = { preferredOriginID: idOf("origin", 2) };
  expect((await put(preferred)).body).toMatchObject({ version: 4, event: { latitude: -41.75 } });
  expect((await put(preferred)).body.version).toBe(4);
  const refused = expectRefusal(await put({ type: "quake" }), "VALIDATION_ERROR");
  expect(refused.details).toMatchObject([{ field: "bulletin.type" }]);
  expect((await bulletin("?asOf=1")).bulletin).toEqual(GIVEN);
});

test("a bulletin is removed, while the row stays", async () => {
  const { event, send, bulletin } = await withBulletin();
  const {
    bulletin_sha256: _,
    bulletin_counts: __,
    ...row
  } = event as SeismicEvent & {
    bulletin_counts?: unknown;
  };
  for (const _time of [1, 2]) {
    expect((await send("DELETE", "/bulletin")).body).toEqual({ event: row, version: 2 });
  }
  expect((await bulletin()).source).toBe("row");
});

describe("an event that comes again", () => {
  type Added = { version: number; updatedEvents: number; skippedEvents: number };

  async function known() {
    const one = await withBulletin();
    const update = async (submitted: object) =>
      (await one.add<Added>({ events: [submitted], updateExisting: true })).body;
    return { ...one, update };
  }

  test("as a row is edited, and nothing is taken away", async () => {
    const { event, update, read, bulletin } = await known();
    const { source_id, extra, time, latitude, longitude } = event;
    const tabled = { source_id, extra, time, latitude, longitude, magnitude: null };
    expect(await update(tabled)).toMatchObject({ version: 1, skippedEvents: 1 });
    const changed = await update({ ...tabled, depth: 20, magnitude: 4.5 });
    expect(changed).toMatchObject({ version: 2, updatedEvents: 1 });
    expect(await read()).toMatchObject({ depth: 20, magnitude: 4.5, magnitude_type: "Mw" });
    const { bulletin: after } = await bulletin();
    expect(after.origin?.slice(0, 2)).toEqual(GIVEN.origin);
    expect(after.origin?.[2]).toMatchObject({ depth: { value: 20_000 } });
    expect(after.magnitude).toEqual(GIVEN.magnitude);
  });

  test("with its bulletin keeps what was made here, and is updated where the bulletin alone differs", async () => {
    const { event, change, send, update, read, bulletin } = await known();
    const { source_id } = event;
    const felt = { ...GIVEN, comment: [{ text: "not felt" }] };
    expect(await update({ bulletin: GIVEN })).toMatchObject({ version: 1, updatedEvents: 0 });
    expect(await update({ bulletin: felt })).toMatchObject({ version: 2, updatedEvents: 1 });
    await change({ depth: 20 });
    await send("POST", "/comments", { text: "checked" });
    const { bulletin: edited } = await bulletin();
    expect(await update({ source_id, bulletin: felt })).toMatchObject({ version: 4 });
    expect((await bulletin()).bulletin).toEqual(edited);

    const [first, ...others] = GIVEN.magnitude ?? [];
    const magnitude = [{ ...first, mag: { value: 4.9 } }, ...others];
    const renewed = await update({ source_id, bulletin: { ...felt, magnitude } });
    expect(renewed).toMatchObject({ version: 5, updatedEvents: 1 });
    expect(await read()).toMatchObject({ depth: 20, magnitude: 4.9 });
    const { origin, comment } = (await bulletin()).bulletin;
    expect([origin, comment]).toEqual([edited.origin, edited.comment]);
  });

  test("with a bulletin of solutions alone keeps its readings", async () => {
    const { event, update, read, bulletin } = await known();
    const { arrival: _, ...relocated } = { ...GIVEN.origin?.[0], publicID: "smi:test.local/new/1" };
    const added = { publicID: GIVEN.publicID, origin: [{ ...relocated, depth: { value: 8000 } }] };
    const answer = await update({ source_id: event.source_id, bulletin: added });
    expect(answer).toMatchObject({ version: 2 });
    expect(await read()).toMatchObject({ depth: 8, magnitude: 4.5 });
    const { bulletin: after } = await bulletin();
    expect(after.origin).toEqual([...(GIVEN.origin ?? []), added.origin[0]]);
    expect(after.pick).toEqual(GIVEN.pick);
  });
});

const OWN = "{urn:earthquake-catalogue:1.0}";
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
