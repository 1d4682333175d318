import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { createShared } from "#infra/kernel/recent.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { FoundJob, IsHidden, JobStore } from "#infra/stores/jobs.ts";
import { isHiddenFor, type Reader } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { readerOfActor } from "../access.ts";
import type { Actor, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";

export function handlersOfJobs(deps: HandlerDeps) {
  const { store, runner } = deps;
  return {
    listOperations: async ({ query, actor, reader }) => {
      const owner = actor.role === "admin" ? null : actor.userId;
      // A token for some catalogues lists what is about them alone.
      const isNaming = reader.kind === "user" && reader.catalogues !== null;
      const wanted = { ...query, owner, isHidden: hiddenFrom(reader), isNaming };
      return { body: { operations: await store.list(wanted) } };
    },

    getOperation: async ({ params, actor }) => ({
      body: { operation: (await visibleJob(deps, actor, params.id)).job },
    }),

    /** Answers with the job's state: `cancelled`, or still `running` when its end takes longer. */
    cancelOperation: async ({ params: { id }, actor }) => {
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
    },

    streamOperation: streamJobHandler(deps),
  } satisfies Partial<Handlers>;
}

/** How long the answer waits for the job's end; the cancellation holds in any case. */
const CANCEL_WAIT_MS = 10_000;

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

/**
 * A job that the caller may see.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED for guests
 */
async function visibleJob(
  { store, lookups }: { readonly store: JobStore; readonly lookups: Lookups },
  actor: Actor | null,
  id: string,
): Promise<FoundJob> {
  const record = await store.find(id, hiddenFrom(readerOfActor(actor)));
  if (record !== null && (await maySee(lookups, record, actor))) return record;
  throw actor === null ? new Refusal("UNAUTHENTICATED") : noSuchJob();
}

/** Whether a job is the caller's own, or one of analytics that reads what the caller may read. */
async function maySee(lookups: Lookups, record: FoundJob, actor: Actor | null): Promise<boolean> {
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
function hiddenFrom(reader: Reader): IsHidden {
  return (id) => isHiddenFor(reader, id);
}

function noSuchJob(): Refusal {
  return new Refusal("NOT_FOUND", "Operation not found");
}

/** All streams of a job look at the table together, since the job may run in another process. */
const LOOK_MS = 250;
/** So that a stream ends within five seconds of the right to see the job. */
const LOOKS_PER_CHECK = 16;

/** The stop ends all streams, so that the service can stop while clients listen. */
const streamJobHandler: (deps: HandlerDeps) => Handlers["streamOperation"] = (deps) => {
  const { store, stopping, lookups, readActorAgain, streamPlaces } = deps;
  const looks = createShared<FoundJob | null>(0);
  const checks = createShared<boolean>(0);

  return async ({ params: { id }, actor, scope, asker }) => {
    const record = await visibleJob(deps, actor, id);
    const crowded = new AbortController();
    const place = streamPlaces.take(asker, () => crowded.abort());
    scope.own(place.leave);
    const states = jobStates(record, {
      signal: AbortSignal.any([stopping, scope.signal, crowded.signal]),
      look: () => looks(id, () => delay(LOOK_MS).then(() => store.find(id))),
      maySee: (job) =>
        checks(`${id} ${actor?.sessionId ?? actor?.token?.id}`, async () => {
          const now = actor && (await readActorAgain(actor));
          if ((actor === null) !== (now === null)) return false;
          const shown = await store.find(job.job.id, hiddenFrom(readerOfActor(now)));
          return shown !== null && maySee(lookups, shown, now);
        }),
    });
    return {
      contentType: "text/event-stream",
      headers: { "x-accel-buffering": "no" },
      isEndless: true,
      open: () => jobEvents(states, () => performance.now(), place.touch),
    };
  };
};

type Watching = {
  readonly signal: AbortSignal;
  readonly look: () => Promise<FoundJob | null>;
  readonly maySee: (record: FoundJob) => Promise<boolean>;
};

/** A job at each look, until it has ended, may not be seen any more, or the signal aborts. */
async function* jobStates(
  first: FoundJob,
  { signal, look, maySee: isSeen }: Watching,
): AsyncGenerator<Job> {
  let record: FoundJob | null = first;
  for (let looks = 1; record !== null && !signal.aborted; looks += 1) {
    yield record.job;
    if (record.job.status !== "running") return;
    record = await look();
    const isDue = looks % LOOKS_PER_CHECK === 0;
    if (isDue && record !== null && !(await isSeen(record))) return;
  }
}

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still running\n\n";

/**
 * Server-sent events: one per change, and regular comments, so that no proxy considers the
 * connection dead.
 * @param now a clock in milliseconds, from any start
 * @param onNews called at each change
 */
export async function* jobEvents(
  states: AsyncIterable<Job>,
  now: () => number,
  onNews: () => void,
): AsyncGenerator<string> {
  let last = "";
  let sentAt = 0;
  for await (const job of states) {
    const data = JSON.stringify({ operation: job });
    const isNews = data !== last;
    if (!isNews && now() - sentAt < HEARTBEAT_MS) continue;
    if (isNews) onNews();
    yield isNews ? `event: operation\ndata: ${data}\n\n` : HEARTBEAT;
    last = data;
    sentAt = now();
  }
}
