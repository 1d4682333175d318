/** Single events: in a version, in their history, and by the ids that they have or had. */

import {
  type CommonQueryMethods,
  type DatabasePool,
  type FragmentSqlToken,
  sql,
  type ValueExpression,
} from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { EventChange } from "#contracts/http/events.ts";
import {
  bareId,
  type EventIdForms,
  eventIdForms,
  type MeantBy,
  meantBy,
} from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { isoTimes, type Lookups, type Statements } from "#infra/postgres/statements.ts";
import { BARE_ID, PUBLIC_ID } from "./edits.ts";
import { uuidOrNull } from "./lists.ts";
import { isHiddenFor, isThereFor, type Reader } from "./rights.ts";
import {
  type EventRow,
  eventsShown,
  firstReadable,
  isPresent,
  LISTED_COLUMNS,
  ofEvents,
  type ResolvedVersion,
  resolveVersion,
  toSeismicEvent,
  type VersionRequest,
  type VersionRows,
  visibleAt,
  WHOLE_COLUMNS,
} from "./versions.ts";

type EventRequest = VersionRequest & { readonly eventId: string };

/**
 * One event in a version.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function readEvent(lookups: Lookups, { eventId, ...request }: EventRequest) {
  const version = await resolveVersion(lookups, request);
  const row = await lookups.maybeOne(sql.unsafe`
    select ${WHOLE_COLUMNS} from ${eventsShown(version)}
    where ${visibleAt(version)} and event_id = ${uuidOrNull(eventId)}::uuid`);
  if (row === null) throw new Refusal("NOT_FOUND", "Event not found");
  return { event: toSeismicEvent(row as EventRow), version };
}

type HistoryEntry = Pick<EventChange, "version" | "created_at" | "change" | "actor" | "cause"> & {
  readonly event: SeismicEvent;
};

/** A version that began or ended a row. */
type RowVersion = Pick<EventChange, "version" | "created_at" | "actor" | "cause">;

/** A row with its first version and the version that ended it, which is null unless committed. */
type HistoryRow = EventRow & { readonly begun: RowVersion; readonly ended: RowVersion | null };

/**
 * Every version of one event, newest first. A removal shows the last state. For guests, history
 * starts with the publication: an event that is in no public version does not exist, and one that
 * was not changed since has no history. `from` is the first version for this reader, or 0.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function readEventHistory(
  { pool, lookups }: { readonly pool: DatabasePool; readonly lookups: Lookups },
  { eventId, ...request }: Omit<EventRequest, "asOf">,
): Promise<{ history: HistoryEntry[]; latest: ResolvedVersion; from: number }> {
  const latest = await resolveVersion(lookups, request);
  const from = firstReadable(latest, request.reader.kind === "guest");
  const rows = await historyRows(pool, latest, eventId);
  if (!rows.some(({ ended }) => ended === null || ended.version > from)) {
    throw new Refusal("NOT_FOUND", "Event not found");
  }
  const history = rows
    .flatMap((row, i) => changesOf(row, rows[i - 1], rows[i + 1]))
    // An event that the first public version removed is in no public version.
    .filter(({ version, change }) => version > from || (version === from && change !== "removed"));
  return { history: history.reverse(), latest, from };
}

async function historyRows(pool: DatabasePool, latest: ResolvedVersion, eventId: string) {
  const { key, version } = latest;
  const committed = sql.fragment`
    select version, ${isoTimes("created_at")}, actor, cause
    from read_model.catalogue_versions
    where catalogue_key = ${key} and version <= ${version}`;
  return (await pool.any(sql.unsafe`
    select ${WHOLE_COLUMNS}, to_json(begun) as begun, to_json(ended) as ended
    from ${eventsShown(latest)}
    join (${committed}) begun on begun.version = revision_from
    left join (${committed}) ended on ended.version = revision_to
    where catalogue_key = ${key} and event_id = ${uuidOrNull(eventId)}::uuid
    order by revision_from`)) as readonly HistoryRow[];
}

/** The changes of a row: how it began, and its removal unless the next row follows directly. */
function changesOf(
  row: HistoryRow,
  previous: HistoryRow | undefined,
  next: HistoryRow | undefined,
): HistoryEntry[] {
  const { begun, ended, ...ofEvent } = row;
  const event = toSeismicEvent(ofEvent);
  const change = previous?.ended?.version === begun.version ? "updated" : "added";
  const beginning: HistoryEntry = { ...begun, change, event };
  if (ended === null || next?.begun.version === ended.version) return [beginning];
  return [beginning, { ...ended, change: "removed", event }];
}

/**
 * The events as they were until a version changed or removed them; without those that the read model does
 * not have so.
 */
