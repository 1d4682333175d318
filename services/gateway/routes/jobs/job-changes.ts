import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "#contracts/http/jobs.ts";

const LOOK_MS = 250;

/**
 * A job each time it is looked at, until it has ended or the signal aborts: it may run in
 * another process, so the store is what tells.
 * @param look null when it is not there any more
 */
export async function* jobChanges(
  look: () => Promise<Job | null>,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  while (!signal.aborted) {
    const job = await look();
    if (job === null) return;
    yield job;
    if (job.status !== "running") return;
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
