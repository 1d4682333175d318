/** How far schedules have come: which process runs which, and what is kept from one run to the next. */

import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isAnswerTo, ScheduleSettings, WithheldEvents } from "#contracts/events/imports.ts";
import type { Schedule } from "#contracts/http/imports.ts";
import { isoTime, isoTimes } from "#infra/postgres/statements.ts";
import {
  type CreatedKey,
  CreatedUuidKey,
  createdBefore,
  createdKeyOf,
  type ListPage,
  type ListRequest,
  readListPage,
  uuidOrNull,
} from "./lists.ts";
import { isThereFor, type Reader } from "./rights.ts";

const ScheduleRow = z.object({
  id: z.uuid(),
  catalogueId: z.uuid(),
  maker: z.string(),
  settings: ScheduleSettings,
  created_at: z.string(),
  updated_at: z.string(),
  running: z.boolean(),
  last_run: z.string().nullable(),
  last_whole: z.string().nullable(),
  next_run: z.string().nullable(),
  failures: z.int(),
  error: z.string().nullable(),
  stands_for: z.string().nullable(),
  region_revision: z.string().nullable(),
});

/** Longest wait after a failure. */
const MAX_WAIT_MINUTES = 1_440;

/** No wait is doubled more often; the longest is reached before. */
const MAX_DOUBLINGS = 11;

/**
 * When a schedule `s` with the state `t` runs next, an expression of type timestamptz: as long after the begin of its
 * last run, or its creation, as it is to wait; after failures twice as long for each, a day at most. Null while it
 * is paused.
 */
const NEXT_RUN = sql.fragment`
  case when not s.paused then coalesce(t.again_at,
    coalesce(t.last_run, s.created_at) + interval '1 minute' * (
      case when coalesce(t.failures, 0) = 0 then s.every_minutes
      else least(s.every_minutes * 2 ^ least(t.failures, ${MAX_DOUBLINGS}), ${MAX_WAIT_MINUTES}) end))
  end`;

const SCHEDULES = sql.fragment`(
  select s.*, t.last_run, t.last_whole, coalesce(t.failures, 0) as failures,
    coalesce(t.error, t.withheld ->> 'why') as error, t.stands_for,
    r.revision as region_revision, t.worker is not null as running, ${NEXT_RUN} as next_run
  from read_model.schedules s left join operations.schedule_states t on t.schedule_id = s.id
    left join read_model.regions r on r.id = s.region) s`;

const COLUMNS = sql.fragment`
  id, catalogue_id as "catalogueId", maker, settings, running, failures, error, stands_for,
  region_revision, ${isoTimes("created_at", "updated_at", "last_run", "last_whole", "next_run")}`;

/** Only catalogues that are there for a reader have schedules. */
function isOfReader(reader: Reader) {
  return sql.fragment`exists (
    select from read_model.catalogues c where c.id = s.catalogue_id and ${isThereFor(reader, "c")})`;
}

/**
 * The schedules of the catalogues that are there for a reader, newest first.
 * @param catalogueId of this one alone
 */
export function listSchedules(
  pool: CommonQueryMethods,
  catalogueId: string | undefined,
  request: ListRequest,
  reader: Reader,
): Promise<ListPage<Schedule>> {
  const isOf =
    catalogueId === undefined
      ? sql.fragment`true`
      : sql.fragment`s.catalogue_id = ${catalogueId}::uuid`;
  const read = async (after: CreatedKey | null, limit: number) => {
    const rows = await pool.any(sql.type(ScheduleRow)`
      select ${COLUMNS} from ${SCHEDULES}
      where ${isOf} and ${createdBefore("s", after)} and ${isOfReader(reader)}
      order by s.created_at desc, s.id desc limit ${limit}`);
    return rows.map(shown);
  };
  const list = { name: "schedules", key: CreatedUuidKey, keyOf: createdKeyOf, read };
  return readListPage(list, request);
}

/** One schedule; null for an unknown one, and for one of a catalogue that is not there for the reader. */
export async function findSchedule(pool: CommonQueryMethods, id: string, reader: Reader) {
  const row = await pool.maybeOne(sql.type(ScheduleRow)`
    select ${COLUMNS} from ${SCHEDULES}
    where s.id = ${uuidOrNull(id)}::uuid and ${isOfReader(reader)}`);
  return row && shown(row);
}

