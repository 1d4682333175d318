/** Which events people have decided to be the same or not, and the pairs that wait for that. */

import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { DecidedEvent } from "#contracts/merges/decisions.ts";
import { isoTime, type Lookups, literalSql, type Statements } from "#infra/postgres/statements.ts";
import { leadsTo, readIdHolders } from "../events.ts";
import type { VersionRows } from "../versions.ts";

/** Looked at no closer: there may be 100,000 rows. */
const DecisionRow = z.object({
  id: z.string(),
  type: z.enum(["same", "different"]),
  events: z.array(z.object({ catalogue_id: z.string(), event_id: z.string() })),
  note: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
});

/** A decision of a merge that holds, with who made it and when. */
export type DecisionRow = z.infer<typeof DecisionRow>;

const COLUMNS = sql.fragment`id, type, events, note, actor, ${isoTime("at")} as at`;

/** The decisions of a merge that hold, the oldest first. */
export function readDecisions(statements: Pick<Statements, "any">, catalogueId: string) {
  return statements.any(sql.type(DecisionRow)`
    select ${COLUMNS} from read_model.merge_decisions where catalogue_id = ${catalogueId}
    order by merge_decisions.at, id`);
}

export function findDecision(pool: Lookups, catalogueId: string, id: string) {
  return pool.maybeOne(sql.type(DecisionRow)`
    select ${COLUMNS} from read_model.merge_decisions
    where catalogue_id = ${catalogueId} and id = ${id}`);
}

/** Whether more than so many decisions of a merge hold. */
export async function hasMoreDecisions(
  pool: Pick<Statements, "one">,
  catalogueId: string,
  than: number,
): Promise<boolean> {
  const { more } = await pool.one(sql.type(z.object({ more: z.boolean() }))`
    select exists (
      select from read_model.merge_decisions where catalogue_id = ${catalogueId} offset ${than}
    ) as more`);
  return more;
}

/** How many events of the log are in the rows of a merge's decisions. */
export async function appliedDecisions(pool: Lookups, catalogueId: string): Promise<number> {
  const row = await pool.maybeOne(sql.type(z.object({ decided: z.int() }))`
    select merge_decided as decided from read_model.catalogues where id = ${catalogueId}`);
  return row?.decided ?? 0;
}

/**
 * The events of decisions as they are in the latest versions of their sources: each list has those that are there,
 * by the ids that they have now, once each.
 * @param sources those that are there for whoever asks; of events of others nothing is told
 */
export async function presentEvents(
  statements: Pick<Statements, "any">,
  sources: readonly (VersionRows & { readonly id: string })[],
  decisions: readonly { readonly events: readonly DecidedEvent[] }[],
): Promise<DecidedEvent[][]> {
  const named = Map.groupBy(
    decisions.flatMap(({ events }) => events),
    ({ catalogue_id }) => catalogue_id,
  );
  const followed = new Map<string, Map<string, string>>();
  for (const source of sources) {
    const ids = (named.get(source.id) ?? []).map(({ event_id }) => event_id);
    if (ids.length > 0) followed.set(source.id, await followedEvents(statements, source, ids));
  }
  return decisions.map(({ events }) => {
    const present = new Map<string, DecidedEvent>();
    for (const { catalogue_id, event_id } of events) {
      const now = followed.get(catalogue_id)?.get(event_id);
      if (now !== undefined) present.set(`${catalogue_id}/${now}`, { catalogue_id, event_id: now });
    }
    return [...present.values()];
  });
}

const Group = z.object({ id: z.uuid(), events: z.array(DecidedEvent.strip()) });

/** The events of a merged catalogue that have one of some events as a member, with all their members. */
export function groupsOf(
  statements: Pick<Statements, "any">,
  catalogueId: string,
  members: readonly string[],
): Promise<readonly z.infer<typeof Group>[]> {
  const wanted = sql.fragment`${sql.array([...members], "uuid")}`;
  return statements.any(sql.type(Group)`
    select e.event_id as id, e.source_events as events
    from read_model.catalogues c
    join read_model.seismic_events e on e.catalogue_key = c.key and e.revision_to is null
    where c.id = ${catalogueId} and e.event_id in (
      select event_id from read_model.merge_members where member = any(${wanted}) and catalogue_key = c.key
    ) and exists (
      select from json_array_elements(e.source_events) source
      where (source ->> 'event_id')::uuid = any(${wanted})
    )
    order by e.event_id`);
}

const Missing = z.object({ id: z.uuid(), ids: z.array(z.string()) });

/**
 * Where events of a catalogue are in its latest version: each by its own id, or by that of the event to which the ids
 * of a removed one lead now. Of some that are not there at all nothing is said.
 * @param eventIds any number of them
 */
