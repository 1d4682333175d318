/** Schedules that also take what their agency sends by itself, and the connections over which it does. */
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ScheduleSettings } from "#contracts/schedule.ts";

/** Whether a schedule `s` takes messages. */
export const IS_PUSHED = sql.fragment`(not s.paused and (s.settings ->> 'push')::boolean)`;

const PushedSchedule = z.object({ id: z.uuid(), settings: ScheduleSettings });
export type PushedSchedule = z.infer<typeof PushedSchedule>;

/** Those of an agency. */
export function pushedSchedules(
  pool: CommonQueryMethods,
  agencyId: string,
): Promise<readonly PushedSchedule[]> {
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
export async function notePushConnected(
  pool: CommonQueryMethods,
  agencyId: string,
  at: Date,
): Promise<boolean> {
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
