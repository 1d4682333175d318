import { type FragmentSqlToken, sql } from "slonik";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";

/** The names and values of a member's JSON, as the API answers an event. */
const MEMBER = sql.join(
  [...ATTRIBUTE_NAMES, "focal_mechanisms", "extra"].map(
    (name) => sql.fragment`${name}::text, ${sql.identifier(["s", name])}`,
  ),
  sql.fragment`, `,
);

/** ISO 8601 UTC with the digits that were submitted. */
const TIME = sql.fragment`left(to_char(s.time, 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  case when s.time_digits = 0 then 19 else 20 + s.time_digits end) || 'Z'`;

/**
 * The members of a merged event `e` as a JSON list, each as in the version that was merged; null where
 * there are none. A member whose catalogue was deleted or is hidden from the reader is left out, and so are those
 * of versions that guests may not read where only public ones are wanted.
 */
export function membersOf(
  wanted: "public" | "all",
  hidden: readonly string[] | null,
): FragmentSqlToken {
  const readable =
    wanted === "all" ? sql.fragment`true` : sql.fragment`source.public_from <= merged.version`;
  return sql.fragment`(
    select json_agg(json_build_object('id', s.event_id, 'time', ${TIME}, ${MEMBER}) order by m.place)
    from json_array_elements(e.source_events) with ordinality m (member, place)
    join read_model.catalogues own on own.key = e.catalogue_key
    join read_model.catalogues source on source.id = (m.member ->> 'catalogue_id')::uuid
    cross join lateral (
      select (c ->> 'version')::integer as version
      from json_array_elements(own.source_catalogues) c
      where (c ->> 'id')::uuid = source.id limit 1
    ) merged
    join read_model.seismic_events s on s.catalogue_key = source.key
      and s.event_id = (m.member ->> 'event_id')::uuid and s.revision_from <= merged.version
      and (s.revision_to is null or s.revision_to > merged.version)
    where ${readable} and source.id <> all(${sql.array([...(hidden ?? [])], "uuid")})
  )`;
}