async function followedEvents(
  statements: Pick<Statements, "any">,
  rows: VersionRows,
  eventIds: readonly string[],
): Promise<Map<string, string>> {
  const missing = await statements.any(sql.type(Missing)`
    select wanted.id, array(
      select distinct text from read_model.seismic_events e
      cross join lateral (values (e.source_id), (e.extra ->> 'public_id')) named(text)
      where e.catalogue_key = ${rows.key} and e.event_id = wanted.id and text is not null
      order by text
    ) as ids
    from unnest(${sql.array([...new Set(eventIds)], "uuid")}) wanted(id)
    where not exists (
      select from read_model.seismic_events e
      where e.catalogue_key = ${rows.key} and e.event_id = wanted.id and e.revision_to is null)`);
  const followed = new Map(eventIds.map((id) => [id, id]));
  const texts = missing.flatMap(({ ids }) => ids);
  const holders = await readIdHolders(statements, { ...rows, from: 0 }, texts);
  for (const { id, ids } of missing) {
    const others = ids.flatMap((text) => leadsTo(holders.get(text) ?? []));
    const [successor] = others.toSorted((a, b) => Number(b.has) - Number(a.has));
    if (successor === undefined) followed.delete(id);
    else followed.set(id, successor.eventId);
  }
  return followed;
}

const Unknown = z.object({ id: z.uuid() });

/** The first of some events that a catalogue has never had; null for none. */
export async function firstUnknown(
  statements: Pick<Statements, "any">,
  { key }: Pick<VersionRows, "key">,
  eventIds: readonly string[],
): Promise<string | null> {
  const [unknown] = await statements.any(sql.type(Unknown)`
    select wanted.id from unnest(${sql.array([...eventIds], "uuid")}) with ordinality wanted(id, place)
    where not exists (
      select from read_model.seismic_events e
      where e.catalogue_key = ${key} and e.event_id = wanted.id)
    order by wanted.place limit 1`);
  return unknown?.id ?? null;
}

/** Pairs of events of a merge that people should look at, kept from one request to the next. */

export type FoundPair = {
  /** The earlier one. */
  readonly first: PairedId;
  readonly second: PairedId;
  /** Seconds. */
  readonly timeDifference: number;
  /** Kilometres. */
  readonly distance: number;
  readonly magnitudeDifference: number | null;
};

type PairedId = { readonly catalogueId: string; readonly eventId: string };

/** What the kept pairs of a merge are of; null where there are none. */
export async function pairsStandFor(pool: Lookups, catalogueId: string): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(z.object({ standsFor: z.string() }))`
    select stands_for as "standsFor" from operations.merge_pair_sets
    where catalogue_id = ${catalogueId}`);
  return row?.standsFor ?? null;
}

/** Pairs in one statement. */
const BATCH = 2_000;

/**
 * Keeps the pairs of a merge in place of those before.
 * @param client not in a transaction
 */
export async function replacePairs(
  client: ClientBase,
  catalogueId: string,
  standsFor: string,
  pairs: readonly FoundPair[],
): Promise<void> {
  await client.query("begin isolation level read committed, read write");
  await client.query(
    `insert into operations.merge_pair_sets (catalogue_id, stands_for) values ($1, $2)
     on conflict (catalogue_id) do update set stands_for = excluded.stands_for`,
    [catalogueId, standsFor],
  );
  await client.query("delete from operations.merge_pairs where catalogue_id = $1", [catalogueId]);
  for (let start = 0; start < pairs.length; start += BATCH) {
    await client.query(
      literalSql(insertion(catalogueId, pairs.slice(start, start + BATCH), start)),
    );
  }
  await client.query("commit");
}

function insertion(catalogueId: string, pairs: readonly FoundPair[], start: number) {
  const sorted = pairs.map((pair) => {
    const isTurned = pair.first.eventId > pair.second.eventId;
    const [one, other] = isTurned ? [pair.second, pair.first] : [pair.first, pair.second];
    return { ...pair, isTurned, one, other };
  });
  const uuids = (of: (pair: (typeof sorted)[number]) => string) =>
    sql.array(sorted.map(of), "uuid");
  const numbers = (of: (pair: (typeof sorted)[number]) => number | null) =>
    sql.array(sorted.map(of), "float8");
  return sql.fragment`
    insert into operations.merge_pairs
    select ${catalogueId}::uuid, ${start}::int + ordinality - 1, one, other, is_turned, source_of_one,
      source_of_other, time_difference, distance, magnitude_difference
    from unnest(
      ${uuids(({ one }) => one.eventId)}, ${uuids(({ other }) => other.eventId)},
      ${sql.array(
        sorted.map(({ isTurned }) => isTurned),
        "bool",
      )},
      ${uuids(({ one }) => one.catalogueId)}, ${uuids(({ other }) => other.catalogueId)},
      ${numbers(({ timeDifference }) => timeDifference)}, ${numbers(({ distance }) => distance)},
      ${numbers(({ magnitudeDifference }) => magnitudeDifference)}
    ) with ordinality as found(one, other, is_turned, source_of_one, source_of_other,
      time_difference, distance, magnitude_difference, ordinality)`;
}
