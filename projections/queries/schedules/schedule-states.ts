/** How far schedules have come: which process runs which, and what is kept from one run to the next. */
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ScheduleSettings, WithheldEvents } from "#contracts/schedule.ts";
import { isoTime, isoTimes } from "#infra/postgres/iso-time.ts";
import { NEXT_RUN } from "./next-run.ts";
import { IS_PUSHED } from "./pushed-schedules.ts";

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

type Claimant = {
  /** Presence key of the process. */
  readonly worker: string;
  readonly now: Date;
};

/** Schedules without a state get one. */
async function completeStates(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.schedule_states (schedule_id, catalogue_id)
    select id, catalogue_id from read_model.schedules s
    where not exists (select from operations.schedule_states t where t.schedule_id = s.id)
    on conflict do nothing`);
}

/** Claims schedules that are due, those first that are so for longest; others may claim at the same time. */
export async function claimDue(
  pool: CommonQueryMethods,
  { worker, now }: Claimant,
  limit: number,
): Promise<readonly ClaimedSchedule[]> {
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
export async function forgetCatalogue(
  pool: CommonQueryMethods,
  catalogueId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    delete from operations.schedule_states where catalogue_id = ${catalogueId}::uuid`);
  await pool.query(sql.unsafe`
    delete from operations.schedule_runs where catalogue_id = ${catalogueId}::uuid`);
}

/** Nothing is kept of a schedule any more but its runs. */
export async function forgetScheduleState(
  pool: CommonQueryMethods,
  scheduleId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    delete from operations.schedule_states where schedule_id = ${scheduleId}::uuid`);
}