function shown(row: z.infer<typeof ScheduleRow>): Schedule {
  const { settings, stands_for: known, region_revision: revision, maker, error, ...rest } = row;
  const { filters, pausedBecause, ...asked } = settings;
  const { polygon = null, region = null } = filters;
  return {
    ...rest,
    ...asked,
    ...filters,
    polygon,
    region,
    created_by: maker,
    last_whole: isAnswerTo(settings, known, revision) ? row.last_whole : null,
    error: pausedBecause ?? error,
  };
}

const ClaimedRow = z.object({
  scheduleId: z.uuid(),
  catalogueId: z.uuid(),
  maker: z.string(),
  settings: ScheduleSettings,
  runId: z.uuid(),
  /** When it was claimed. */
  begunAt: z.string(),
  conflicts: z.int(),
  stands_for: z.string().nullable(),
  last_asked: z.string().nullable(),
  last_asked_whole: z.string().nullable(),
  last_whole: z.string().nullable(),
  known: z.instanceof(Uint8Array).nullable(),
  withheld: WithheldEvents.nullable(),
  /** The agency's ids of events that messages told of since. */
  pushed: z.array(z.string()),
});

/** A schedule that this process runs, with what earlier runs have left. */
export type ClaimedSchedule = z.infer<typeof ClaimedRow>;

const CLAIMED = sql.fragment`
  t.schedule_id as "scheduleId", t.catalogue_id as "catalogueId", s.maker, s.settings, t.run_id as "runId",
  ${isoTime("t.claimed_at")} as "begunAt", t.conflicts, t.stands_for,
  ${isoTimes("t.last_asked", "t.last_asked_whole", "t.last_whole")}, t.known, t.withheld, t.pushed`;

/** `worker` is the presence key of the process. */
type Claimant = { readonly worker: string; readonly now: Date };

