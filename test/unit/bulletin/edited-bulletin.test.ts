import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import { editedBulletin } from "#services/domain/bulletins/edits.ts";
import { COMPACT, EVENT_ID, GIVEN } from "./given-bulletin.ts";

const view = createBulletinView(Date.UTC(2026, 0, 1));
const AT = "2025-01-02T03:04:05.000Z";
const EC = "urn:earthquake-catalogue:1.0";

type Change = Partial<SeismicEventRecord>;

/** The bulletin after each change of its row, in versions 2, 3, … */
function edited(bulletin: Bulletin, ...changes: Change[]): Bulletin {
  let row = { ...view.row(bulletin), extra: null, source_events: null } as SeismicEventRecord;
  let result = bulletin;
  for (const [i, change] of changes.entries()) {
    const after = { ...row, ...change };
    const edit = { eventId: EVENT_ID, before: row, after, version: i + 2, at: AT };
    result = editedBulletin(result, edit, view);
    row = after;
  }
  return result;
}

const [first] = GIVEN.origin ?? [];

test("another depth makes a preferred origin of the shown one's members, without its arrivals", () => {
  expect(edited(GIVEN, { depth: 12.5 })).toEqual({
    ...GIVEN,
    origin: [
      ...(GIVEN.origin ?? []),
      {
        publicID: `smi:local.catalogue/origin/${COMPACT}/2`,
        time: first?.time,
        latitude: first?.latitude,
        longitude: first?.longitude,
        depth: { value: 12500, uncertainty: 900 },
        quality: first?.quality,
        creationInfo: { agencyID: "WEL", creationTime: AT, version: "2" },
        foreign: [{ ns: EC, name: "madeFrom", text: "smi:org.example/o1" }],
      },
    ],
    preferredOriginID: `smi:local.catalogue/origin/${COMPACT}/2`,
    preferredMagnitudeID: "smi:org.example/m1",
  });
});

test("another magnitude makes one of the shown origin, without contributions", () => {
  const after = edited(GIVEN, { magnitude: 4.5 });
  expect(after.origin).toEqual(GIVEN.origin);
  expect(after.preferredMagnitudeID).toBe(`smi:local.catalogue/magnitude/${COMPACT}/2`);
  expect(after.magnitude).toEqual([
    ...(GIVEN.magnitude ?? []),
    {
      publicID: `smi:local.catalogue/magnitude/${COMPACT}/2`,
      mag: { value: 4.5, uncertainty: 0.2 },
      type: "ML",
      originID: "smi:org.example/o1",
      creationInfo: { agencyID: "WEL", creationTime: AT, version: "2" },
      foreign: [{ ns: EC, name: "madeFrom", text: "smi:org.example/m1" }],
    },
  ]);
});

test("the next edit replaces what an edit made, and its magnitude follows", () => {
  const after = edited(GIVEN, { depth: 12.5 }, { magnitude: 4.5 }, { depth: 13, latitude: 1 });
  const id = `smi:local.catalogue/origin/${COMPACT}/4`;
  expect(after.origin?.map(({ publicID }) => publicID)).toEqual([
    "smi:org.example/o1",
    "smi:org.example/o2",
    id,
  ]);
  expect(after.origin?.[2]).toMatchObject({
    depth: { value: 13000 },
    latitude: { value: 1 },
    foreign: [{ name: "madeFrom", text: "smi:org.example/o1" }],
  });
  expect(after.magnitude?.at(-1)).toMatchObject({
    publicID: `smi:local.catalogue/magnitude/${COMPACT}/3`,
    originID: id,
  });
});

test("what an edit made stays where another solution refers to it", () => {
  const made = edited(GIVEN, { depth: 12.5 });
  const [magnitude] = GIVEN.magnitude ?? [];
  if (magnitude === undefined || made.preferredOriginID === undefined) throw new Error("none");
  const other = { ...magnitude, publicID: "smi:org.example/m9", originID: made.preferredOriginID };
  const referred = { ...made, magnitude: [...(made.magnitude ?? []), other] };
  expect(edited(referred, { depth: 13 }).origin).toHaveLength(4);
});

test("the region is the description of its type, the event's type is the event's", () => {
  const after = edited(GIVEN, { region: "Cook Strait", event_type: "quarry blast" });
  expect(after).toEqual({
    ...GIVEN,
    type: "quarry blast",
    description: [
      { text: "Cook Strait", type: "region name" },
      { text: "COOK STRAIT, NEW ZEALAND", type: "Flinn-Engdahl region" },
    ],
  });
  expect(edited(after, { region: "Kaikōura" }).description?.[0]).toEqual({
    text: "Kaikōura",
    type: "region name",
  });
});

test("a region or magnitude that is said to be unknown is so in spite of the solutions", () => {
  const after = edited(GIVEN, { region: null, magnitude: null });
  expect(after).toEqual({
    ...GIVEN,
    foreign: [
      { ns: EC, name: "attributes", text: JSON.stringify({ magnitude: null, region: null }) },
    ],
  });
  const known = edited(GIVEN, { region: null, magnitude: null }, { magnitude: 5 });
  expect(known.foreign?.[0]?.text).toBe('{"region":null}');
});

test("a mechanism changes in place and keeps what the row does not show", () => {
  const [mechanism] = view.row(GIVEN)?.focal_mechanisms ?? [];
  const planes = { nodalPlane1: { strike: 11, dip: 20, rake: 30 } };
  const after = edited(GIVEN, { focal_mechanisms: [{ ...mechanism, nodalPlanes: planes }] });
  expect(after.focalMechanism).toEqual([
    {
      publicID: "smi:org.example/f1",
      waveformID: [{ networkCode: "NZ", stationCode: "WEL" }],
      misfit: 0.25,
      nodalPlanes: {
        nodalPlane1: {
          strike: { value: 11, uncertainty: 5 },
          dip: { value: 20 },
          rake: { value: 30 },
        },
      },
    },
  ]);
  expect(after.foreign).toBeUndefined();
});

test("mechanisms that the row no longer has go, new ones come with ids of the service", () => {
  const after = edited(GIVEN, { focal_mechanisms: [{ misfit: 0.5 }] });
  expect(after.focalMechanism).toEqual([
    { publicID: `smi:local.catalogue/mechanism/${COMPACT}/2/1`, misfit: 0.5 },
  ]);
  expect(edited(after, { focal_mechanisms: null }).focalMechanism).toBeUndefined();
});
