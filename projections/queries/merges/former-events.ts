import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

type Version = Pick<ResolvedVersion, "key" | "version">;

/** A row of an event of a merged catalogue, at a version or before it. */
export type FormerRow = {
  readonly id: string;
  /** Whether it is the version's. */
  readonly isPresent: boolean;
  /** As `source_events` of contracts/seismic-event; null where it is not merged. */
  readonly members: readonly FormerMember[] | null;
  /** The public id of the chosen member, also where the event shares it with another; null without one. */
  readonly publicId: string | null;
};

export type FormerMember = {
  readonly catalogue_id: string;
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
    select event_id, revision_to is null or revision_to > ${version}, source_events,
      coalesce(extra ->> 'public_id', extra ->> 'shared_public_id')
    from read_model.seismic_events
    where catalogue_key = ${key} and revision_from <= ${version} and ${ofEvents(ids)}
    order by event_id, revision_from`;
  for await (const rows of copyRows(client, query)) {
    yield rows.map(([id, isPresent, members, publicId]) => ({
      id: id ?? "",
      isPresent: isPresent === "t",
      members: members ? JSON.parse(members) : null,
      publicId: publicId ?? null,
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

/** The events of a merged catalogue that have, or ever had, one of some events among their members. */
export async function eventsWithMembers(
  client: ClientBase,
  { key }: Pick<Version, "key">,
  members: readonly string[],
): Promise<string[]> {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.string() }))`
    select distinct event_id as id from read_model.merge_members
    where member = any(${sql.array([...members], "uuid")}) and catalogue_key = ${key}`);
  return rows.map(({ id }) => id);
}

/** How many events of a version stand for more than one. */
export async function countDuplicateGroupsAt(
  client: ClientBase,
  version: Version,
): Promise<number> {
  const { count } = await statementsOn(client).one(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from read_model.seismic_events
    where ${rowsOf(version)} and json_array_length(source_events) > 1`);
  return count;
}

/** The events of sources that decisions named which were made or withdrawn since the refresh. */
export async function touchedEvents(client: ClientBase, catalogueId: string): Promise<string[]> {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.string() }))`
    select event_id as id from read_model.merge_touched where catalogue_id = ${catalogueId}::uuid`);
  return rows.map(({ id }) => id);
}
