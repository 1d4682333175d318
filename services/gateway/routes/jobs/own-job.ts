import { Refusal } from "#contracts/errors.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { JobStore } from "#infra/jobs/job-store.ts";
import type { Actor } from "../../http/handler.ts";

/**
 * A job that the caller may see: administrators any, others their own. For other callers the job
 * does not exist.
 * @throws Refusal NOT_FOUND
 */
export async function ownJob(store: JobStore, actor: Actor, id: string): Promise<Job> {
  const found = await store.find(id);
  if (found !== null && (found.owner === actor.userId || actor.role === "admin")) {
    return found.job;
  }
  throw new Refusal("NOT_FOUND", "Operation not found");
}
