import { z } from "zod";
import { CommentBody } from "../../bulletin/bulletin-schema.ts";
import { reason, WriteQuery } from "../../query/reason.ts";
import { SeismicEventBody } from "../event-schemas.ts";
import { EventParams } from "../events/event-edits.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

const EVENT = "/api/catalogues/:id/events/:eventId";

/** Characters of a comment, at most. */
const MAX_COMMENT = 10_000;

const preferredId = z.string().nullable().optional();

export const preferSolutions = operation({
  method: "PATCH",
  path: `${EVENT}/preferred`,
  summary: "Prefer other solutions of an event; its row becomes the view of them",
  tag: "Bulletins",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  body: z
    .object({
      originID: preferredId,
      magnitudeID: preferredId,
      focalMechanismID: preferredId,
    })
    .describe("public ids of the event's bulletin; null leaves the choice to the rules"),
  example: { magnitudeID: "smi:example.org/magnitude/ml", originID: null },
  success: { status: 200, schema: z.object({ event: SeismicEventBody, version: z.int() }) },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});

export const deleteSolution = operation({
  method: "DELETE",
  path: `${EVENT}/solutions/:kind/:publicID`,
  summary: "Delete a solution of an event: an origin with its arrivals, a magnitude, a mechanism",
  tag: "Bulletins",
  access: "editor",
  rate: "write",
  params: EventParams.extend({
    kind: z.enum(["origin", "magnitude", "focalMechanism"]),
    publicID: z.string().describe("percent-encoded"),
  }),
  query: z.strictObject({
    cascade: z
      .enum(["true", "false"])
      .optional()
      .describe("also a preferred one, and what is nothing without it; picks stay"),
    reason,
  }),
  success: {
    status: 200,
    schema: z.object({
      version: z.int(),
      deleted: z.array(z.object({ kind: z.string(), publicID: z.string() })),
    }),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});

export const addComment = operation({
  method: "POST",
  path: `${EVENT}/comments`,
  summary: "Add a comment to an event's bulletin, which is made of the row where there is none",
  tag: "Bulletins",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  body: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_COMMENT)
      .refine((text) => text.isWellFormed() && !text.includes("\0"), {
        message: "holds characters that cannot be stored",
      }),
  }),
  example: { text: "Felt widely in Wellington and Christchurch." },
  success: { status: 201, schema: z.object({ comment: CommentBody, version: z.int() }) },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});
