import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { FoundJob, IsHidden, JobStore } from "#infra/stores/jobs.ts";
import { isHiddenFor, type Reader } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { readerOfActor } from "../auth/caller-keys.ts";
import type { Actor } from "../http/handler.ts";
import type { MakeHandler } from "./make-handler.ts";

export const listJobsHandler: MakeHandler<"listOperations", "store"> =
  ({ store }) =>
  async ({ query, actor, reader }) => {
    const owner = actor.role === "admin" ? null : actor.userId;
    // A token for some catalogues lists what is about them alone.
    const isNaming = reader.kind === "user" && reader.catalogues !== null;
    const wanted = { ...query, owner, isHidden: hiddenFrom(reader), isNaming };
    return { body: { operations: await store.list(wanted) } };
  };

export const getJobHandler: MakeHandler<"getOperation", "store" | "lookups"> =
  (deps) =>
  async ({ params, actor }) => ({
    body: { operation: (await visibleJob(deps, actor, params.id)).job },
  });

/** How long the answer waits for the job's end; the cancellation holds in any case. */
const CANCEL_WAIT_MS = 10_000;

/** Answers with the job's state: `cancelled`, or still `running` when its end takes longer. */
export const cancelJobHandler: MakeHandler<"cancelOperation", "store" | "runner"> =
  ({ store, runner }) =>
  async ({ params: { id }, actor }) => {
    await ownJob(store, actor, id);
    if (!(await store.requestCancel(id))) throw ended();
    runner.cancel(id);
    const find = async () => (await store.find(id))?.job ?? null;
    let last: Job | null = null;
    for await (const job of jobChanges(find, AbortSignal.timeout(CANCEL_WAIT_MS))) {
      last = job;
    }
    // The job may have ended before the cancellation.
    if (last === null || last.status === "succeeded" || last.status === "failed") throw ended();
    return { body: { operation: last } };
  };

function ended(): Refusal {
  return new Refusal("CONFLICT", "The operation has ended already");
}

const POLL_MS = 250;

/**
 * Yields a job at each poll, until it has ended or the signal aborts. It polls the store, since the
 * job may run in another process.
 * @param find returns null when the job does not exist any more
 */
async function* jobChanges(
  find: () => Promise<Job | null>,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  while (!signal.aborted) {
    const job = await find();
    if (job === null) return;
    yield job;
    if (job.status !== "running") return;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * A job that is the caller's own; any for administrators. For other callers the job does not exist.
 * @throws Refusal NOT_FOUND
 */
async function ownJob(store: JobStore, actor: Actor, id: string): Promise<Job> {
  const record = await store.find(id, hiddenFrom(readerOfActor(actor)));
  if (record !== null && isOwn(record, actor)) return record.job;
  throw noSuchJob();
}

type Seeing = { readonly store: JobStore; readonly lookups: Lookups };

/**
 * A job that the caller may see.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED for guests
 */
export async function visibleJob(
  { store, lookups }: Seeing,
  actor: Actor | null,
  id: string,
): Promise<FoundJob> {
  const record = await store.find(id, hiddenFrom(readerOfActor(actor)));
  if (record !== null && (await maySee(lookups, record, actor))) return record;
  throw actor === null ? new Refusal("UNAUTHENTICATED") : noSuchJob();
}

/** Whether a job is the caller's own, or one of analytics that reads what the caller may read. */
export async function maySee(
  lookups: Lookups,
  record: FoundJob,
  actor: Actor | null,
): Promise<boolean> {
  return (actor !== null && isOwn(record, actor)) || isReadable(lookups, record.reads, actor);
}

/** Others' jobs are an administrator's, by a token for some catalogues those that are about them. */
function isOwn({ owner, isNaming }: FoundJob, actor: Actor): boolean {
  if (owner === actor.userId) return true;
  return actor.role === "admin" && (isNaming || (actor.token?.catalogues ?? null) === null);
}

/** Also false once one of the catalogues is deleted, or not public any more. */
async function isReadable(
  lookups: Lookups,
  reads: FoundJob["reads"],
  actor: Actor | null,
): Promise<boolean> {
  if (reads === null) return false;
  try {
    for (const { id, version } of reads) {
      const request = { catalogueId: id, asOf: String(version), reader: readerOfActor(actor) };
      await resolveVersion(lookups, request);
    }
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** For the store: catalogues of which a reader may not be told. */
export function hiddenFrom(reader: Reader): IsHidden {
  return (id) => isHiddenFor(reader, id);
}

function noSuchJob(): Refusal {
  return new Refusal("NOT_FOUND", "Operation not found");
}