/** Schedules without a state get one. */
async function completeStates(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.schedule_states (schedule_id, catalogue_id)
    select id, catalogue_id from read_model.schedules s
    where not exists (select from operations.schedule_states t where t.schedule_id = s.id)
    on conflict do nothing`);
}

/** Claims schedules that are due, those first that are so for longest; others may claim at the same time. */
export async function claimDue(pool: CommonQueryMethods, { worker, now }: Claimant, limit: number) {
  await completeStates(pool);
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  return pool.any(sql.type(ClaimedRow)`
    with due as (
      select t.schedule_id from operations.schedule_states t
      join read_model.schedules s on s.id = t.schedule_id
      where t.worker is null and ${NEXT_RUN} <= ${at}
      order by ${NEXT_RUN} limit ${limit} for update of t skip locked)
    update operations.schedule_states t set ${claimOf(worker, now)}
    from due, read_model.schedules s
    where t.schedule_id = due.schedule_id and s.id = t.schedule_id
    returning ${CLAIMED}`);
}

/** Claims one schedule, due or not; null where it runs, or is not there any more. */
export function claimSchedule(
  pool: CommonQueryMethods,
  { worker, now }: Claimant,
  scheduleId: string,
  runId: string,
): Promise<ClaimedSchedule | null> {
  return claimOne(pool, scheduleId, claimOf(worker, now, runId), sql.fragment`true`);
}

/** Claims a schedule for messages, whose runs are none by its clock; null as for `claimSchedule`, and while it is paused. */
export function claimForMessages(
  pool: CommonQueryMethods,
  { worker, now }: Claimant,
  scheduleId: string,
  runId: string,
): Promise<ClaimedSchedule | null> {
  return claimOne(pool, scheduleId, holdOf(worker, now, runId), IS_PUSHED);
}

async function claimOne(
  pool: CommonQueryMethods,
  scheduleId: string,
  claim: FragmentSqlToken,
  condition: FragmentSqlToken,
): Promise<ClaimedSchedule | null> {
  await completeStates(pool);
  return pool.maybeOne(sql.type(ClaimedRow)`
    update operations.schedule_states t set ${claim}
    from read_model.schedules s
    where t.schedule_id = ${scheduleId}::uuid and s.id = t.schedule_id and t.worker is null
      and ${condition}
    returning ${CLAIMED}`);
}

function claimOf(worker: string, now: Date, runId: string | null = null) {
  return sql.fragment`${holdOf(worker, now, runId)}, again_at = null, last_run = ${now.toISOString()}::timestamptz`;
}

function holdOf(worker: string, now: Date, runId: string | null) {
  return sql.fragment`worker = ${worker}, run_id = coalesce(${runId}::uuid, gen_random_uuid()),
    claimed_at = ${now.toISOString()}::timestamptz`;
}

/** What a run leaves for the next one. */
export type RunEnd =
  | {
      readonly outcome: "done";
      /** Whether it was answered for the whole window, and could read all of that. */
      readonly askedWhole: boolean;
      readonly isWhole: boolean;
      /** What is known of the agency's events now; null for no more than before. */
      readonly known: Uint8Array | null;
      /** What a run that was whole has withheld; absent for nothing. */
      readonly withheld?: WithheldEvents | undefined;
      /** `standsFor` of its settings and its agency. */
      readonly standsFor: string;
    }
  | { readonly outcome: "failed"; readonly error: string }
  /** Others changed the catalogue meanwhile; `again` is when it is tried again. */
  | { readonly outcome: "conflict"; readonly again: Date }
  /** It was stopped with its process, or paused. */
  | { readonly outcome: "stopped"; readonly again: Date | null }
  /** Messages told of events with these ids; `again` is when a run makes up for those that could not be applied. */
  | {
      readonly outcome: "messages";
      readonly ids: readonly string[];
      readonly again: Date | null;
    };

/** From so many on, whatever is known is forgotten instead. */
const MAX_PUSHED = 5_000;

/**
 * Ends the run of a claimed schedule; nothing where another process has taken it over meanwhile.
 * @returns whether it was this process's still
 */
export async function endRun(
  pool: CommonQueryMethods,
  { scheduleId, runId }: Pick<ClaimedSchedule, "scheduleId" | "runId">,
  worker: string,
  end: RunEnd,
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    update operations.schedule_states set worker = null, ${changesOf(end)}
    where schedule_id = ${scheduleId}::uuid and run_id = ${runId}::uuid and worker = ${worker}`);
  return rowCount === 1;
}

function changesOf(end: RunEnd) {
  switch (end.outcome) {
    case "failed":
      return sql.fragment`failures = failures + 1, error = ${end.error}, conflicts = 0`;
    case "conflict":
      return sql.fragment`conflicts = conflicts + 1, again_at = ${end.again.toISOString()}::timestamptz`;
    case "stopped":
      return sql.fragment`again_at = ${end.again?.toISOString() ?? null}::timestamptz`;
    case "messages": {
      const again = sql.fragment`${end.again?.toISOString() ?? null}::timestamptz`;
      const isFull = sql.fragment`cardinality(pushed) > ${MAX_PUSHED}`;
      return sql.fragment`again_at = coalesce(again_at, ${again}),
        known = case when not ${isFull} then known end,
        pushed = case when ${isFull} then '{}' else pushed || ${sql.array([...end.ids], "text")} end`;
    }
    case "done": {
      const { askedWhole, isWhole, known, withheld = null, standsFor } = end;
      const kept = (name: string) => sql.fragment`
        case when stands_for is not distinct from ${standsFor} then ${sql.identifier([name])} end`;
      const begun = (isSo: boolean, name: string) => (isSo ? sql.fragment`last_run` : kept(name));
      return sql.fragment`failures = 0, error = null, conflicts = 0, stands_for = ${standsFor}, pushed = '{}',
        last_asked = last_run, last_asked_whole = ${begun(askedWhole, "last_asked_whole")},
        last_whole = ${begun(isWhole, "last_whole")},
        withheld = ${isWhole ? sql.fragment`${withheld && JSON.stringify(withheld)}::json` : kept("withheld")},
        known = ${known === null ? kept("known") : sql.binary(Buffer.from(known))}`;
    }
  }
}

