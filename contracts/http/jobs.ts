import { z } from "zod";
import { queryLimit } from "../query/parameters.ts";
import { ErrorBody, operation } from "./operation.ts";

/** Work that outlasts its request, which was answered 202. Clients know a job as an operation. */
export const JobKind = z.enum([
  "create",
  "add",
  "merge",
  "evaluate",
  "refresh",
  "preview",
  "convert",
  "import",
  "decluster",
  "compare",
  "analysis",
]);
export type JobKind = z.infer<typeof JobKind>;

export const JobStatus = z.enum(["running", "succeeded", "failed", "cancelled"]);

export const JobProgress = z.object({
  done: z.int(),
  total: z.int().describe("0 while it is not known"),
  unit: z.string(),
  events: z.int().optional().describe("events so far, where the unit is another"),
});

export const Job = z
  .object({
    id: z.uuid(),
    kind: JobKind,
    status: JobStatus,
    progress: JobProgress,
    result: z.record(z.string(), z.unknown()).optional().describe("the answer, once succeeded"),
    error: ErrorBody.optional().describe("the error body, once failed"),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Operation" });
export type Job = z.infer<typeof Job>;

const ListedJob = Job.extend({ owner: z.string().describe("user id") }).meta({
  id: "ListedOperation",
});
export type ListedJob = z.infer<typeof ListedJob>;

export const JOBS_LIMIT = { default: 100, max: 1000 } as const;

export const JobsQuery = z.strictObject({
  limit: queryLimit(JOBS_LIMIT, "jobs in one answer").optional(),
  before: z.uuid().optional().describe("id of the last job of the page before: continues after it"),
});
export type JobsQuery = z.output<typeof JobsQuery>;

/** The answer to a request with `Prefer: respond-async`. */
export const Accepted = z.object({ operationId: z.uuid() }).meta({ id: "Accepted" });

const answer = z.object({ operation: Job });

export const listOperations = operation("GET", "/api/operations", {
  summary: "The caller's own jobs, or all for administrators, newest first",
  access: "signed-in",
  query: JobsQuery,
  answer: z.object({ operations: z.array(ListedJob) }),
});

export const getOperation = operation("GET", "/api/operations/:id", {
  summary:
    "One job of the caller's own, or any for administrators; of analytics for whoever may read the catalogue",
  access: "public",
  answer,
  errors: ["UNAUTHENTICATED"],
});

export const streamOperation = operation("GET", "/api/operations/:id/stream", {
  summary: "A job as it goes on, as server-sent events; ends with it",
  access: "public",
  answer: z.string().describe("events of the type operation, with {operation} as data"),
  contentTypes: ["text/event-stream"],
  errors: ["UNAUTHENTICATED"],
});

export const cancelOperation = operation("DELETE", "/api/operations/:id", {
  summary: "Cancel a job that is running or waits; nothing half-done stays",
  access: "signed-in",
  answer,
  errors: ["CONFLICT"],
});
