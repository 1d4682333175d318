import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { hasPublicId, hasSourceId } from "../edits/read-known-events.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

type Version = Pick<ResolvedVersion, "key" | "version">;

/** When and where an event is; seconds since 1970, some microseconds exact, and degrees. */
export type PlacedEvent = {
  readonly id: string;
  readonly seconds: number;
  readonly latitude: number;
  readonly longitude: number;
};

/** Seconds since 1970, both inclusive. */
export type TimeWindow = { readonly from: number; readonly to: number };

/** An event as it was, or as it is, where the two versions have different rows of it. */
export type ChangedEvent = PlacedEvent & { readonly isPresent: boolean };

const PLACE = sql.fragment`event_id, extract(epoch from time), latitude, longitude`;

/** How many changes the versions after one and up to another recorded. */
export async function countChanges(
  client: ClientBase,
  { key, version }: Version,
  after: number,
): Promise<number> {
  const { changes } = await statementsOn(client).one(sql.type(z.object({ changes: z.number() }))`
    select coalesce(sum(added + updated + removed), 0)::double precision as changes
    from read_model.catalogue_versions
    where catalogue_key = ${key} and version > ${after} and version <= ${version}`);
  return changes;
}

/** The rows by which a version differs from an earlier one: those that ended, and those that began. */
export async function changedEvents(
  client: ClientBase,
  { key, version }: Version,
  after: number,
): Promise<ChangedEvent[]> {
  const rows = await collect(
    client,
    sql.fragment`
      select ${PLACE}, false from read_model.seismic_events
      where catalogue_key = ${key} and revision_to between ${after + 1} and ${version}
        and revision_from <= ${after}
      union all
      select ${PLACE}, true from read_model.seismic_events
      where ${rowsOf({ key, version })} and revision_from between ${after + 1} and ${version}`,
  );
  return rows.map((row) => ({ ...placed(row), isPresent: row[4] === "t" }));
}

/** The events of a version in any of some windows of time, which do not overlap. */
export function eventsInWindows(
  client: ClientBase,
  version: Version,
  windows: readonly TimeWindow[],
): Promise<PlacedEvent[]> {
  const column = (name: keyof TimeWindow) =>
    sql.array(
      windows.map((window) => window[name]),
      "float8",
    );
  return places(
    client,
    sql.fragment`
      select near.* from unnest(${column("from")}, ${column("to")}) spans(start_at, end_at)
      cross join lateral (
        select ${PLACE} from read_model.seismic_events
        where ${rowsOf(version)}
          and time between to_timestamp(spans.start_at) and to_timestamp(spans.end_at)
        offset 0) near`,
  );
}

/** Those of some events that a version has. */
export function eventsById(
  client: ClientBase,
  version: Version,
  ids: readonly string[],
): Promise<PlacedEvent[]> {
  return places(
    client,
    sql.fragment`
      select ${PLACE} from read_model.seismic_events
      where ${rowsOf(version)} and event_id = any(${sql.array([...ids], "uuid")})`,
  );
}

/** The ids of a version's events that have one of some texts as source id or public id. */
export async function holdersOf(
  client: ClientBase,
  version: Version,
  texts: readonly string[],
): Promise<string[]> {
  // Written for the indexes of present rows, and those of rows that an open revision has superseded.
  const parts = [sql.fragment`revision_to is null`, sql.fragment`revision_to is not null`].flatMap(
    (part) =>
      [hasSourceId(texts), hasPublicId(texts)].map(
        (holds) => sql.fragment`
          select event_id from read_model.seismic_events
          where ${rowsOf(version)} and ${part} and ${holds}`,
      ),
  );
  const rows = await collect(client, sql.fragment`${sql.join(parts, sql.fragment` union `)}`);
  return rows.map(([id]) => id ?? "");
}

async function places(client: ClientBase, query: FragmentSqlToken): Promise<PlacedEvent[]> {
  return (await collect(client, query)).map(placed);
}

async function collect(client: ClientBase, query: FragmentSqlToken) {
  const all: (string | null)[][] = [];
  for await (const rows of copyRows(client, query)) all.push(...rows);
  return all;
}

function placed([id, seconds, latitude, longitude]: readonly (string | null)[]): PlacedEvent {
  return {
    id: id ?? "",
    seconds: Number(seconds),
    latitude: Number(latitude),
    longitude: Number(longitude),
  };
}
