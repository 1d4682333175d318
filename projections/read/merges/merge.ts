/** Merges that are refreshed by themselves: which process refreshes which, and how they fare. */

import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { MergeConfig, MergedSource } from "#contracts/merges/config.ts";
import { isoTime, type Lookups, type Statements } from "#infra/postgres/statements.ts";
import { hiddenSources, isThereFor, type Reader } from "../rights.ts";

const Row = z.object({
  id: z.uuid(),
  version: z.int(),
  config: MergeConfig,
  sources: z.array(MergedSource),
  /** The version that the merge, or its last refresh, left. */
  mergedVersion: z.int(),
  /** Ids of the sources that are hidden from the reader; null for none. */
  hidden: z.array(z.string()).nullable(),
});

const Latest = z.object({ id: z.uuid(), key: z.int(), version: z.int() });

export type MergeRow = z.infer<typeof Row> & {
  /** Of those of its sources that are there for the reader. */
  readonly latest: readonly z.infer<typeof Latest>[];
};

/** How a catalogue is merged; null for one that is no merge, or is not there for the reader. */
export async function readMerge(
  statements: Pick<Statements, "any" | "maybeOne">,
  catalogueId: string,
  reader: Reader,
): Promise<MergeRow | null> {
  const row = await statements.maybeOne(sql.type(Row)`
    select c.id, c.version, merge_config as config, source_catalogues as sources,
      merge_revision as "mergedVersion", ${hiddenSources(reader, "c")} as hidden
    from read_model.catalogues c
    where c.id = ${catalogueId} and merge_config is not null and ${isThereFor(reader, "c")}`);
  if (row === null) return null;
  const ids = row.sources.map(({ id }) => id);
  const latest = await statements.any(sql.type(Latest)`
    select id, key, version from read_model.catalogues c
    where id = any(${sql.array(ids, "uuid")}) and ${isThereFor(reader, "c")}`);
  return { ...row, latest };
}

/** So many failures in a row, and it is refreshed by hand alone. */
const MAX_FAILURES = 5;

const Claimed = z.object({
  catalogueId: z.uuid(),
  /** User id of whoever it is refreshed for. */
  maker: z.string(),
  runId: z.uuid(),
});

/** A merge that this process refreshes. */
export type ClaimedFollow = z.infer<typeof Claimed>;

/** Of a catalogue `c`: a source of it has a later version than the one that was merged. */
const IS_BEHIND = sql.fragment`exists (
  select from json_array_elements(c.source_catalogues) s
  join read_model.catalogues o on o.id = (s ->> 'id')::uuid
  where o.version > (s ->> 'version')::int)`;

/** When a merge may be refreshed by itself again: once a minute. */
const NEXT_RUN = sql.fragment`
  coalesce(f.again_at, f.last_run + interval '1 minute', '-infinity'::timestamptz)`;

