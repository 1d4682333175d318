import { type CommonQueryMethods, type FragmentSqlToken, sql, type ValueExpression } from "slonik";
import { z } from "zod";
import {
  type EventIdForms,
  eventIdForms,
  type MeantBy,
  meantBy,
} from "#contracts/fdsn/event-id-forms.ts";
import { bareId } from "#contracts/seismic-event/public-id.ts";
import { isPresent, type VersionRows } from "../events/resolve-version.ts";
import { BARE_ID, PUBLIC_ID } from "./read-known-events.ts";

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
  pool: Pick<CommonQueryMethods, "any">,
  scope: IdScope,
  ids: readonly string[],
): Promise<Map<string, IdHolder[]>> {
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
export function idSearches(forms: readonly EventIdForms[]): Search[] {
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
