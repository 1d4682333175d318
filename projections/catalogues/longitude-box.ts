import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { CatalogueEventData } from "#contracts/events/catalogues.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { Transaction } from "../engine/projection.ts";
import { type VersionRows, visibleAt } from "../read/versions.ts";

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

/**
 * Whether a revision may have changed the widest gap. An event that came narrows it only from within.
 * One that went, or came elsewhere, widens another gap, which then may be the widest: never where the box
 * is less than half around, unless it went from an end of the box.
 */
async function mayMove(
  transaction: Transaction,
  { key, version }: VersionRows,
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

/** Degrees; west is above east across the antimeridian. */
type LongitudeBox = { readonly west: number; readonly east: number };

/** The west and east of the smallest box around a version's events; null without any. */
export function smallestBoxAt(lookups: Lookups, version: VersionRows) {
  return smallestBox(lookups, sql.fragment`read_model.seismic_events where ${visibleAt(version)}`);
}

/** Classes of longitudes a degree: a million events are classed three times as fast as sorted. */
const CLASSES = 100;

/**
 * The west and east of the smallest box around events; null without any. Within a class may be the widest
 * gap only if none is wider.
 * @param rows what follows `from`: the table of the events, and which
 */
export async function smallestBox(lookups: Lookups, rows: FragmentSqlToken) {
  const found = await lookups.maybeOne(
    boxBetween(sql.fragment`
      select min(longitude) as first, max(longitude) as last from ${rows}
      group by floor(longitude * ${CLASSES})`),
  );
  if (found === null) return null;
  const { gap, ...box } = found;
  if (gap > 2 / CLASSES) return box;
  return lookups.maybeOne(
    boxBetween(sql.fragment`select distinct longitude as first, longitude as last from ${rows}`),
  );
}

const Gap = z.object({ west: z.number(), east: z.number(), gap: z.number() });

/** The box behind the widest gap, in degrees, between classes; the first has that across 180° before it. */
function boxBetween(classes: FragmentSqlToken) {
  return sql.type(Gap)`
    select first as west, before as east, first - before + case when before < first then 0 else 360 end as gap
    from (
      select first,
        coalesce(lag(last) over (order by first), max(last) over ()) as before
      from (${classes}) classes
    ) gaps
    order by gap desc, west limit 1`;
}
