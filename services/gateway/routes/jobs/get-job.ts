import type { Operations } from "#contracts/http/operations.ts";
import type { JobStore } from "#infra/jobs/job-store.ts";
import type { Handler } from "../../http/handler.ts";
import { ownJob } from "./own-job.ts";

export function getJobHandler({ store }: { store: JobStore }): Handler<Operations["getOperation"]> {
  return async ({ params, actor }) => ({
    body: { operation: await ownJob(store, actor, params.id) },
  });
}
