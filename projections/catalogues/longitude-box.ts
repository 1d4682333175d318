import { sql } from "slonik";
import { z } from "zod";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { Transaction } from "../engine/projection.ts";
import { type LongitudeBox, smallestBox } from "../queries/catalogues/smallest-box.ts";

const Boxed = z.object({
  key: z.int(),
  event_count: z.int(),
  box_west: z.number().nullable(),
  box_east: z.number().nullable(),
});

/**
 * Keeps the west and east of a catalogue's smallest box after a commit: it begins behind the widest gap
 * between longitudes. Longitudes are looked through again only where the commit may have changed the
 * widest gap, which few edits do.
 */
export async function keepLongitudeBox(
  transaction: Transaction,
  { catalogueId, revision: version }: CatalogueEventData<"RevisionCommitted">,
): Promise<void> {
  const catalogue = await transaction.maybeOne(sql.type(Boxed)`
    select key, event_count, box_west, box_east from catalogues where id = ${catalogueId}`);
  if (catalogue === null) throw new Error(`no row of catalogue ${catalogueId}`);
  const { key, event_count, box_west: west, box_east: east } = catalogue;
  if (west !== null && east !== null && event_count > 0) {
    if (!(await mayMove(transaction, { key, version }, { west, east }))) return;
  }
  // Of the transaction's own schema: a rebuild's is another than that of the live tables.
  const present = sql.fragment`seismic_events where catalogue_key = ${key} and revision_to is null`;
  const box = event_count === 0 ? null : await smallestBox(transaction, present);
  await transaction.run(sql.unsafe`
    update catalogues set box_west = ${box?.west ?? null}, box_east = ${box?.east ?? null}
    where key = ${key}`);
}

type Revision = { readonly key: number; readonly version: number };

/**
 * Whether a revision may have changed the widest gap. An event that came narrows it only from within.
 * One that went, or came elsewhere, widens another gap, which then may be the widest: never where the box
 * is less than half around, unless it went from an end of the box.
 */
async function mayMove(
  transaction: Transaction,
  { key, version }: Revision,
  { west, east }: LongitudeBox,
): Promise<boolean> {
  const width = west <= east ? east - west : east - west + 360;
  const isOutside =
    west <= east
      ? sql.fragment`longitude not between ${west} and ${east}`
      : sql.fragment`longitude > ${east} and longitude < ${west}`;
  const isMissed = width < 180 ? sql.fragment`longitude in (${west}, ${east})` : sql.fragment`true`;
  // Grouped, not joined: without statistics of the revision a join may go through all of it for each of its rows.
  const { moves } = await transaction.one(sql.type(z.object({ moves: z.boolean() }))`
    select exists (
      select from seismic_events
      where catalogue_key = ${key} and revision_from = ${version} and ${isOutside}
    ) or exists (
      select from (
        select event_id, longitude, false as is_there from seismic_events
        where catalogue_key = ${key} and revision_to = ${version} and ${isMissed}
        union all
        select event_id, longitude, true from seismic_events
        where catalogue_key = ${key} and revision_from = ${version} and ${isMissed}
      ) ends
      group by event_id, longitude having not bool_or(is_there)
    ) as moves`);
  return moves;
}
