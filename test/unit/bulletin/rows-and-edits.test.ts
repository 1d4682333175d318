import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import { editedBulletin, updatedEvent, type WholeEvent } from "#services/domain/bulletins/edits.ts";
import { VIEWED_NAMES, type ViewedRow } from "#services/domain/bulletins/view.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { anyBulletin } from "../../support/bulletins/likely-bulletin.ts";
import { anyMechanism } from "../../support/formats/any-mechanism.ts";
import { COMPACT, EVENT_ID, GIVEN } from "./given-bulletin.ts";

const PLACE = { time: "2024-05-06T07:08:09.10Z", latitude: -41.5, longitude: 174.25 };

test("a row is one origin and one magnitude, in metres", () => {
  const record = emptyRecord(PLACE);
  const bulletin = bulletinOfRow({
    ...record,
    id: EVENT_ID,
    source_id: "2024p344188",
    depth: 5.1,
    depth_uncertainty: 0.25,
    horizontal_uncertainty: 1.5,
    magnitude: 4.2,
    magnitude_type: "ML",
    magnitude_station_count: 12,
    used_phase_count: 40,
    azimuthal_gap: 77.5,
    agency_id: "WEL(GNS_Primary)",
    region: "Cook Strait",
    event_type: "earthquake",
    extra: { time_fixed: false, magnitude_method_id: "smi:nz.org.geonet/M", note: 1 },
  });
  expect(bulletin).toEqual({
    publicID: "smi:local.catalogue/event/2024p344188",
    type: "earthquake",
    description: [{ text: "Cook Strait", type: "region name" }],
    preferredOriginID: `smi:local.catalogue/origin/${COMPACT}`,
    preferredMagnitudeID: `smi:local.catalogue/magnitude/${COMPACT}`,
    origin: [
      {
        publicID: `smi:local.catalogue/origin/${COMPACT}`,
        time: { value: "2024-05-06T07:08:09.10Z" },
        latitude: { value: -41.5 },
        longitude: { value: 174.25 },
        depth: { value: 5100, uncertainty: 250 },
        timeFixed: false,
        originUncertainty: [
          { horizontalUncertainty: 1500, preferredDescription: "horizontal uncertainty" },
        ],
        quality: { usedPhaseCount: 40, azimuthalGap: 77.5 },
        creationInfo: { agencyID: "WEL(GNS_Primary)" },
      },
    ],
    magnitude: [
      {
        publicID: `smi:local.catalogue/magnitude/${COMPACT}`,
        originID: `smi:local.catalogue/origin/${COMPACT}`,
        mag: { value: 4.2 },
        type: "ML",
        methodID: "smi:nz.org.geonet/M",
        stationCount: 12,
      },
    ],
  });
});

test("what QuakeML has no place for stands in the event's own element", () => {
  const record = { ...emptyRecord(PLACE), depth_uncertainty: 3, magnitude_type: "Mw" };
  expect(bulletinOfRow({ ...record, id: EVENT_ID, source_id: "two words" })).toMatchObject({
    publicID: `smi:local.catalogue/id/${COMPACT}`,
    foreign: [
      {
        ns: "urn:earthquake-catalogue:1.0",
        name: "attributes",
        text: JSON.stringify({
          depth_uncertainty: 3,
          magnitude_type: "Mw",
          source_id: "two words",
        }),
      },
    ],
  });
});

test("every row makes a bulletin that the schema takes", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(
        BulletinBody.safeParse(bulletinOfRow({ id: EVENT_ID, ...record })).error,
      ).toBeUndefined();
    }),
  );
});

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

const SIGNATURE = { eventId: EVENT_ID, version: 3, at: AT };

function whole(bulletin: Bulletin): WholeEvent {
  const record = { ...view.row(bulletin), extra: null, source_events: null } as SeismicEventRecord;
  return { record, bulletin };
}

function editedWhole({ record, bulletin }: WholeEvent, change: Change): WholeEvent {
  if (bulletin === null) throw new Error("no bulletin");
  const edit = { ...SIGNATURE, version: 2, before: record, after: { ...record, ...change } };
  return { record: edit.after, bulletin: editedBulletin(bulletin, edit, view) };
}

const update = (present: WholeEvent, given: WholeEvent) =>
  updatedEvent(present, given, SIGNATURE, view);

describe("an event that comes again without a bulletin", () => {
  const { record } = whole(GIVEN);
  const text = emptyRecord({ time: "2024-05-06T07:08:09Z", latitude: -41.5, longitude: 174.25 });

  test("with equal values changes nothing", () => {
    const given = { ...text, time: "2024-05-06T07:08:09.5Z", depth: 5.1 };
    expect(update(whole(GIVEN), { record: given, bulletin: null })).toEqual(whole(GIVEN));
  });

  test("is an edit of what it knows, and takes nothing away", () => {
    const { time } = record;
    const given = { ...text, time, depth: 7, agency_id: "ISC" };
    const after = update(whole(GIVEN), { record: given, bulletin: null });
    expect(after.record).toEqual({ ...record, depth: 7, agency_id: "ISC" });
    expect(after.bulletin?.origin).toHaveLength(3);
    expect(after.bulletin?.origin?.slice(0, 2)).toEqual(GIVEN.origin);
    expect(after.bulletin?.preferredMagnitudeID).toBe("smi:org.example/m1");
  });
});

