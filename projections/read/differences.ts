import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { EventFilters } from "#contracts/query/filters.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import { readTextRow, type TextRow } from "#infra/postgres/copy/copied.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import {
  type AskedPool,
  type Lookups,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import { filterConditions, priceOf } from "./conditions.ts";
import {
  EVENT_COLUMN_COUNT,
  EVENT_COLUMN_NAMES,
  KEPT_BULLETIN_COLUMNS,
  toExportRow,
} from "./copied-rows.ts";
import {
  columns,
  type EventRow,
  eventsShown,
  isPresent,
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
  rowsOf,
  toSeismicEvent,
  type VersionRequest,
  WHOLE_COLUMNS,
} from "./versions.ts";

export type PairRequest = Omit<VersionRequest, "asOf"> & {
  /** The version that is compared. */
  readonly to: number;
  /** The version that it is compared with; absent for the one before it. */
  readonly from?: number | undefined;
};

/**
 * Two versions of a catalogue that the reader may read.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function resolvePair(lookups: Lookups, { to, from, ...reader }: PairRequest) {
  const now = await resolveVersion(lookups, { ...reader, asOf: String(to) });
  const earlier = from ?? (await versionBefore(lookups, now));
  const was =
    earlier === 0 ? null : await resolveVersion(lookups, { ...reader, asOf: String(earlier) });
  const { id, key, hidden } = now;
  const changes = await changesBetween(lookups, key, [earlier, to]);
  const changesMost = changes > MOST_CHANGES * Math.max(now.eventCount, was?.eventCount ?? 0);
  return {
    pair: { id, key, hidden, from: earlier, to, changes, changesMost },
    isPublic: isPublicVersion(now) && (was === null || isPublicVersion(was)),
  };
}

/** 0 where it is the first. */
async function versionBefore(lookups: Lookups, { key, version }: ResolvedVersion): Promise<number> {
  const row = await lookups.maybeOne(sql.type(z.object({ version: z.int() }))`
    select coalesce(max(version), 0) as version from read_model.catalogue_versions
    where catalogue_key = ${key} and version < ${version}`);
  return row?.version ?? 0;
}

/** The number of changes that the versions after one and up to the other recorded. */
async function changesBetween(
  lookups: Lookups,
  key: number,
  [one, other]: readonly [number, number],
): Promise<number> {
  const row = await lookups.maybeOne(sql.type(z.object({ changes: z.int() }))`
    select least(coalesce(sum(added + updated + removed), 0), 2147483647)::integer as changes
    from read_model.catalogue_versions
    where catalogue_key = ${key}
      and version > ${Math.min(one, other)} and version <= ${Math.max(one, other)}`);
  return row?.changes ?? 0;
}

/** Two versions of a catalogue, in either order; 0 is the empty catalogue. */
export type VersionPair = Pick<ResolvedVersion, "id" | "key" | "hidden"> & {
  readonly from: number;
  readonly to: number;
  /** How many changes the versions between them recorded. */
  readonly changes: number;
  /** Whether these are so many that all events are gone through for a page. */
  readonly changesMost: boolean;
};

/** Changes whose event satisfies the filters before or after. */
export type DiffSelection = { readonly pair: VersionPair; readonly filters: EventFilters };

/** Beyond this part of a catalogue a page of changes is found faster in the order of the primary key. */
const MOST_CHANGES = 1 / 20;

/** Of looking up the rows of a change. */
const CHANGE = 60;

export function priceOfChanges({ pair, filters }: DiffSelection): number {
  const rows = pair.changesMost ? pair.changes / MOST_CHANGES : pair.changes;
  return priceOf({ rows, filters, further: CHANGE });
}

export type ChangeKind = "added" | "updated" | "removed";

/** A difference between two versions: the event, or what it was when it is removed. */
export type VersionChange = {
  readonly change: ChangeKind;
  readonly event: ExportRow;
  /** The event as it was; of updated ones only. */
  readonly before: ExportRow | null;
};