export async function supersededEvents(
  pool: CommonQueryMethods,
  catalogueId: string,
  version: number,
  ids: readonly string[],
): Promise<Map<string, SeismicEvent>> {
  const rows = (await pool.any(sql.unsafe`
    select ${LISTED_COLUMNS}, bulletin_counts from read_model.seismic_events
    where catalogue_key = (select key from read_model.catalogues where id = ${catalogueId}::uuid)
      and ${ofEvents(ids)} and revision_to = ${version}`)) as readonly EventRow[];
  return new Map(rows.map((row) => [row.event_id, toSeismicEvent(row)]));
}

/** An event that an id leads to, in whatever catalogue. */
export type EventOfId = {
  readonly catalogueId: string;
  readonly eventId: string;
  /** `former`: its latest row has another id; `member`: the id is that of an event that was merged into it. */
  readonly by: MeantBy | "former" | "member";
  /** The last version that has the event. */
  readonly version: number;
  readonly removed: boolean;
};

export type EventsOfId = {
  /** Those that are there first, then those that have the id themselves, then newer catalogues. */
  readonly events: readonly EventOfId[];
  /** Whether there may be more. */
  readonly truncated: boolean;
};

type Found = EventOfId & Pick<FoundState, "key">;

/**
 * The events that have or had an id, or a member that has or had it, in all catalogues that are there for a
 * reader, of the versions that he may read.
 * @param statements prepared ones: planning takes longer than reading
 */
export async function readEventsOfId(
  statements: Statements,
  reader: Reader,
  id: string,
  limit: number,
): Promise<EventsOfId> {
  const form = eventIdForms(id);
  const query = eventsOfIdQuery(reader, form);
  const states = await statements.any(sql.type(FoundState)`${query}`);
  const found = new Map<string, Found>();
  for (const state of states) {
    const by = foundBy(form, state);
    if (by !== null) found.set(state.eventId, foundOf(state, by));
  }
  const members = new Set([...found.keys(), ...(form.ourId === null ? [] : [form.ourId])]);
  const merged =
    members.size === 0
      ? []
      : await statements.any(sql.type(FoundState)`${mergedEventsQuery(reader, [...members])}`);
  for (const state of merged) {
    if (!found.has(state.eventId)) found.set(state.eventId, foundOf(state, "member"));
  }
  const events = [...found.values()].toSorted(inOrder).map(({ key: _, ...event }) => event);
  const isPart = Math.max(states.length, merged.length) === MAX_STATES;
  return { events: events.slice(0, limit), truncated: isPart || events.length > limit };
}

function foundBy(form: EventIdForms, state: FoundState): EventOfId["by"] | null {
  const { eventId: id, sourceId, publicId, lastSourceId, lastPublicId } = state;
  const now = meantBy(form, { id, sourceId: lastSourceId, publicId: lastPublicId });
  if (now !== null) return now;
  return meantBy(form, { id, sourceId, publicId }) === null ? null : "former";
}

function foundOf(state: FoundState, by: EventOfId["by"]): Found {
  const { key, catalogueId, eventId, version, removed } = state;
  return { key, catalogueId, eventId, by, version, removed };
}

function inOrder(a: Found, b: Found): number {
  return (
    Number(a.removed) - Number(b.removed) ||
    Number(a.by === "member") - Number(b.by === "member") ||
    b.key - a.key ||
    (a.eventId < b.eventId ? -1 : 1)
  );
}

/**
 * The states of events that may be meant by an id: one for each pair of ids by which they may. Each index is gone
 * through once for all catalogues: one catalogue after the other, by a join, takes half as long again.
 */
export function eventsOfIdQuery(reader: Reader, form: EventIdForms): FragmentSqlToken {
  const rows = idSearches([form]).map(
    ({ texts, has }) => sql.fragment`
      select catalogue_key, revision_from, revision_to, event_id, source_id,
        extra ->> 'public_id' as public_id
      from read_model.seismic_events
      where catalogue_key = any((select keys from readable)::integer[])
        and ${has(sql.fragment`any(${texts})`)}`,
  );
  return sql.fragment`
    with readable as materialized (
      select array_agg(c.key) as keys from read_model.catalogues c where ${isReadable(reader)}
    ), found as materialized (${sql.join(rows, sql.fragment` union all `)})
    ${foundStates(sql.fragment`
      select c.key, c.id, c.version, e.event_id, e.source_id, e.public_id
      from found e join read_model.catalogues c on c.key = e.catalogue_key
      where e.revision_from <= c.version
        and (e.revision_to is null or e.revision_to > ${firstOf(reader)})`)}`;
}

/**
 * The merged events that have or had one of the events as a member, in versions that a reader may read; of
 * sources that are hidden from him nothing is told.
 */
