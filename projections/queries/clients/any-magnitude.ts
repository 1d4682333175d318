import { type FragmentSqlToken, sql } from "slonik";
import type { FdsnQuery } from "#contracts/fdsn/parse-query.ts";
import { filterConditions } from "../events/event-filters.ts";

export type MagnitudeFilters = Pick<FdsnQuery, "filters" | "exceptMagnitudeType" | "anyMagnitude">;

/** By the type and the bounds of the magnitude that the row shows. */
export function ofShownMagnitude({
  filters: { magnitudeType, minMagnitude, maxMagnitude },
  exceptMagnitudeType,
}: MagnitudeFilters): FragmentSqlToken {
  const ofType = filterConditions({ magnitudeType, minMagnitude, maxMagnitude });
  return exceptMagnitudeType === null
    ? ofType
    : sql.fragment`${ofType} and magnitude_type <> ${exceptMagnitudeType}`;
}

/**
 * Joins as `matched` to events `e` the magnitude of the bulletin by which each is found, with its place
 * in the bulletin: of those of the type that are within all bounds the preferred one, else the largest.
 * Nothing is joined where the shown magnitude is meant.
 */
export function matchedMagnitude({
  filters: { magnitudeType = [], minMagnitude, maxMagnitude },
  exceptMagnitudeType,
  anyMagnitude,
}: MagnitudeFilters): FragmentSqlToken {
  if (!anyMagnitude) return sql.fragment``;
  const conditions = [
    sql.fragment`lower(m.type) = any(${sql.array(magnitudeType, "text")})`,
    ...(exceptMagnitudeType === null ? [] : [sql.fragment`m.type <> ${exceptMagnitudeType}`]),
    ...(minMagnitude === undefined ? [] : [sql.fragment`m.value >= ${minMagnitude}`]),
    ...(maxMagnitude === undefined ? [] : [sql.fragment`m.value <= ${maxMagnitude}`]),
  ];
  return sql.fragment`
    left join lateral (
      select m.value, m.place from read_model.bulletin_magnitudes m
      where m.catalogue_key = e.catalogue_key and m.event_id = e.event_id
        and m.revision = e.bulletin_revision and ${sql.join(conditions, sql.fragment` and `)}
      order by m.preferred desc, m.value desc, m.place limit 1
    ) matched on true`;
}

/** By a joined magnitude, or by the shown one of an event without a bulletin, which has no other. */
export function ofAnyMagnitude(query: MagnitudeFilters): FragmentSqlToken {
  return sql.fragment`
    case when bulletin_revision is null then ${ofShownMagnitude(query)}
      else matched.place is not null end`;
}

/** The magnitude by which events are ordered: that by which they are found. */
export function orderedMagnitude({ anyMagnitude }: MagnitudeFilters): FragmentSqlToken | undefined {
  return anyMagnitude ? sql.fragment`coalesce(matched.value, magnitude)` : undefined;
}
