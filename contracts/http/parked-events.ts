import { z } from "zod";
import { operation } from "./operation.ts";

/** What is blocked, such as a catalogue, by an event that could not be applied. */
export const ParkedSubject = z
  .object({
    id: z.uuid(),
    projection: z.string(),
    subject: z.string().describe("what stands still: a catalogue's id, or an account's stream"),
    stream: z.string().describe("where in the log the event is that could not be applied"),
    revision: z.int(),
    type: z.string(),
    error: z.string().describe("why it could not be applied"),
    waiting: z.int().describe("later events that wait behind it"),
    parked_at: z.string(),
  })
  .meta({ id: "ParkedSubject" });
export type ParkedSubject = z.infer<typeof ParkedSubject>;

export const listParkedEvents = operation({
  method: "GET",
  path: "/api/parked-events",
  summary: "Events that could not be applied, and how many wait behind each, the first 1,000",
  tag: "Audit",
  access: "admin",
  rate: "read",
  success: { status: 200, schema: z.object({ parked: z.array(ParkedSubject) }) },
  errors: [],
});

export const retryParkedEvents = operation({
  method: "POST",
  path: "/api/parked-events/:id/retry",
  summary: "Apply a parked event and all that wait behind it, or none of them",
  tag: "Audit",
  access: "admin",
  rate: "write",
  params: z.object({ id: z.uuid().toLowerCase() }),
  success: { status: 200, schema: z.object({ applied: z.int().describe("events") }) },
  errors: ["NOT_FOUND", "CONFLICT"],
});
