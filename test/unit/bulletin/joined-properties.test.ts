import fc from "fast-check";
import { expect, test } from "vitest";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import { createJoinedRowReader } from "#services/changes/joined-row.ts";
import { type Joined, joinedBulletin } from "#services/domain/bulletins/union.ts";
import { type Identified, listOf, TOP_LISTS } from "#services/domain/bulletins/view.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";
import { anyBulletin } from "../../support/bulletins/likely-bulletin.ts";
import { runs } from "../../support/runs.ts";

const NOW = Date.UTC(2026, 0, 1);
const view = createBulletinView(NOW);
const readRow = createJoinedRowReader(NOW);
const validate = createEventValidator({ nowMs: NOW });

const magnitude = fc.constantFrom(3, 3.5, 4.25);
const time = fc.constantFrom("2024-05-06T07:08:09.5Z", "2024-05-06T07:08:30Z");
const degrees = fc.constantFrom(-42.5, -42.125, 17.125);
const place = { time, latitude: degrees, longitude: degrees, depth: fc.constantFrom(10, 12.5) };
const rated = { magnitude, magnitude_type: fc.constantFrom("ML", "Mw", "mb") };
const angles = {
  strike: fc.constantFrom(10, 200),
  dip: fc.constantFrom(30, 60),
  rake: fc.constantFrom(-90, 90),
};

/** An event without a bulletin. */
const bare = fc.record({ ...place, ...rated }).map((row) => {
  const validated = validate({ ...row, source_id: "e" });
  if (!validated.ok) throw new Error(JSON.stringify(validated.errors));
  const event = { ...validated.record, id: "0a1b2c3d-4e5f-8a6b-8000-000100000001" };
  return bulletinOfRow(event as SeismicEvent);
});
/** Of several objects with one id, what is shown is that of the first. */
const hasOwnIds = (bulletin: Bulletin) =>
  TOP_LISTS.every(([kind]) => {
    const ids = listOf(bulletin, kind).map(({ publicID }) => publicID);
    return new Set(ids).size === ids.length;
  });
const whole = anyBulletin.filter((bulletin) => view.row(bulletin) !== null && hasOwnIds(bulletin));
const before: fc.Arbitrary<Bulletin> = fc.oneof(bare, whole);

/** Rows of the kinds of tables that say something of an event. */
const anyRow: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.record(rated),
    fc.record({ ...place, ...rated }),
    fc.record({ ...rated, MLNZ20: magnitude, NrStaMLNZ20: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ ...rated, ...angles }),
    fc.record({
      station: fc.constantFrom("WEL", "KHZ"),
      phase: fc.constantFrom("P", "S"),
      time,
      residual: fc.constantFrom(null, 0.25, -1),
    }),
  )
  .map((row) => ({ ...row, source_id: "e" }));

function said(row: JsonObject): Joined {
  const read = readRow({ row, line: 1 });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.joined;
}

const rows = fc.array(anyRow, { minLength: 1, maxLength: 8 }).map((some) => some.map(said));
const numRuns = runs(400, 1 / 10);

/** What a bulletin has, in lists of ids by kind; of the same id as often as it is there. */
const held = (bulletin: Bulletin) =>
  Object.fromEntries(
    TOP_LISTS.map(([kind]) => [
      kind,
      listOf(bulletin, kind)
        .map(({ publicID }) => publicID)
        .sort(),
    ]),
  );

const arrivalsOf = ({ arrival = [] }: Identified) => arrival as readonly QuakemlObject<"Arrival">[];
const withoutArrivals = ({ arrival: _, ...rest }: Identified) => rest;

