import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

type Version = Pick<ResolvedVersion, "key" | "version">;

/** A row of an event of a merged catalogue, at a version or before it. */
export type FormerRow = {
  readonly id: string;
  /** Whether it is the version's. */
  readonly isPresent: boolean;
  /** As `source_events` of contracts/seismic-event; null where it is not merged. */
  readonly members: readonly FormerMember[] | null;
};

export type FormerMember = {
  readonly event_id: string;
  readonly source_id: string | null;
  readonly chosen: boolean;
};

/**
 * The rows that the events of a version have had up to it, in order of the ids, then the oldest first.
 * @param ids of some events; null for all
 */
export async function* formerRows(
  client: ClientBase,
  { key, version }: Version,
  ids: readonly string[] | null,
): AsyncGenerator<FormerRow[]> {
  const query = sql.fragment`
    select event_id, revision_to is null or revision_to > ${version}, source_events
    from read_model.seismic_events
    where catalogue_key = ${key} and revision_from <= ${version} and ${ofEvents(ids)}
    order by event_id, revision_from`;
  for await (const rows of copyRows(client, query)) {
    yield rows.map(([id, isPresent, members]) => ({
      id: id ?? "",
      isPresent: isPresent === "t",
      members: members ? JSON.parse(members) : null,
    }));
  }
}

/** The ids of a version's events, in no particular order. @param ids those that are asked for; null for all */
export async function* idsAt(
  client: ClientBase,
  version: Version,
  ids: readonly string[] | null,
): AsyncGenerator<string[]> {
  const query = sql.fragment`
    select event_id from read_model.seismic_events where ${rowsOf(version)} and ${ofEvents(ids)}`;
  for await (const rows of copyRows(client, query)) yield rows.map(([id]) => id ?? "");
}

function ofEvents(ids: readonly string[] | null): FragmentSqlToken {
  return ids === null
    ? sql.fragment`true`
    : sql.fragment`event_id = any(${sql.array([...ids], "uuid")})`;
}
