import { Refusal } from "#contracts/errors.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { JobStore } from "#infra/jobs/job-store.ts";
import type { JobRunner } from "#services/jobs/job-runner.ts";
import type { Handler } from "../../http/handler.ts";
import { jobChanges } from "./job-changes.ts";
import { ownJob } from "./own-job.ts";

/** How long the answer waits for the job's end; the cancellation holds in any case. */
const END_MS = 10_000;

/** Answers with the job's state: `cancelled`, or still `running` when its end takes longer. */
export function cancelJobHandler({
  store,
  runner,
}: {
  store: JobStore;
  runner: Pick<JobRunner, "cancel">;
}): Handler<Operations["cancelOperation"]> {
  return async ({ params: { id }, actor }) => {
    await ownJob(store, actor, id);
    if (!(await store.requestCancel(id))) throw ended();
    runner.cancel(id);
    const look = async () => (await store.find(id))?.job ?? null;
    let last: Job | null = null;
    for await (const job of jobChanges(look, AbortSignal.timeout(END_MS))) {
      last = job;
    }
    // The job may have ended before the cancellation.
    if (last === null || last.status === "succeeded" || last.status === "failed") throw ended();
    return { body: { operation: last } };
  };
}

function ended(): Refusal {
  return new Refusal("CONFLICT", "The operation has ended already");
}
