import type { Job } from "#contracts/http/jobs.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { JobStore } from "#infra/jobs/job-store.ts";
import type { Handler } from "../../http/handler.ts";
import { jobChanges } from "./job-changes.ts";
import { ownJob } from "./own-job.ts";

/** @param stopping ends all streams, so that the service can stop while clients listen */
export function streamJobHandler({
  store,
  stopping,
}: {
  store: JobStore;
  stopping: AbortSignal;
}): Handler<Operations["streamOperation"]> {
  return async ({ params: { id }, actor, scope }) => {
    await ownJob(store, actor, id);
    const look = async () => (await store.find(id))?.job ?? null;
    const changes = jobChanges(look, AbortSignal.any([stopping, scope.signal]));
    return {
      contentType: "text/event-stream",
      headers: { "x-accel-buffering": "no" },
      open: () => jobEvents(changes, () => performance.now()),
    };
  };
}

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still running\n\n";

/**
 * Server-sent events: one per change, and regular comments, so that no proxy considers the
 * connection dead.
 * @param now a clock in milliseconds, from any start
 */
export async function* jobEvents(
  looks: AsyncIterable<Job>,
  now: () => number,
): AsyncGenerator<string> {
  let last = "";
  let sentAt = 0;
  for await (const job of looks) {
    const data = JSON.stringify({ operation: job });
    const isNews = data !== last;
    if (!isNews && now() - sentAt < HEARTBEAT_MS) continue;
    yield isNews ? `event: operation\ndata: ${data}\n\n` : HEARTBEAT;
    last = data;
    sentAt = now();
  }
}
