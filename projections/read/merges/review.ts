import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { CLAIM_MINUTES, type ReviewState } from "#contracts/http/merges.ts";
import { isoTime, type Lookups, type Statements } from "#infra/postgres/statements.ts";
import { toIsoTime } from "../copied-rows.ts";
import { type ListPage, type ListRequest, readListPage, uuidOrNull } from "../lists.ts";
import { ofEvents, rowsOf, type VersionRows } from "../versions.ts";

const PairRow = z.object({
  place: z.int(),
  one: z.uuid(),
  other: z.uuid(),
  isTurned: z.boolean(),
  sourceOfOne: z.uuid(),
  sourceOfOther: z.uuid(),
  timeDifference: z.number(),
  distance: z.number(),
  magnitudeDifference: z.number().nullable(),
  /** Null where nobody looks at it, or has said nothing for too long. */
  claimedBy: z.string().nullable(),
  claimedAt: z.string().nullable(),
  later: z.boolean(),
  note: z.string().nullable(),
});

/** A pair of which nothing is decided, with what is said of it. */
export type PairRow = z.infer<typeof PairRow>;

/** The pairs of a merge as somebody may see them. */
export type PairsOf = {
  readonly catalogueId: string;
  /** Ids of the sources that are hidden from him; null for none. */
  readonly hidden: readonly string[] | null;
  readonly now: Date;
};

/** The ids of both events in their order. */
export type PairId = Pick<PairRow, "one" | "other">;

/** A page of the pairs, by time. */
export function listPairs(
  pool: Pick<Statements, "any">,
  of: PairsOf,
  state: ReviewState | undefined,
  request: ListRequest,
): Promise<ListPage<PairRow>> {
  const read = (after: number | null, limit: number) =>
    pool.any(sql.type(PairRow)`
      ${pairsQuery(of, state)} and p.place > ${after ?? -1} order by p.place limit ${limit}`);
  const keyOf = ({ place }: PairRow) => place;
  return readListPage({ name: `review-${state ?? "all"}`, key: z.int(), keyOf, read }, request);
}

/** One of the pairs; null where it is not there, or decided. */
export function findPair(pool: Lookups, of: PairsOf, { one, other }: PairId) {
  return pool.maybeOne(sql.type(PairRow)`
    ${pairsQuery(of)} and p.one = ${uuidOrNull(one)}::uuid and p.other = ${uuidOrNull(other)}::uuid`);
}

/** What somebody says of a pair; what is absent stays. */
export type PairChange = {
  readonly claimedBy?: string | null;
  readonly later?: boolean;
  readonly note?: string | null;
};

/** @returns false where it is somebody else's */
export async function changePair(
  pool: Pick<CommonQueryMethods, "query">,
  { catalogueId, now }: Pick<PairsOf, "catalogueId" | "now">,
  { one, other }: PairId,
  { actor, change }: { readonly actor: string; readonly change: PairChange },
): Promise<boolean> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const { claimedBy, later, note } = change;
  const isOwn = sql.fragment`(r.claimed_by = ${actor} and ${isLive(now)})`;
  const holder =
    claimedBy === undefined
      ? sql.fragment`case when ${isOwn} then ${actor} end`
      : sql.fragment`${claimedBy}::text`;
  const { rowCount } = await pool.query(sql.unsafe`
    insert into operations.merge_review as r
      (catalogue_id, one, other, claimed_by, claimed_at, later, note)
    values (${catalogueId}::uuid, ${one}::uuid, ${other}::uuid, ${claimedBy ?? null}, ${at},
      ${later ?? false}, ${note ?? null})
    on conflict (catalogue_id, one, other) do update set
      claimed_by = ${holder}, claimed_at = ${at},
      later = coalesce(${later ?? null}::boolean, r.later),
      note = ${note === undefined ? sql.fragment`r.note` : sql.fragment`${note}::text`}
    where ${isOwn} or r.claimed_by is null or not ${isLive(now)}`);
  return rowCount === 1;
}

function isLive(now: Date): FragmentSqlToken {
  const since = new Date(now.getTime() - CLAIM_MINUTES * 60_000).toISOString();
  return sql.fragment`r.claimed_at > ${since}::timestamptz`;
}

/** A statement that may go on with further conditions. */
function pairsQuery({ catalogueId, hidden, now }: PairsOf, state?: ReviewState): FragmentSqlToken {
  const claimed = sql.fragment`(r.claimed_by is not null and ${isLive(now)})`;
  const isShown =
    hidden === null
      ? sql.fragment`true`
      : sql.fragment`not array[p.source_of_one, p.source_of_other] && ${sql.array([...hidden], "uuid")}`;
  return sql.fragment`
    select p.place, p.one, p.other, p.is_turned as "isTurned", p.source_of_one as "sourceOfOne",
      p.source_of_other as "sourceOfOther", p.time_difference as "timeDifference", p.distance,
      p.magnitude_difference as "magnitudeDifference",
      case when ${claimed} then r.claimed_by end as "claimedBy",
      case when ${claimed} then ${isoTime("r.claimed_at")} end as "claimedAt",
      coalesce(r.later, false) as later, r.note
    from operations.merge_pairs p
    ${state === "claimed" || state === "later" ? sql.fragment`join` : sql.fragment`left join`}
      operations.merge_review r
      on r.catalogue_id = p.catalogue_id and r.one = p.one and r.other = p.other
    where p.catalogue_id = ${catalogueId}::uuid and ${isShown} and ${ofState(state, claimed)}
      and not exists (
        select from read_model.merge_decided_events a
        join read_model.merge_decided_events b
          on b.catalogue_id = a.catalogue_id and b.decision_id = a.decision_id
        where a.catalogue_id = p.catalogue_id and a.event_id = p.one and b.event_id = p.other)`;
}

function ofState(state: ReviewState | undefined, claimed: FragmentSqlToken): FragmentSqlToken {
  switch (state) {
    case undefined:
      return sql.fragment`true`;
    case "claimed":
      return claimed;
    case "later":
      return sql.fragment`(r.later and not ${claimed})`;
    case "open":
      return sql.fragment`(r.one is null or not (r.later or ${claimed}))`;
  }
}

const Row = z.object({
  event_id: z.uuid(),
  source_id: z.string().nullable(),
  time: z.string(),
  time_digits: z.int(),
  latitude: z.number(),
  longitude: z.number(),
  depth: z.number().nullable(),
  magnitude: z.number().nullable(),
});

/** An event of a source, as far as a pair shows it. */
export type PairedEvent = Omit<z.infer<typeof Row>, "time_digits">;

/** Those of some events that a version has, by id. */
export async function pairedEvents(
  pool: Pick<Statements, "any">,
  version: VersionRows,
  eventIds: readonly string[],
): Promise<Map<string, PairedEvent>> {
  const rows = await pool.any(sql.type(Row)`
    select event_id, source_id, time::text, time_digits, latitude, longitude, depth, magnitude
    from read_model.seismic_events
    where ${rowsOf(version)} and ${ofEvents(eventIds)}`);
  return new Map(
    rows.map(({ time, time_digits: digits, ...event }) => [
      event.event_id,
      { ...event, time: toIsoTime(time, digits) },
    ]),
  );
}