export function mergedEventsQuery(reader: Reader, members: readonly string[]): FragmentSqlToken {
  return foundStates(sql.fragment`
    select c.key, c.id, c.version, m.event_id, null::text as source_id, null::text as public_id
    from unnest(${sql.array([...members], "uuid")}) wanted (id)
    cross join lateral (
      select catalogue_key, event_id from read_model.merge_members
      where member = wanted.id offset 0
    ) m
    join read_model.catalogues c on c.key = m.catalogue_key
    where ${isReadable(reader)} and exists (
      select from read_model.seismic_events e
      cross join lateral json_array_elements(e.source_events) source
      where e.catalogue_key = m.catalogue_key and e.event_id = m.event_id
        and e.revision_from <= c.version
        and (e.revision_to is null or e.revision_to > ${firstOf(reader)})
        and source ->> 'event_id' = wanted.id::text
        and not ${isHiddenFor(reader, sql.fragment`(source ->> 'catalogue_id')::uuid`)}
    )`);
}

/** An event that was found by ids of one of its states, and how it is at last. */
const FoundState = z.object({
  key: z.int(),
  catalogueId: z.string(),
  eventId: z.string(),
  sourceId: z.string().nullable(),
  publicId: z.string().nullable(),
  /** Those of the event's latest row. */
  lastSourceId: z.string().nullable(),
  lastPublicId: z.string().nullable(),
  /** The last version that has the event. */
  version: z.int(),
  removed: z.boolean(),
});
type FoundState = z.infer<typeof FoundState>;

/** Rows that are looked at: an event has one for each pair of ids that it was found by. */
const MAX_STATES = 1_000;

/** Whether a reader may read versions of the catalogue `c`: guests those from the publication on. */
function isReadable(reader: Reader): FragmentSqlToken {
  const isPublished = reader.kind === "guest" ? sql.fragment`c.public_from is not null and` : NO;
  return sql.fragment`${isPublished} ${isThereFor(reader, "c")}`;
}

const NO = sql.fragment``;

/** The first version of the catalogue `c` that a reader may read. */
function firstOf(reader: Reader): FragmentSqlToken {
  return reader.kind === "guest" ? sql.fragment`c.public_from` : sql.fragment`0`;
}

/**
 * The states of events by their latest rows. Without `offset 0` PostgreSQL may look for those among all rows of
 * the catalogue, the latest first.
 * @param named rows of key, id and version of the catalogue, event_id, source_id and public_id
 */