const Running = z.object({
  scheduleId: z.uuid(),
  catalogueId: z.uuid(),
  runId: z.uuid(),
  worker: z.string(),
  begunAt: z.string(),
  settings: ScheduleSettings,
});
export type RunningSchedule = z.infer<typeof Running>;

/** The runs of all processes, dead ones too. */
export function runningSchedules(pool: CommonQueryMethods): Promise<readonly RunningSchedule[]> {
  return pool.any(sql.type(Running)`
    select t.schedule_id as "scheduleId", t.catalogue_id as "catalogueId", t.run_id as "runId", t.worker,
      ${isoTime("t.claimed_at")} as "begunAt", s.settings
    from operations.schedule_states t join read_model.schedules s on s.id = t.schedule_id
    where t.worker is not null`);
}

/** Whether the run of a schedule's state `t` has a record of its end: only what it left for the next one is missing. */
const IS_RECORDED = sql.fragment`(
  exists (select from read_model.imports i where i.id = t.run_id and i.end_time is not null)
  or exists (select from operations.schedule_runs r where r.id = t.run_id))`;

/**
 * Ends the run of a dead process, so that it is made again: at once, and as after a failure where it was cut off
 * after one already.
 * @returns whether nobody else has done so, and it has no record of its end yet
 */
export async function endDeadRun(
  pool: CommonQueryMethods,
  { scheduleId, runId, worker }: Pick<RunningSchedule, "scheduleId" | "runId" | "worker">,
  error: string,
  now: Date,
): Promise<boolean> {
  const ended = await pool.maybeOne(sql.type(z.object({ isRecorded: z.boolean() }))`
    update operations.schedule_states t set worker = null,
      failures = case when ${IS_RECORDED} then failures else failures + 1 end,
      error = case when ${IS_RECORDED} then error else ${error} end,
      again_at = case when failures = 0 then ${now.toISOString()}::timestamptz end
    where schedule_id = ${scheduleId}::uuid and run_id = ${runId}::uuid and worker = ${worker}
    returning ${IS_RECORDED} as "isRecorded"`);
  return ended !== null && !ended.isRecorded;
}

const Left = z.object({ scheduleId: z.uuid(), catalogueId: z.uuid() });

/** Schedules of which something is kept, though the read model has none of them. */
export function leftStates(pool: CommonQueryMethods): Promise<readonly z.infer<typeof Left>[]> {
  return pool.any(sql.type(Left)`
    select schedule_id as "scheduleId", catalogue_id as "catalogueId" from (
      select schedule_id, catalogue_id from operations.schedule_states
      union select schedule_id, catalogue_id from operations.schedule_runs
    ) kept
    where not exists (select from read_model.schedules s where s.id = kept.schedule_id)`);
}

/** Nothing is kept of the schedules of a deleted catalogue any more. */
export async function forgetCatalogue(pool: CommonQueryMethods, catalogueId: string) {
  await pool.query(sql.unsafe`
    delete from operations.schedule_states where catalogue_id = ${catalogueId}::uuid`);
  await pool.query(sql.unsafe`
    delete from operations.schedule_runs where catalogue_id = ${catalogueId}::uuid`);
}

/** Nothing is kept of a schedule any more but its runs. */
export async function forgetScheduleState(pool: CommonQueryMethods, scheduleId: string) {
  await pool.query(sql.unsafe`
    delete from operations.schedule_states where schedule_id = ${scheduleId}::uuid`);
}

/** Schedules that also take what their agency sends by itself, and the connections over which it does. */

/** Whether a schedule `s` takes messages. */
const IS_PUSHED = sql.fragment`(not s.paused and (s.settings ->> 'push')::boolean)`;

const PushedSchedule = z.object({ id: z.uuid(), settings: ScheduleSettings });

/** Those of an agency. */
export function pushedSchedules(pool: CommonQueryMethods, agencyId: string) {
  return pool.any(sql.type(PushedSchedule)`
    select s.id, s.settings from read_model.schedules s
    where s.agency = ${agencyId} and ${IS_PUSHED} order by s.created_at, s.id`);
}