/** Claims merges that are behind their sources; others may claim at the same time. */
export async function claimFollows(
  pool: Pick<CommonQueryMethods, "any" | "query">,
  { worker, now }: { readonly worker: string; readonly now: Date },
  limit: number,
): Promise<readonly ClaimedFollow[]> {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    insert into operations.merge_follows (catalogue_id)
    select id from read_model.catalogues c
    where merge_maker is not null
      and not exists (select from operations.merge_follows f where f.catalogue_id = c.id)
    on conflict do nothing`);
  return pool.any(sql.type(Claimed)`
    with due as (
      select f.catalogue_id, c.merge_maker
      from operations.merge_follows f join read_model.catalogues c on c.id = f.catalogue_id
      where f.worker is null and f.failures < ${MAX_FAILURES} and ${NEXT_RUN} <= ${at}
        and c.merge_maker is not null and c.open_revision is null and ${IS_BEHIND}
      order by ${NEXT_RUN} limit ${limit} for update of f skip locked)
    update operations.merge_follows f
    set worker = ${worker}, run_id = gen_random_uuid(), last_run = ${at}, again_at = null
    from due where f.catalogue_id = due.catalogue_id
    returning f.catalogue_id as "catalogueId", due.merge_maker as maker, f.run_id as "runId"`);
}

export type FollowEnd =
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly error: string }
  /** Others changed the catalogue, or the process stopped. */
  | { readonly outcome: "again"; readonly at: Date };

/** Ends a run; nothing where another process has taken it over. */
export async function endFollow(
  pool: Pick<CommonQueryMethods, "query">,
  { catalogueId, runId }: Pick<ClaimedFollow, "catalogueId" | "runId">,
  end: FollowEnd,
): Promise<void> {
  await pool.query(sql.unsafe`
    update operations.merge_follows set worker = null, ${changesOf(end)}
    where catalogue_id = ${catalogueId}::uuid and run_id = ${runId}::uuid and worker is not null`);
}

function changesOf(end: FollowEnd) {
  switch (end.outcome) {
    case "done":
      return sql.fragment`failures = 0, error = null`;
    case "again":
      return sql.fragment`again_at = ${end.at.toISOString()}::timestamptz`;
    case "failed":
      return sql.fragment`failures = failures + 1, error = ${end.error},
        again_at = last_run + interval '1 minute' * 2 ^ (failures + 1)`;
  }
}

/** It was refreshed by hand: what failed before does not count any more. */
export async function forgetFailures(pool: Pick<CommonQueryMethods, "query">, catalogueId: string) {
  await pool.query(sql.unsafe`
    update operations.merge_follows set failures = 0, error = null, again_at = null
    where catalogue_id = ${catalogueId}::uuid and failures > 0`);
}

const Running = z.object({ catalogueId: z.uuid(), runId: z.uuid(), worker: z.string() });

/** The runs of all processes, dead ones too. */
export function runningFollows(pool: Pick<Statements, "any">) {
  return pool.any(sql.type(Running)`
    select catalogue_id as "catalogueId", run_id as "runId", worker
    from operations.merge_follows where worker is not null`);
}

const State = z.object({
  parked: z.boolean(),
  failures: z.int(),
  error: z.string().nullable(),
  last_run: z.string().nullable(),
});

/** How a merge fares that is refreshed by itself. */
export type FollowState = z.infer<typeof State>;

const NOT_YET: FollowState = { parked: false, failures: 0, error: null, last_run: null };

export async function followState(pool: Lookups, catalogueId: string) {
  const state = await pool.maybeOne(sql.type(State)`
    select failures >= ${MAX_FAILURES} as parked, failures, error, ${isoTime("last_run")} as last_run
    from operations.merge_follows where catalogue_id = ${catalogueId}::uuid`);
  return state ?? NOT_YET;
}

const Figures = z.object({ behind: z.int(), parked: z.int() });

/** Merges that are refreshed by themselves: those that are behind their sources, and those that are parked. */
export function followFigures(pool: Pick<Statements, "one">) {
  return pool.one(sql.type(Figures)`
    select count(*) filter (where ${IS_BEHIND}) as behind,
      count(*) filter (where f.failures >= ${MAX_FAILURES}) as parked
    from read_model.catalogues c left join operations.merge_follows f on f.catalogue_id = c.id
    where c.merge_maker is not null`);
}

/** What is kept of merges beside the read model, once their catalogues are gone. */

const TABLES = ["merge_pair_sets", "merge_pairs", "merge_review", "merge_follows"];

/** Ids of catalogues of which something is kept, though the read model has none of them. */
export async function leftMerges(pool: Pick<CommonQueryMethods, "anyFirst">) {
  const kept = TABLES.map(
    (table) =>
      sql.fragment`select catalogue_id as id from ${sql.identifier(["operations", table])}`,
  );
  return pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    select id from (${sql.join(kept, sql.fragment` union `)}) kept
    where not exists (select from read_model.catalogues c where c.id = kept.id)`);
}

export async function forgetMerge(pool: Pick<CommonQueryMethods, "query">, catalogueId: string) {
  for (const table of TABLES) {
    await pool.query(sql.unsafe`
      delete from ${sql.identifier(["operations", table])} where catalogue_id = ${catalogueId}`);
  }
}