function foundStates(named: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select named.key, named.id as "catalogueId", named.event_id as "eventId",
      named.source_id as "sourceId", named.public_id as "publicId",
      last.source_id as "lastSourceId", last.public_id as "lastPublicId",
      last.is_over as removed,
      case when last.is_over then (
        select max(v.version) from read_model.catalogue_versions v
        where v.catalogue_key = named.key and v.version < last.revision_to
      ) else named.version end as version
    from (select distinct * from (${named}) rows limit ${MAX_STATES}) named cross join lateral (
      select e.source_id, e.extra ->> 'public_id' as public_id, e.revision_to,
        e.revision_to is not null and e.revision_to <= named.version as is_over
      from (
        select revision_from, revision_to, source_id, extra from read_model.seismic_events
        where catalogue_key = named.key and event_id = named.event_id
          and revision_from <= named.version
        offset 0
      ) e
      order by e.revision_from desc limit 1
    ) last`;
}

/**
 * The versions of a catalogue that a look-up covers: those from `from` on (`firstReadable`), as they are
 * seen from `version`. Of earlier and later ones nothing is told.
 */
export type IdScope = VersionRows & { readonly from: number };

/** An event that has or had an id. */
export type IdHolder = {
  readonly eventId: string;
  readonly by: MeantBy;
  /** Whether it has the id in the version itself. */
  readonly has: boolean;
  /** The last version in which it has the id. */
  readonly last: number;
  /** Whether the version has the event, be it by another id. */
  readonly isThere: boolean;
};

const Row = z.object({
  id: z.string(),
  sourceId: z.string().nullable(),
  publicId: z.string().nullable(),
  has: z.boolean(),
  last: z.int(),
  isThere: z.boolean(),
});
type Row = z.infer<typeof Row>;

/**
 * The events that have or had each of the ids, removed ones too, each once by the latest of its rows. What a
 * text can be as an id, `eventIdForms` says. Thousands of ids at once.
 */
export async function readIdHolders(
  pool: Pick<Statements, "any">,
  scope: IdScope,
  ids: readonly string[],
) {
  const forms = new Map(ids.map((id) => [id, eventIdForms(id)]));
  if (forms.size === 0) return new Map();
  const rows = await pool.any(sql.type(Row)`${holdersQuery(scope, [...forms.values()])}`);
  const byName = rowsByName(rows);
  return new Map(
    [...forms].map(([id, form]) => {
      const { ourId, sourceIds, publicIds, bareId: bare } = form;
      const named = new Set(
        [ourId, ...sourceIds, ...publicIds, bare].flatMap((name) => byName.get(name ?? "") ?? []),
      );
      return [id, holdersAmong(form, named)];
    }),
  );
}

/** The events of the version to which an id leads: those that have it, else those that had it. */
export function leadsTo(holders: readonly IdHolder[]): IdHolder[] {
  const having = holders.filter(({ has }) => has);
  return having.length > 0 ? having : holders.filter(({ isThere }) => isThere);
}

/** The rows by every text by which they may be meant. */
function rowsByName(rows: readonly Row[]): Map<string, Row[]> {
  const byName = new Map<string, Row[]>();
  for (const row of rows) {
    const { id, sourceId, publicId } = row;
    const bare = sourceId === null ? null : bareId(sourceId);
    for (const name of new Set([id, sourceId, publicId, bare])) {
      if (name === null) continue;
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [row]);
      else same.push(row);
    }
  }
  return byName;
}

function holdersAmong(form: EventIdForms, rows: Iterable<Row>): IdHolder[] {
  const holders = new Map<string, IdHolder>();
  for (const row of rows) {
    const by = meantBy(form, row);
    if (by === null) continue;
    const { id: eventId, has, last, isThere } = row;
    const other = holders.get(eventId);
    if (other === undefined || last > other.last) {
      holders.set(eventId, { eventId, by, has, last, isThere });
    }
  }
  return [...holders.values()];
}

/**
 * One row for each of the ids' spellings that an event has had. Not by `exists`, for which PostgreSQL may read
 * all events of the version.
 */
export function holdersQuery(scope: IdScope, forms: readonly EventIdForms[]): FragmentSqlToken {
  const { key, version, from } = scope;
  const isNow = sql.fragment`(e.revision_to is null or e.revision_to > ${version})`;
  const rows = idSearches(forms).map(
    ({ texts, has }) => sql.fragment`
      select found.* from unnest(${texts}) wanted (id) cross join lateral (
        select event_id, source_id, extra ->> 'public_id' as public_id, revision_to
        from read_model.seismic_events
        where catalogue_key = ${key} and revision_from <= ${version}
          and (revision_to is null or revision_to > ${from}) and ${has(WANTED)} offset 0
      ) found`,
  );
  return sql.fragment`
    with named as (
      select event_id, source_id, public_id, bool_or(${isNow}) as has, max(e.revision_to) as ended
      from (${sql.join(rows, sql.fragment` union all `)}) e
      where ${isPresent(scope)}
      group by 1, 2, 3
    )
    select event_id as id, source_id as "sourceId", public_id as "publicId", has,
      case when has then ${version} else (
        select max(v.version) from read_model.catalogue_versions v
        where v.catalogue_key = ${key} and v.version < ended
      ) end as last,
      has or coalesce((
        select true from read_model.seismic_events e
        where e.catalogue_key = ${key} and e.event_id = named.event_id
          and e.revision_from <= ${version} and ${isNow} limit 1
      ), false) as "isThere"
    from named`;
}

const WANTED = sql.fragment`wanted.id`;

type Search = {
  /** A list. */
  readonly texts: ValueExpression;
  /** Whether a row has one of them, or `any(…)` of them. */
  readonly has: (wanted: FragmentSqlToken) => FragmentSqlToken;
};

/**
 * Where rows are found that may be meant, each by an index of its own: the primary key, those by which imports find
 * events among the current rows, and the like among the superseded ones. Of many texts one after the other, since
 * PostgreSQL takes many for too many for an index.
 */
function idSearches(forms: readonly EventIdForms[]): Search[] {
  const ourIds = forms.flatMap(({ ourId }) => ourId ?? []);
  const sourceIds = forms.flatMap((form) => form.sourceIds);
  const bareIds = forms.flatMap(({ bareId: bare }) => bare ?? []);
  const publicIds = forms.flatMap((form) => form.publicIds);
  const named: [string[], Search["has"]][] = [
    [[...sourceIds, ...bareIds], (wanted) => sql.fragment`source_id = ${wanted}`],
    [sourceIds, (wanted) => sql.fragment`source_id ~ '[/?&]' and ${BARE_ID} = ${wanted}`],
    [publicIds, (wanted) => sql.fragment`extra is not null and ${PUBLIC_ID} = ${wanted}`],
  ];
  return [
    { texts: sql.array(ourIds, "uuid"), has: (wanted) => sql.fragment`event_id = ${wanted}` },
    ...named.flatMap(([all, has]): Search[] => {
      const texts = sql.array([...new Set(all)], "text");
      return [
        { texts, has: (wanted) => sql.fragment`revision_to is null and ${has(wanted)}` },
        { texts, has: (wanted) => sql.fragment`revision_to is not null and ${has(wanted)}` },
      ];
    }),
  ];
}
