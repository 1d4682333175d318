import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { Transaction } from "../engine/projection.ts";

const Boxed = z.object({
  key: z.int(),
  event_count: z.int(),
  box_west: z.number().nullable(),
  box_east: z.number().nullable(),
});

type Box = { readonly west: number; readonly east: number };

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
  const box = event_count === 0 ? null : await smallestBox(transaction, key);
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
  { west, east }: Box,
): Promise<boolean> {
  const width = west <= east ? east - west : east - west + 360;
  const isOutside =
    west <= east
      ? sql.fragment`longitude not between ${west} and ${east}`
      : sql.fragment`longitude > ${east} and longitude < ${west}`;
  const isMissed =
    width < 180 ? sql.fragment`e.longitude in (${west}, ${east})` : sql.fragment`true`;
  const { moves } = await transaction.one(sql.type(z.object({ moves: z.boolean() }))`
    select exists (
      select from seismic_events
      where catalogue_key = ${key} and revision_from = ${version} and ${isOutside}
    ) or exists (
      select from seismic_events e
      where e.catalogue_key = ${key} and e.revision_to = ${version} and ${isMissed}
        and not exists (
          select from seismic_events s
          where s.catalogue_key = ${key} and s.event_id = e.event_id
            and s.revision_from = ${version} and s.longitude = e.longitude
        )
    ) as moves`);
  return moves;
}

/** Classes of longitudes a degree: a million events are classed three times as fast as sorted. */
const CLASSES = 100;

/** The box of the latest version's events. Within a class may be the widest gap only if none is wider. */
async function smallestBox(transaction: Transaction, key: number): Promise<Box> {
  const present = sql.fragment`seismic_events where catalogue_key = ${key} and revision_to is null`;
  const { gap, ...box } = await transaction.one(
    boxBetween(sql.fragment`
      select min(longitude) as first, max(longitude) as last from ${present}
      group by floor(longitude * ${CLASSES})`),
  );
  if (gap > 2 / CLASSES) return box;
  return transaction.one(
    boxBetween(sql.fragment`select distinct longitude as first, longitude as last from ${present}`),
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