test("each pick with a residual is at the end an arrival of the origin that is shown, once", () => {
  fc.assert(
    fc.property(before, rows, fc.boolean(), (bulletin, additions, preferred) => {
      const after = joinedBulletin(bulletin, additions, preferred, view);
      const shown = view.origin(after);
      const present = bulletin.origin?.find(({ publicID }) => publicID === shown?.publicID);
      const added = (shown?.arrival ?? []).slice(present?.arrival?.length ?? 0);
      const said = additions.flatMap((one) => ("row" in one ? (one.row.picks ?? []) : []));
      const ofPick = ({ pick }: (typeof said)[number]) =>
        after.pick?.filter(
          ({ time, waveformID, phaseHint }) =>
            phaseHint === pick.phaseHint &&
            waveformID.stationCode === pick.waveformID.stationCode &&
            Date.parse(time.value) === Date.parse(pick.time.value),
        );
      const all = (shown?.arrival ?? []).map(({ pickID }) => pickID);
      for (const one of said.filter(({ arrival }) => arrival)) {
        expect(ofPick(one)?.some(({ publicID }) => all.includes(publicID))).toBe(true);
      }
      const ids = added.map(({ pickID }) => pickID);
      expect(new Set(ids).size).toBe(ids.length);
      const told = said.flatMap((one) => (one.arrival ? (ofPick(one) ?? []) : []));
      for (const id of ids) expect(told.some(({ publicID }) => publicID === id)).toBe(true);
    }),
    { numRuns },
  );
});

test("nothing that was there is lost or changed by rows, and what is added stands behind it", () => {
  fc.assert(
    fc.property(before, rows, fc.boolean(), (bulletin, additions, preferred) => {
      const after = joinedBulletin(bulletin, additions, preferred, view);
      for (const [kind] of TOP_LISTS) {
        const present = listOf(bulletin, kind);
        const kept = listOf(after, kind).slice(0, present.length);
        // Arrivals are added to an origin that is there.
        expect(kept.map(withoutArrivals)).toEqual(present.map(withoutArrivals));
        const before = present.map(arrivalsOf);
        expect(kept.map((one, i) => arrivalsOf(one).slice(0, before[i]?.length))).toEqual(before);
      }
    }),
    { numRuns },
  );
});

test("without being preferred, what is added changes nothing of the row that is shown there", () => {
  fc.assert(
    fc.property(before, rows, (bulletin, additions) => {
      const shown = view.row(bulletin);
      const after = view.row(joinedBulletin(bulletin, additions, false, view));
      const given = Object.entries(shown ?? {}).filter(
        ([name, value]) => value !== null && name !== "focal_mechanisms" && name !== "extra",
      );
      expect(after).toMatchObject(Object.fromEntries(given));
    }),
    { numRuns },
  );
});

test("rows that are joined twice add nothing the second time", () => {
  fc.assert(
    fc.property(before, rows, fc.boolean(), (bulletin, additions, preferred) => {
      const once = joinedBulletin(bulletin, additions, preferred, view);
      expect(joinedBulletin(once, additions, preferred, view)).toEqual(once);
    }),
    { numRuns },
  );
});

test("the order of rows changes nothing but which is shown", () => {
  const shuffled = rows.chain((some) =>
    fc.tuple(
      fc.constant(some),
      fc.shuffledSubarray(some, { minLength: some.length, maxLength: some.length }),
    ),
  );
  fc.assert(
    fc.property(before, shuffled, fc.boolean(), (bulletin, [one, other], preferred) => {
      const [first, second] = [one, other].map((some) =>
        joinedBulletin(bulletin, some, preferred, view),
      );
      expect(held(first as Bulletin)).toEqual(held(second as Bulletin));
    }),
    { numRuns },
  );
});

test("each magnitude of a row is there afterwards, and no others than those", () => {
  const told = (bulletin: Bulletin) =>
    (bulletin.magnitude ?? []).map(({ type, mag }) => `${type} ${mag.value}`);
  fc.assert(
    fc.property(before, fc.array(anyRow, { minLength: 1, maxLength: 8 }), (bulletin, some) => {
      const after = joinedBulletin(bulletin, some.map(said), false, view);
      const given = some.flatMap((row) => [
        ...(row["magnitude"] === undefined ? [] : [`${row["magnitude_type"]} ${row["magnitude"]}`]),
        ...(row["MLNZ20"] === undefined ? [] : [`MLNZ20 ${row["MLNZ20"]}`]),
      ]);
      expect(new Set(told(after))).toEqual(new Set([...told(bulletin), ...given]));
    }),
    { numRuns },
  );
});