export const ChangeCounts = z.object({ added: z.int(), updated: z.int(), removed: z.int() });
export type ChangeCounts = z.infer<typeof ChangeCounts>;

/** Up to `limit` changes after an event's id (null: from the first), in order of the ids. */
export async function readChanges(
  pool: AskedPool,
  selection: DiffSelection,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly changes: readonly VersionChange[]; readonly more: boolean }> {
  const changes: VersionChange[] = [];
  const query = sql.fragment`
    ${changedRows(selection, after)} order by t.event_id limit ${limit + 1}`;
  await eachCopiedRow(await pool.connect(), query, (line) => {
    changes.push(toVersionChange(readTextRow(line.toString("utf8", 0, line.length - 1))));
  });
  const more = changes.length > limit;
  return { changes: more ? changes.slice(0, limit) : changes, more };
}

/** The query of all changes between two versions, whose copied rows `toVersionChange` reads. */
export function changedRows(selection: DiffSelection, after: string | null = null) {
  return sql.fragment`
    select ${columns(EVENT_COLUMN_NAMES, "now")}, ${columns(EVENT_COLUMN_NAMES, "was")} ${differences(selection, after)}`;
}

/** The same with KEPT_BULLETIN_COLUMNS of what the event becomes, at the end. */
export function changedRowsWithBulletins(pair: VersionPair): FragmentSqlToken {
  return sql.fragment`
    select ${columns(EVENT_COLUMN_NAMES, "now")}, ${columns(EVENT_COLUMN_NAMES, "was")},
      ${columns(KEPT_BULLETIN_COLUMNS, "now")}
    ${differences({ pair, filters: {} }, null)}`;
}

export function toVersionChange(row: TextRow): VersionChange {
  const now = sideOf(row.slice(0, EVENT_COLUMN_COUNT));
  const was = sideOf(row.slice(EVENT_COLUMN_COUNT));
  if (now !== null) return { change: was ? "updated" : "added", event: now, before: was };
  if (was === null) throw new Error("a change without an event");
  return { change: "removed", event: was, before: null };
}

export async function countChanges(pool: AskedPool, { pair, filters }: DiffSelection) {
  return statementsOn(pool).one(sql.type(ChangeCounts)`
    select count(*) filter (where was.event_id is null) as added,
      count(*) filter (where now.event_id is not null and was.event_id is not null) as updated,
      count(*) filter (where now.event_id is null) as removed
    ${differences({ pair, filters }, null)}`);
}

function sideOf(columns: TextRow): ExportRow | null {
  return columns[FIELD.id] === null ? null : toExportRow(columns);
}

/**
 * The events that differ, as t, with their rows `now` and `was`. Events that were changed and changed back
 * do not differ.
 */
function differences({ pair, filters }: DiffSelection, after: string | null): FragmentSqlToken {
  // Few are looked up one by one, however many of a catalogue's rows the planner takes them for.
  const oneByOne = pair.changesMost ? sql.fragment`` : sql.fragment`offset 0`;
  const side = (version: number) => sql.fragment`
    select *, ${filterConditions(filters)} as chosen from ${eventsShown(pair)}
    where ${rowsOf({ key: pair.key, version })} and event_id = t.event_id ${oneByOne}`;
  return sql.fragment`
    from (${changedBetween(pair, after)}) t
    left join lateral (${side(pair.to)}) now on true
    left join lateral (${side(pair.from)}) was on true
    where (now.event_id is null) <> (was.event_id is null)
        and (now.chosen is true or was.chosen is true)
      or now.revision_from <> was.revision_from
        and (now.chosen is true or was.chosen is true)
        and ${contentOf("now")} is distinct from ${contentOf("was")}`;
}

/** More rows than begin or end by so many changes. */
const moreThan = (changes: number): number => 2 * changes + 100;