describe("an event that comes again with a bulletin", () => {
  const [first, second] = GIVEN.origin ?? [];
  if (first === undefined || second === undefined) throw new Error("no origins");

  test("replaces what its source gave before", () => {
    const other = whole({ ...GIVEN, origin: [second], preferredOriginID: second.publicID });
    expect(update(whole(GIVEN), other)).toEqual(other);
  });

  test("equal to the source's before leaves what was made here", () => {
    const present = editedWhole(editedWhole(whole(GIVEN), { depth: 9 }), { magnitude: 5 });
    expect(update(present, whole(GIVEN))).toEqual(present);
  });

  test("with a newer origin is preferred, and what was made here stays", () => {
    const present = editedWhole(whole(GIVEN), { depth: 9 });
    const creationInfo = { creationTime: "2025-06-01T00:00:00Z" };
    const newer = whole({ ...GIVEN, origin: [{ ...first, creationInfo }, second] });
    const after = update(present, newer);
    expect(after.record).toEqual(newer.record);
    expect(after.bulletin?.origin).toHaveLength(3);
    expect(after.bulletin?.preferredOriginID).toBe(first.publicID);
  });

  test("comments that people made here stay", () => {
    const own = { id: "smi:local.catalogue/comment/1/2", text: "checked" };
    const present = whole({ ...GIVEN, comment: [{ text: "old" }, own] });
    const given = whole({ ...GIVEN, comment: [{ text: "new" }] });
    expect(update(present, given).bulletin?.comment).toEqual([{ text: "new" }, own]);
  });

  test("that has solutions alone adds them to readings", () => {
    const relocated = { ...second, publicID: "smi:org.example/reloc", depth: { value: 8000 } };
    const given = whole({ publicID: GIVEN.publicID, origin: [relocated] });
    const after = update(whole(GIVEN), given);
    expect(after.bulletin).toEqual({
      ...GIVEN,
      origin: [...(GIVEN.origin ?? []), relocated],
      preferredOriginID: relocated.publicID,
    });
    expect(after.record).toMatchObject({ depth: 8, magnitude: 4.2 });
    expect(update(after, given)).toEqual(after);
  });
});

function viewed(row: ViewedRow | null): Record<string, unknown> {
  return Object.fromEntries(VIEWED_NAMES.map((name) => [name, row?.[name]]));
}

const anyRow = fc
  .tuple(anyRecord, fc.option(fc.array(anyMechanism, { minLength: 1, maxLength: 3 })))
  .map(([record, focal_mechanisms]) =>
    // As it comes back from JSON: no number is −0, no text has blanks at its ends.
    JSON.parse(JSON.stringify({ ...record, focal_mechanisms }), (_key, value) =>
      typeof value === "string" ? value.trim() : value === 0 ? 0 : value,
    ),
  ) as fc.Arbitrary<SeismicEventRecord>;

test("the view of a row's bulletin is the row", () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      expect(viewed(view.row(bulletinOfRow({ id: EVENT_ID, ...row })))).toEqual(viewed(row));
    }),
  );
});

const located = anyBulletin.filter((bulletin) => view.row(bulletin) !== null);

test("after any edits the row is the bulletin's view, and the bulletin is valid", () => {
  const edits = fc.array(fc.tuple(anyRow, fc.subarray([...VIEWED_NAMES], { minLength: 1 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(located, edits, (given, changes) => {
      let bulletin = given;
      let row = { ...view.row(given), extra: null, source_events: null } as SeismicEventRecord;
      for (const [i, [other, names]] of changes.entries()) {
        const after = {
          ...row,
          ...Object.fromEntries(names.map((name) => [name, other[name]])),
        } as SeismicEventRecord;
        const edit = { eventId: EVENT_ID, before: row, after, version: i + 2, at: AT };
        bulletin = editedBulletin(bulletin, edit, view);
        row = after;
        expect(viewed(view.row(bulletin))).toEqual(viewed(row));
        expect(BulletinBody.safeParse(bulletin).error).toBeUndefined();
      }
    }),
  );
});

test("an edit keeps every solution that no edit made", () => {
  fc.assert(
    fc.property(located, anyRow, (given, after) => {
      const before = { ...view.row(given), extra: null, source_events: null } as SeismicEventRecord;
      const changed = { ...after, focal_mechanisms: before.focal_mechanisms };
      const edit = { eventId: EVENT_ID, before, after: changed, version: 2, at: AT };
      const { origin = [], magnitude = [], ...others } = editedBulletin(given, edit, view);
      expect(origin.slice(0, given.origin?.length)).toEqual(given.origin);
      expect(magnitude.slice(0, given.magnitude?.length ?? 0)).toEqual(given.magnitude ?? []);
      for (const kind of ["pick", "amplitude", "stationMagnitude", "focalMechanism"] as const) {
        expect(others[kind]).toEqual(given[kind]);
      }
    }),
  );
});