export function isPushed(pool: CommonQueryMethods, scheduleId: string): Promise<boolean> {
  return pool.exists(sql.unsafe`
    select from read_model.schedules s where s.id = ${scheduleId}::uuid and ${IS_PUSHED}`);
}

/** The ids of the agencies whose messages are wanted. */
export async function wantedAgencies(pool: CommonQueryMethods): Promise<ReadonlySet<string>> {
  const ids = await pool.anyFirst(sql.type(z.object({ agency: z.string() }))`
    select distinct s.agency from read_model.schedules s where ${IS_PUSHED}`);
  return new Set(ids);
}

/** No connection is there any more, whoever kept them. */
export async function notePushesLost(pool: CommonQueryMethods, at: Date): Promise<void> {
  await pool.query(sql.unsafe`
    update operations.agency_pushes
    set connected_since = null, lost_at = ${at.toISOString()}::timestamptz
    where connected_since is not null`);
}

/** @param since when it was connected: another process may be so since */
export async function notePushLost(
  pool: CommonQueryMethods,
  agencyId: string,
  since: Date,
  at: Date,
): Promise<void> {
  await pool.query(sql.unsafe`
    update operations.agency_pushes
    set connected_since = null, lost_at = ${at.toISOString()}::timestamptz
    where agency = ${agencyId} and connected_since = ${since.toISOString()}::timestamptz`);
}

const Before = z.object({ isFirst: z.boolean(), lostAt: z.string().nullable() });

/**
 * Notes that an agency is connected. Where it was so before, its schedules run soon, since nobody knows what they
 * have missed; one that was made meanwhile and has not run waits for its time.
 * @returns whether it was connected before
 */
export async function notePushConnected(pool: CommonQueryMethods, agencyId: string, at: Date) {
  const { isFirst, lostAt } = await pool.one(sql.type(Before)`
    with before as (select lost_at from operations.agency_pushes where agency = ${agencyId})
    insert into operations.agency_pushes (agency, connected_since)
    values (${agencyId}, ${at.toISOString()}::timestamptz)
    on conflict (agency) do update set connected_since = excluded.connected_since
    returning not exists (select from before) as "isFirst",
      (select lost_at::text from before) as "lostAt"`);
  if (!isFirst) await runPushedSoon(pool, agencyId, at, lostAt);
  return !isFirst;
}

/** @param lostAt before which a schedule was made that has not run; null for any */
export async function runPushedSoon(
  pool: CommonQueryMethods,
  agencyId: string,
  at: Date,
  lostAt: string | null = null,
): Promise<void> {
  const soon = sql.fragment`${at.toISOString()}::timestamptz`;
  await pool.query(sql.unsafe`
    insert into operations.schedule_states as t (schedule_id, catalogue_id, again_at)
    select s.id, s.catalogue_id, ${soon}
    from read_model.schedules s left join operations.schedule_states t on t.schedule_id = s.id
    where s.agency = ${agencyId} and ${IS_PUSHED}
      and (t.last_run is not null or s.created_at < coalesce(${lostAt}::timestamptz, ${soon}))
    on conflict (schedule_id) do update set again_at = excluded.again_at`);
}

const Figures = z.object({
  /** Schedules that are due and wait. */
  due: z.int(),
  /** Those of them that have waited for more than five minutes. */
  late: z.int(),
  /** Seconds; null where all are paused. */
  age: z.number().nullable(),
});

/** How schedules fare; the age is that of what the one knows whose window was read whole the longest time ago. */
export function scheduleFigures(pool: CommonQueryMethods, now: Date) {
  const at = sql.fragment`${now.toISOString()}::timestamptz`;
  const waits = sql.fragment`t.worker is null and ${NEXT_RUN}`;
  return pool.one(sql.type(Figures)`
    select count(*) filter (where ${waits} <= ${at}) as due,
      count(*) filter (where ${waits} <= ${at} - interval '5 minutes') as late,
      max(extract(epoch from ${at} - coalesce(t.last_whole, s.created_at)))
        filter (where not s.paused)::float8 as age
    from read_model.schedules s left join operations.schedule_states t on t.schedule_id = s.id`);
}
