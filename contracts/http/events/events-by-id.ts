import { z } from "zod";
import { queryText } from "../../query/values.ts";
import { operation } from "../operation.ts";

/** Most events that an id is answered with. */
export const EVENTS_OF_ID = 100;

/** Where an event is that an id leads to. */
export const EventOfId = z
  .object({
    catalogue_id: z.uuid(),
    event_id: z.uuid(),
    by: z
      .enum(["id", "source_id", "public_id", "former", "member"])
      .describe(
        "which of its ids it is; former: one that it had before its latest state; member: one of an event that was merged into it",
      ),
    version: z.int().describe("the last version that has the event"),
    removed: z.boolean().describe("whether the latest version has it no more"),
  })
  .meta({ id: "EventOfId" });

export const getEventsById = operation({
  method: "GET",
  path: "/api/events/by-id/:id",
  summary: "The events that have or had an id, in all catalogues that the caller may read",
  tag: "Events",
  access: "public",
  rate: "read",
  params: z.object({
    id: queryText().describe(
      "an event's id with or without hyphens, source_id or public id, percent-encoded",
    ),
  }),
  query: z.strictObject({}),
  success: {
    status: 200,
    schema: z.object({
      events: z.array(EventOfId).describe(`those that are there first, ${EVENTS_OF_ID} at most`),
      truncated: z.boolean().describe("whether there are more"),
    }),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});
