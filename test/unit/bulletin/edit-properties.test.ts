import fc from "fast-check";
import { expect, test } from "vitest";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import { editedBulletin } from "#services/domain/bulletins/edits.ts";
import { VIEWED_NAMES, type ViewedRow } from "#services/domain/bulletins/view.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { anyBulletin } from "../../support/bulletins/likely-bulletin.ts";
import { anyMechanism } from "../../support/formats/any-mechanism.ts";

const ID = "0a1b2c3d-4e5f-8a6b-8000-000100000007";
const view = createBulletinView(Date.UTC(2026, 0, 1));

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
      expect(viewed(view.row(bulletinOfRow({ id: ID, ...row })))).toEqual(viewed(row));
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
        const edit = {
          eventId: ID,
          before: row,
          after,
          version: i + 2,
          at: "2025-01-01T00:00:00.000Z",
        };
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
      const edit = {
        eventId: ID,
        before,
        after: changed,
        version: 2,
        at: "2025-01-01T00:00:00.000Z",
      };
      const { origin = [], magnitude = [], ...edited } = editedBulletin(given, edit, view);
      expect(origin.slice(0, given.origin?.length)).toEqual(given.origin);
      expect(magnitude.slice(0, given.magnitude?.length ?? 0)).toEqual(given.magnitude ?? []);
      for (const kind of ["pick", "amplitude", "stationMagnitude", "focalMechanism"] as const) {
        expect(edited[kind]).toEqual(given[kind]);
      }
    }),
  );
});
