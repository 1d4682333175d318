import { z } from "zod";
import { ErrorBody } from "../errors.ts";
import { Id } from "./catalogue.ts";
import { operation } from "./operation.ts";

/** Work that outlasts its request, which was answered 202. Clients know a job as an operation. */
export const JobKind = z.enum(["merge", "import", "decluster", "compare", "analysis"]);
export type JobKind = z.infer<typeof JobKind>;

export const JobStatus = z.enum(["running", "succeeded", "failed", "cancelled"]);
export type JobStatus = z.infer<typeof JobStatus>;

export const JobProgress = z.object({
  done: z.int(),
  total: z.int().describe("0 while it is not known"),
  unit: z.string(),
  events: z.int().optional().describe("events so far, where the unit is another"),
});
export type JobProgress = z.infer<typeof JobProgress>;

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

/** The answer to a request with `Prefer: respond-async`. */
export const Accepted = z.object({ operationId: z.uuid() }).meta({ id: "Accepted" });

const params = z.object({ id: Id });
const answer = z.object({ operation: Job });

export const getOperation = operation({
  method: "GET",
  path: "/api/operations/:id",
  summary: "One operation of the caller's own, or any for administrators",
  tag: "Operations",
  access: "signed-in",
  rate: "read",
  params,
  success: { status: 200, schema: answer },
  errors: ["NOT_FOUND"],
});

export const streamOperation = operation({
  method: "GET",
  path: "/api/operations/:id/stream",
  summary: "An operation as it goes on, as server-sent events; ends with it",
  tag: "Operations",
  access: "signed-in",
  rate: "read",
  params,
  success: {
    status: 200,
    schema: z.string().describe("events of the type operation, with {operation} as data"),
    contentTypes: ["text/event-stream"],
  },
  errors: ["NOT_FOUND"],
});

export const cancelOperation = operation({
  method: "DELETE",
  path: "/api/operations/:id",
  summary: "Cancel an operation that is running; nothing half-done stays",
  tag: "Operations",
  access: "signed-in",
  rate: "write",
  params,
  success: { status: 200, schema: answer },
  errors: ["NOT_FOUND", "CONFLICT"],
});
