import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "#contracts/http/jobs.ts";
import { createShared } from "#infra/kernel/recent.ts";
import type { FoundJob } from "#infra/stores/jobs.ts";
import { readerOfActor } from "../auth/caller-keys.ts";
import { hiddenFrom, maySee, visibleJob } from "./jobs.ts";
import type { MakeHandler } from "./make-handler.ts";

/** All streams of a job look at the table together, since the job may run in another process. */
const LOOK_MS = 250;
/** So that a stream ends within five seconds of the right to see the job. */
const LOOKS_PER_CHECK = 16;

/** The stop ends all streams, so that the service can stop while clients listen. */
export const streamJobHandler: MakeHandler<
  "streamOperation",
  "store" | "stopping" | "lookups" | "readActorAgain" | "streamPlaces"
> = (deps) => {
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
