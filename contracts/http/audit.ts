import { z } from "zod";
import { ordered, queryLimit, queryText, queryTime } from "../query/parameters.ts";
import { operation } from "./operation.ts";

export const AUDIT_LIMIT = { default: 100, max: 1000 } as const;

const Value = z.union([z.string(), z.number()]).nullable();

/** What a small change made of one event. */
export const DeedEvent = z.object({
  change: z.enum(["added", "updated", "removed"]),
  event: z
    .object({
      id: z.string(),
      time: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      magnitude: z.number().nullable(),
      magnitude_type: z.string().nullable(),
      region: z.string().nullable(),
    })
    .describe("as it was afterwards; a removed one as it was before"),
  changed: z
    .array(z.object({ name: z.string(), from: Value.optional(), to: Value.optional() }))
    .describe("attributes of an updated event; of lists and structures the names alone"),
});
export type DeedEvent = z.infer<typeof DeedEvent>;

/** Events that are told of one deed, at most: of a larger change none. */
export const MOST_DEED_EVENTS = 3;

const Deed = z
  .object({
    summary: z.string().describe("what was done, in words; the entry has the log's own sentence"),
    catalogue: z
      .object({ id: z.uuid(), name: z.string(), is_deleted: z.boolean() })
      .nullable()
      .describe("null where it is about an account"),
    version: z.int().nullable().describe("the version of the catalogue that it made"),
    reason: z.string().nullable().describe("why, in the words of the actor"),
    restores: z.int().nullable().describe("the version that it repeats"),
    events: z
      .array(DeedEvent)
      .describe(`of a change of at most ${MOST_DEED_EVENTS} events in a catalogue that is there`),
  })
  .meta({ id: "Deed" });
export type Deed = z.infer<typeof Deed>;

/** One event of the log. Accounts appear by id only, never by name or address. */
export const AuditEntry = z
  .object({
    position: z.string().describe("position in the log: opaque text that compares, ascending"),
    time: z.string().describe("when the log took it, ISO 8601 UTC"),
    actor: z.string().describe("user id, or `system`"),
    command: z.uuid().describe("the same for all entries that one request made"),
    type: z.string(),
    subject: z
      .string()
      .describe(
        "what it is about: `catalogue-<id>`, `user-<id>`, `group-<id>`, `agency-<id>` or `region-<id>`",
      ),
    summary: z.string().describe("a sentence for a person"),
    deed: Deed.optional().describe("with `deeds=true`"),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

const position = z.string().regex(/^[0-9a-f]{1,64}$/, "not a position of the log");

const filter = () => queryText().refine((text) => text.trim() !== "", "is empty");

export const AuditQuery = z
  .strictObject({
    order: z.enum(["asc", "desc"]).default("asc").describe("`desc`: newest first"),
    after: position
      .optional()
      .describe("only later entries than this position: `next` of the page before, or any entry's"),
    before: position
      .optional()
      .describe("only earlier entries than this position: `next` of the page before, with `desc`"),
    limit: queryLimit(AUDIT_LIMIT, "entries in one answer").optional(),
    catalogueId: z.uuid().toLowerCase().optional().describe("only what concerns this catalogue"),
    subject: filter().optional().describe("only what has this subject"),
    actor: filter().optional().describe("only what this user, or `system`, has done"),
    type: filter().optional().describe("only events of this type"),
    from: queryTime("not before this time").optional(),
    to: queryTime("not after this time").optional(),
    deeds: z
      .enum(["true", "false"])
      .optional()
      .describe(
        "`true`: one entry for each thing done, without its steps, 100 in one answer at most",
      ),
  })
  .superRefine(ordered([["from", "to"]]))
  // Positions are texts that compare; between two in the wrong order there is nothing.
  .superRefine(({ after, before }, context) => {
    if (after === undefined || before === undefined || after <= before) return;
    context.addIssue({ code: "custom", path: ["after"], message: "is above before" });
  });
export type AuditQuery = z.output<typeof AuditQuery>;

export const listAudit = operation("GET", "/api/audit", {
  summary: "The log of all changes, either way; a page may be short while `next` goes on",
  access: "admin",
  names: { "query.catalogueId": "list" },
  query: AuditQuery,
  answer: z.object({
    entries: z.array(AuditEntry),
    next: z
      .string()
      .nullable()
      .describe("`after`, or `before` with `desc`, of the next page; null at the end"),
  }),
  errors: ["INVALID_CURSOR"],
});

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

export const listParkedEvents = operation("GET", "/api/parked-events", {
  summary: "Events that could not be applied, and how many wait behind each, the first 1,000",
  access: "admin",
  answer: z.object({ parked: z.array(ParkedSubject) }),
});

export const retryParkedEvents = operation("POST", "/api/parked-events/:id/retry", {
  summary: "Apply a parked event and all that wait behind it, or none of them",
  access: "admin",
  answer: z.object({ applied: z.int().describe("events") }),
  errors: ["CONFLICT"],
});
