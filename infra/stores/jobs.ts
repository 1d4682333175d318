/** Jobs, and the counts of imports that run. */

import type { Logger } from "pino";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ImportTally } from "#contracts/events/imports.ts";
import {
  JOBS_LIMIT,
  type Job,
  JobKind,
  JobStatus,
  type JobsQuery,
  type ListedJob,
} from "#contracts/http/jobs.ts";
import type { ErrorBody } from "#contracts/http/operation.ts";
import { repeat } from "../kernel/waiting.ts";
import { isoTimes } from "../postgres/statements.ts";

/** The outcome of a job. */
export type Outcome =
  | { readonly status: "succeeded"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly status: "failed"; readonly error: z.infer<typeof ErrorBody> }
  | { readonly status: "cancelled" };

export type Progress = {
  readonly done: number;
  readonly total: number;
  /** Number of events so far, when `done` counts something else. */
  readonly events?: number;
};

export type NewJob = {
  readonly id: string;
  readonly kind: JobKind;
  /** User id of the requester. */
  readonly owner: string;
  /** Presence key of the process that runs the job. */
  readonly worker: string;
  /** Unit of its progress. */
  readonly unit: string;
  /** What an analysis reads: whoever may read all of it may see the job. Absent for other work. */
  readonly reads?: readonly ReadVersion[];
};

export type ReadVersion = { readonly id: string; readonly version: number };

export type FoundJob = {
  readonly owner: string;
  readonly job: Job;
  readonly reads: readonly ReadVersion[] | null;
  /** Whether it names a catalogue. */
  readonly isNaming: boolean;
};

/**
 * Whether nobody may be told of a catalogue, as a condition of a query.
 * @param id an expression of type uuid
 */
export type IsHidden = (id: FragmentSqlToken) => FragmentSqlToken;

export type WantedJobs = JobsQuery & {
  readonly owner: string | null;
  readonly isHidden: IsHidden;
  /** Only those that name a catalogue; absent for no. */
  readonly isNaming?: boolean;
};

export type JobStore = ReturnType<typeof createJobStore>;

