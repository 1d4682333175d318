import { type FragmentSqlToken, sql } from "slonik";
import { PARTS, type PartNumber } from "#infra/bulletins/packed-bulletin.ts";

/**
 * A column for queries on read_model.seismic_events: the pieces of the row's bulletin in one value, each
 * with its part (16 bits) and its length (32 bits) before it; null where there is none.
 * @param parts of it, among them the head
 * @param events the table's name in the query
 */
export function bulletinColumn(
  parts: readonly PartNumber[] = ALL,
  events = "seismic_events",
): FragmentSqlToken {
  const column = (name: string) => sql.identifier([events, name]);
  return sql.fragment`
    case when ${column("bulletin_revision")} is not null then (
      select string_agg(int2send(b.part) || int4send(length(b.bytes)) || b.bytes, ''::bytea
        order by b.part, b.piece)
      from read_model.bulletins b
      where b.catalogue_key = ${column("catalogue_key")} and b.event_id = ${column("event_id")}
        and b.revision = ${column("bulletin_revision")} ${onlyOf(parts)}) end`;
}

const ALL: readonly PartNumber[] = Object.values(PARTS);

function onlyOf(parts: readonly PartNumber[]): FragmentSqlToken {
  if (parts.length === ALL.length) return sql.fragment``;
  return sql.fragment`and b.part in (${sql.join(
    parts.map((part) => sql.fragment`${part}`),
    sql.fragment`, `,
  )})`;
}
