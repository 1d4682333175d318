import { type FragmentSqlToken, sql } from "slonik";
import { EVENT_COLUMN_NAMES } from "./event-rows.ts";
import type { ResolvedVersion } from "./resolve-version.ts";

const OTHERS = [
  ...EVENT_COLUMN_NAMES.filter((name) => name !== "source_events"),
  "catalogue_key",
  "revision_from",
  "revision_to",
  "bulletin_revision",
  "bulletin_counts",
];

const COLUMNS = sql.join(
  OTHERS.map((name) => sql.identifier([name])),
  sql.fragment`, `,
);

/** What is left of a member whose catalogue is hidden, in the order in which members are written. */
const NAMELESS = sql.fragment`json_build_object('catalogue_id', null, 'event_id', null,
  'source_id', null, 'source', null, 'time_difference', member -> 'time_difference',
  'distance', member -> 'distance', 'quality_score', member -> 'quality_score',
  'chosen', member -> 'chosen')`;

/**
 * The events of a catalogue for a statement's `from`, as its reader may see them: members of merged events are
 * nameless where their catalogue is hidden from him. The conditions of the statement reach the table itself.
 */
export function eventsShown(
  { hidden }: Pick<ResolvedVersion, "hidden">,
  name = "seismic_events",
): FragmentSqlToken {
  const alias = sql.identifier([name]);
  if (hidden === null) return sql.fragment`read_model.seismic_events ${alias}`;
  return sql.fragment`(
    select ${COLUMNS}, case when source_events is not null then (
      select json_agg(case
        when member ->> 'catalogue_id' = any(${sql.array([...hidden], "text")}) then ${NAMELESS}
        else member end order by place)
      from json_array_elements(source_events) with ordinality members (member, place)
    ) end as source_events
    from read_model.seismic_events) ${alias}`;
}
