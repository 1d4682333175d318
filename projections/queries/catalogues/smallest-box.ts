import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Lookups } from "#infra/postgres/statements.ts";
import { type VersionRows, visibleAt } from "../events/resolve-version.ts";

/** Degrees; west is above east across the antimeridian. */
export type LongitudeBox = { readonly west: number; readonly east: number };

/** The west and east of the smallest box around a version's events; null without any. */
export function smallestBoxAt(
  lookups: Lookups,
  version: VersionRows,
): Promise<LongitudeBox | null> {
  return smallestBox(lookups, sql.fragment`read_model.seismic_events where ${visibleAt(version)}`);
}

/** Classes of longitudes a degree: a million events are classed three times as fast as sorted. */
const CLASSES = 100;

/**
 * The west and east of the smallest box around events; null without any. Within a class may be the widest
 * gap only if none is wider.
 * @param rows what follows `from`: the table of the events, and which
 */
export async function smallestBox(
  lookups: Lookups,
  rows: FragmentSqlToken,
): Promise<LongitudeBox | null> {
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
