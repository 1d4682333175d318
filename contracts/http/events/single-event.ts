import { z } from "zod";
import { solutionChangesShape } from "../../bulletin/solution-change.ts";
import { RevisionCause } from "../../domain-events/catalogue-events.ts";
import { ShownSource } from "../../merge/merge-config.ts";
import { asOf, includedBulletin } from "../../query/filter-parameters.ts";
import { SeismicEventBody } from "../event-schemas.ts";
import { operation, sharedAt } from "../operation.ts";
import { EventParams } from "./event-edits.ts";

export const getEvent = operation({
  method: "GET",
  path: "/api/catalogues/:id/events/:eventId",
  summary: "One event",
  tag: "Events",
  access: "readers",
  alsoAt: sharedAt("/events/:eventId"),
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({ asOf, include: includedBulletin }),
  success: { status: 200, schema: z.object({ event: SeismicEventBody }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const EventChange = z
  .object({
    version: z.int(),
    created_at: z.string(),
    change: z.enum(["added", "updated", "removed"]),
    actor: z.string().nullable().describe("who made the version; null for guests"),
    cause: RevisionCause,
    import: z
      .object({ id: z.uuid(), agency: z.string() })
      .nullable()
      .describe("the run of an import; null for other causes"),
    sources: z
      .array(ShownSource)
      .nullable()
      .describe("what a merge was made of; null for other causes"),
    restores: z
      .int()
      .nullable()
      .describe("the version that a restore of the catalogue or of the event repeats, else null"),
    reason: z
      .string()
      .nullable()
      .describe("why, in the words of the actor; null where nothing was said, and for guests"),
    event: SeismicEventBody,
    ...solutionChangesShape,
  })
  .meta({ id: "EventChange" });
export type EventChange = z.infer<typeof EventChange>;

export const getEventHistory = operation({
  method: "GET",
  path: "/api/catalogues/:id/events/:eventId/history",
  summary: "Every version of one event, newest first",
  tag: "Events",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ history: z.array(EventChange) }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});
