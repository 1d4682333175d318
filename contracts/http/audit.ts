import { z } from "zod";
import { ordered, queryText, queryTime } from "../query/values.ts";
import { queryLimit } from "./long-list.ts";
import { operation } from "./operation.ts";

export const AUDIT_LIMIT = { default: 100, max: 1000 } as const;

/** One event of the log. Accounts appear by id only, never by name or address. */
export const AuditEntry = z
  .object({
    position: z.string().describe("position in the log: opaque text that compares, ascending"),
    time: z.string().describe("when the log took it, ISO 8601 UTC"),
    actor: z.string().describe("user id, or `system`"),
    type: z.string(),
    subject: z.string().describe("what it is about: `catalogue-<id>` or `user-<id>`"),
    summary: z.string().describe("a sentence for a person"),
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
  })
  .superRefine(ordered([["from", "to"]]))
  // Positions are texts that compare; between two in the wrong order there is nothing.
  .superRefine(({ after, before }, context) => {
    if (after === undefined || before === undefined || after <= before) return;
    context.addIssue({ code: "custom", path: ["after"], message: "is above before" });
  });
export type AuditQuery = z.output<typeof AuditQuery>;

export const listAudit = operation({
  method: "GET",
  path: "/api/audit",
  summary: "The log of all changes, either way; a page may be short while `next` goes on",
  tag: "Audit",
  access: "admin",
  rate: "read",
  query: AuditQuery,
  success: {
    status: 200,
    schema: z.object({
      entries: z.array(AuditEntry),
      next: z
        .string()
        .nullable()
        .describe("`after`, or `before` with `desc`, of the next page; null at the end"),
    }),
  },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR"],
});