const JobRow = z.object({
  id: z.uuid(),
  kind: JobKind,
  owner: z.string(),
  status: JobStatus,
  done: z.int(),
  total: z.int(),
  events: z.int().nullable(),
  unit: z.string(),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.custom<z.infer<typeof ErrorBody>>().nullable(),
  reads: z.array(z.object({ id: z.uuid(), version: z.int() })).nullable(),
  isNaming: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
type JobRow = z.infer<typeof JobRow>;

/** The table of jobs. Ended jobs do not change. */
export function createJobStore(pool: CommonQueryMethods) {
  return {
    insert: async ({ id, kind, owner, worker, unit, reads }: NewJob): Promise<void> => {
      const readsJson = reads === undefined ? null : JSON.stringify(reads);
      await pool.query(sql.unsafe`
        insert into operations.operations (id, kind, owner, worker, unit, reads)
        values (${id}, ${kind}, ${owner}, ${worker}, ${unit}, ${readsJson}::json)`);
    },
    /** @param isHidden where one is given, a job that names a hidden catalogue is not found */
    find: async (id: string, isHidden?: IsHidden): Promise<FoundJob | null> => {
      const isTold = isHidden === undefined ? sql.fragment`true` : namesNone(isHidden);
      const row = await pool.maybeOne(sql.type(JobRow)`
        select ${COLUMNS} from operations.operations as operation
        where operation.id = ${id} and ${isTold}`);
      return row && foundJob(row);
    },
    /**
     * Newest first; of all owners where `owner` is null; none after an unknown `before`, and none that name a
     * hidden catalogue.
     */
    list: async ({
      owner,
      limit = JOBS_LIMIT.default,
      before,
      isHidden,
      isNaming = false,
    }: WantedJobs): Promise<ListedJob[]> => {
      const isOf = owner === null ? sql.fragment`true` : sql.fragment`owner = ${owner}`;
      const some = isNaming ? sql.fragment`exists (select from ${NAMED})` : sql.fragment`true`;
      const visible = sql.fragment`${isOf} and ${namesNone(isHidden)} and ${some}`;
      const earlier =
        before === undefined
          ? sql.fragment`true`
          : sql.fragment`(created_at, id) < (
              select created_at, id from operations.operations as operation
              where ${visible} and id = ${before})`;
      const rows = await pool.any(sql.type(JobRow)`
        select ${COLUMNS} from operations.operations as operation
        where ${visible} and ${earlier}
        order by operation.created_at desc, id desc
        limit ${limit}`);
      return rows.map((row) => ({ ...foundJob(row).job, owner: row.owner }));
    },
    /** Stores the progress; returns whether cancellation was requested. */
    report: async (id: string, { done, total, events }: Progress): Promise<boolean> => {
      const row = await pool.maybeOne(sql.type(z.object({ cancel_requested: z.boolean() }))`
        update operations.operations
        set done = ${done}, total = ${total}, events = ${events ?? null}, updated_at = clock_timestamp()
        where id = ${id} and status = 'running' returning cancel_requested`);
      return row?.cancel_requested ?? false;
    },
    /** False when the job has ended already. */
    requestCancel: async (id: string): Promise<boolean> => {
      const { rowCount } = await pool.query(sql.unsafe`
        update operations.operations set cancel_requested = true
        where id = ${id} and status = 'running'`);
      return rowCount === 1;
    },
    finish: async (id: string, outcome: Outcome, progress?: Progress): Promise<void> => {
      const result = outcome.status === "succeeded" ? JSON.stringify(outcome.result) : null;
      const error = outcome.status === "failed" ? JSON.stringify(outcome.error) : null;
      await pool.query(sql.unsafe`
        update operations.operations
        set status = ${outcome.status}, result = ${result}::json, error = ${error}::json,
          done = coalesce(${progress?.done ?? null}::bigint, done),
          total = coalesce(${progress?.total ?? null}::bigint, total),
          events = coalesce(${progress?.events ?? null}::bigint, events),
          updated_at = clock_timestamp()
        where id = ${id} and status = 'running'`);
    },
    running: () =>
      pool.any(sql.type(z.object({ id: z.uuid(), worker: z.string() }))`
        select id, worker from operations.operations where status = 'running'`),
    /** Deletes jobs that ended before `time`. */
    removeEndedBefore: async (time: Date): Promise<void> => {
      await pool.query(sql.unsafe`
        delete from operations.operations
        where status <> 'running' and updated_at < ${time.toISOString()}::timestamptz`);
    },
  };
}

/** The catalogues that an operation names: what it reads, and what its result or its error tells of. */
const NAMED = sql.fragment`(
  select id::uuid from (
    select result ->> 'catalogueId' as id
    union all select error ->> 'catalogueId'
    union all select result ->> 'catalogue' where kind in ('analysis', 'decluster')
    union all select result ->> 'id' where kind = 'create'
    union all select read ->> 'id' from json_array_elements(coalesce(reads, '[]')) read
  ) told where id is not null) named`;

const COLUMNS = sql.fragment`
  id, kind, owner, status, done, total, events, unit, result, error, reads,
  ${isoTimes("created_at", "updated_at")}, exists (select from ${NAMED}) as "isNaming"`;

/** Whether an operation names no hidden catalogue. */
function namesNone(isHidden: IsHidden): FragmentSqlToken {
  return sql.fragment`not exists (select from ${NAMED} where ${isHidden(sql.fragment`named.id`)})`;
}

function foundJob(row: JobRow) {
  const { owner, done, total, unit, events, result, error, reads, isNaming, ...job } = row;
  const progress = { done, total, unit, ...(events !== null && { events }) };
  const outcome = { ...(result !== null && { result }), ...(error !== null && { error }) };
  return { owner, reads, isNaming, job: { ...job, progress, ...outcome } };
}

const KEEP_MS = 1_000;

/** Progress of running imports; each catalogue has one at a time. */
export function createImportProgressStore(pool: CommonQueryMethods) {
  return {
    keep: async (catalogueId: string, revision: number, tally: ImportTally): Promise<void> => {
      await pool.query(sql.unsafe`
        with ended as (
          delete from operations.import_progress
          where catalogue_id = ${catalogueId} and revision < ${revision})
        insert into operations.import_progress (catalogue_id, revision, tally)
        values (${catalogueId}, ${revision}, ${JSON.stringify(tally)}::json)
        on conflict (catalogue_id, revision)
          do update set tally = excluded.tally, updated_at = clock_timestamp()`);
    },
    /** Null without stored progress. */
    find: async (catalogueId: string, revision: number): Promise<ImportTally | null> => {
      const row = await pool.maybeOne(sql.type(z.object({ tally: ImportTally }))`
        select tally from operations.import_progress
        where catalogue_id = ${catalogueId} and revision = ${revision}`);
      return row?.tally ?? null;
    },
    remove: async (catalogueId: string, revision: number): Promise<void> => {
      await pool.query(sql.unsafe`
        delete from operations.import_progress
        where catalogue_id = ${catalogueId} and revision = ${revision}`);
    },
  };
}

/** Stores an import's progress about every second, until closed, so that it survives a crash. */
export function keepProgress(
  keep: (tally: ImportTally) => Promise<unknown>,
  latest: () => ImportTally,
  logger: Pick<Logger, "warn">,
) {
  let stored = latest();
  const keepNews = async (): Promise<void> => {
    const tally = latest();
    if (tally === stored) return;
    stored = tally;
    await keep(tally);
  };
  return repeat(KEEP_MS, keepNews, (error) =>
    logger.warn({ err: error }, "the progress of an import cannot be kept"),
  );
}
