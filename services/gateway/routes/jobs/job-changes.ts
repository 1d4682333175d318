import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "#contracts/http/jobs.ts";

const LOOK_MS = 250;

/**
 * Yields a job at each poll, until it has ended or the signal aborts. It polls the store, since the
 * job may run in another process.
 * @param look returns null when the job does not exist any more
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
