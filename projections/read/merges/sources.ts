/**
 * The input of a merge: the events of several catalogues in one order, by time, then id. All of it
 * is read in one transaction with isolation REPEATABLE READ, so each catalogue is read as of one
 * version, and two reads give the same rows in the same places.
 */

import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { EXTRA_MAGNITUDE_AGENCY } from "#contracts/bulletin/row.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { filterConditions } from "../conditions.ts";
import { isThereFor, type Reader } from "../rights.ts";
import { bulletinColumn, columns, ofEvents, rowsOf, type VersionRows } from "../versions.ts";

const SourceVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  name: z.string(),
  /** 0 before the first. */
  version: z.int(),
  eventCount: z.int(),
  isRestricted: z.boolean(),
});
export type SourceVersion = z.infer<typeof SourceVersion>;

/** Those of the catalogues that are there for a reader, in no particular order. */
export function latestVersions(client: ClientBase, ids: readonly string[], reader: Reader) {
  return statementsOn(client).any(sql.type(SourceVersion)`
    select id, key, name, version, event_count as "eventCount", is_restricted as "isRestricted"
    from read_model.catalogues c
    where id = any(${sql.array([...ids], "uuid")}) and ${isThereFor(reader, "c")}`);
}

const SourceKey = z.object({ id: z.uuid(), key: z.int() });

/** The read model's keys of those of the catalogues that are there for a reader. */
export async function sourceKeys(
  statements: Pick<Statements, "any">,
  ids: readonly string[],
  reader: Reader,
): Promise<Map<string, number>> {
  const rows = await statements.any(sql.type(SourceKey)`
    select id, key from read_model.catalogues c
    where id = any(${sql.array([...ids], "uuid")}) and ${isThereFor(reader, "c")}`);
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** Those of some agencies that located an event of the sources or gave its magnitude, in lower case. */
export async function agenciesAmong(
  client: ClientBase,
  sources: readonly VersionRows[],
  agencies: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = [...new Set(agencies.map((name) => name.toLowerCase()))];
  const present = new Set<string>();
  for (const source of names.length === 0 ? [] : sources) {
    const rows = await statementsOn(client).any(sql.type(z.object({ name: z.string() }))`
      select distinct agency.name from read_model.seismic_events e
      cross join lateral (
        values (lower(e.agency_id)), (lower(e.extra ->> ${EXTRA_MAGNITUDE_AGENCY}))
      ) agency (name)
      where ${rowsOf(source)}
        and agency.name = any(${sql.array(names, "text")})`);
    for (const { name } of rows) present.add(name);
  }
  return present;
}

/** Ids of events of each source, in the order of the sources; null for all events. */
export type EventsOfSources = readonly (readonly string[])[] | null;

/** The columns for grouping; `source` is the catalogue's index in `sources`. */
export const ORIGIN_COLUMNS = [
  "source",
  "event_id",
  "time",
  "latitude",
  "longitude",
  "magnitude",
  "source_id",
] as const;

export const MERGE_COLUMNS = [
  "source",
  "event_id",
  "time",
  "time_digits",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES.filter((name) => name !== "source_events"),
] as const;

/** The columns for showing an event in a preview. */
export const PLACED_COLUMNS = [
  "event_id",
  "time",
  "time_digits",
  "latitude",
  "longitude",
  "depth",
  "magnitude",
] as const;

/** The columns for showing an event among its duplicates. */
export const DUPLICATE_COLUMNS = [...PLACED_COLUMNS, "source_id"] as const;

/** Rows of some columns of a version's events with these ids, in no particular order. */
export function placedRows(
  client: ClientBase,
  version: VersionRows,
  names: readonly string[],
  ids: readonly string[],
) {
  return copyRows(
    client,
    sql.fragment`
      select ${columns(names)} from read_model.seismic_events
      where ${rowsOf(version)} and ${ofEvents(ids)}`,
  );
}

/** Rows of some columns in batches, as COPY text. */
export function orderedRows(
  client: ClientBase,
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources = null,
): AsyncGenerator<TextRow[]> {
  return copyRows(client, orderedQuery(sources, names, only));
}

/**
 * Rows of some columns, each with its bulletin behind them (`readCopiedBulletin`), null where there is none.
 * Bulletins are read in the order of the rows, and none before its turn.
 */
export function orderedRowsWithBulletins(
  client: ClientBase,
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources,
): AsyncGenerator<TextRow[]> {
  const ordered = orderedQuery(sources, [...names, "catalogue_key", "bulletin_revision"], only);
  return copyRows(
    client,
    sql.fragment`
      select ${columns(names)}, ${bulletinColumn()} from (${ordered}) seismic_events`,
  );
}

/** For each row what a member of its `extra` is, as text; null where there is none. */
export function labelRows(client: ClientBase, sources: readonly VersionRows[], member: string) {
  const ordered = orderedQuery(sources, ["event_id", "time", "extra"], null);
  return copyRows(client, sql.fragment`select extra ->> ${member}::text from (${ordered}) events`);
}

/** Whether an event of the catalogues has ever had a bulletin. */
export async function haveBulletins(client: ClientBase, sources: readonly VersionRows[]) {
  const keys = sources.map(({ key }) => key);
  const { found } = await statementsOn(client).one(sql.type(z.object({ found: z.boolean() }))`
    select exists (select from read_model.bulletins
      where catalogue_key = any(${sql.array(keys, "int4")})) as found`);
  return found;
}

/** One branch per source, so that the database can merge rows that its indexes have sorted already. */
function orderedQuery(
  sources: readonly VersionRows[],
  names: readonly string[],
  only: EventsOfSources,
): FragmentSqlToken {
  const list = columns(names.filter((name) => name !== "source"));
  const branches = sources.map(
    (source, place) => sql.fragment`
      (select ${place}::int as source, ${list} from read_model.seismic_events
        where ${rowsOf(source)} and ${ofEvents(only?.[place] ?? null)})`,
  );
  return sql.fragment`
    select source, ${list} from (${sql.join(branches, sql.fragment` union all `)}) events
    order by time, event_id`;
}

/** Rows of event_id, time, latitude, longitude and magnitude of a version's events, by time, then id. */
export function versionOrigins(client: ClientBase, version: VersionRows, filters: EventFilters) {
  return copyRows(
    client,
    sql.fragment`
      select event_id, time, latitude, longitude, magnitude from read_model.seismic_events
      where ${rowsOf(version)} and ${filterConditions(filters)} order by time, event_id`,
  );
}