/**
 * Ids of the events with a row that begins or ends between the versions. Few are found by their revisions
 * and sorted; where there are many, the primary key has them in order.
 */
function changedBetween(pair: VersionPair, after: string | null): FragmentSqlToken {
  const first = Math.min(pair.from, pair.to) + 1;
  const last = Math.max(pair.from, pair.to);
  const begins = sql.fragment`revision_from between ${first} and ${last}`;
  const ends = sql.fragment`revision_to between ${first} and ${last}`;
  const beyond = after === null ? sql.fragment`true` : sql.fragment`event_id > ${after}::uuid`;
  const changed = (how: FragmentSqlToken) => sql.fragment`
    select event_id from read_model.seismic_events
    where catalogue_key = ${pair.key} and ${beyond} and ${isPresent(pair)} and ${how}`;
  if (pair.changesMost) {
    return sql.fragment`${changed(sql.fragment`(${begins} or ${ends})`)} group by event_id`;
  }
  // Never reached: it tells the planner, which takes a version for as large as those of its number elsewhere.
  const most = sql.fragment`limit ${moreThan(pair.changes)}`;
  return sql.fragment`
    (${changed(begins)} order by revision_from ${most})
    union (${changed(ends)} order by revision_to ${most})`;
}

/** What a version shows of an event. Structures compare as texts: equal ones are written alike. */
function contentOf(side: string): FragmentSqlToken {
  // An event whose bulletin alone differs differs.
  const plain = ["time", "time_digits", ...ATTRIBUTE_NAMES, "bulletin_sha256"];
  const structures = STRUCTURED_NAMES.map(
    (name) => sql.fragment`${sql.identifier([side, name])}::text`,
  );
  return sql.fragment`(${columns(plain, side)}, ${sql.join(structures, sql.fragment`, `)})`;
}

/** A committed revision of a catalogue that changed few events. */
export type SmallRevision = { readonly catalogueId: string; readonly version: number };

/** An event before and after a revision; null where it was not there. */
export type EventChanged = SmallRevision & {
  readonly before: SeismicEvent | null;
  readonly after: SeismicEvent | null;
};

type ChangedRow = EventRow & {
  readonly changed_catalogue: string;
  readonly changed_in: number;
  readonly is_after: boolean;
};

/** What revisions changed, of all of them together; nothing of catalogues that are gone. */
export async function smallChanges(
  pool: Pick<Statements, "any">,
  revisions: readonly SmallRevision[],
): Promise<EventChanged[]> {
  if (revisions.length === 0) return [];
  const ids = revisions.map(({ catalogueId }) => catalogueId);
  const versions = revisions.map(({ version }) => version);
  const rowsAt = (column: string, isAfter: boolean) => sql.fragment`
    select ${WHOLE_COLUMNS}, c.id as changed_catalogue, w.version as changed_in, ${isAfter ? sql.fragment`true` : sql.fragment`false`} as is_after
    from unnest(${sql.array(ids, "uuid")}, ${sql.array(versions, "int4")}) w(id, version)
    join read_model.catalogues c on c.id = w.id
    join read_model.seismic_events on catalogue_key = c.key and ${sql.identifier([column])} = w.version`;
  const rows = (await pool.any(sql.unsafe`
    ${rowsAt("revision_to", false)} union all ${rowsAt("revision_from", true)}`)) as readonly ChangedRow[];
  return joined(rows);
}

function joined(rows: readonly ChangedRow[]): EventChanged[] {
  const changes = new Map<string, EventChanged>();
  for (const { changed_catalogue: catalogueId, changed_in: version, is_after, ...row } of rows) {
    const key = `${catalogueId} ${version} ${row.event_id}`;
    const known = changes.get(key) ?? { catalogueId, version, before: null, after: null };
    changes.set(key, { ...known, [is_after ? "after" : "before"]: toSeismicEvent(row) });
  }
  return [...changes.values()];
}
