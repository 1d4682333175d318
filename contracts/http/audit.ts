import { z } from "zod";
import { queryInteger, queryText } from "../query/values.ts";
import { operation } from "./operation.ts";

export const AUDIT_LIMIT = { default: 100, max: 1000 } as const;

/** One event of the log. Accounts appear by id only, never by name or address. */
export const AuditEntry = z
  .object({
    position: z.string().describe("place in the log: opaque, ascending"),
    time: z.string().describe("when the log took it, ISO 8601 UTC"),
    actor: z.string().describe("user id, or `system`"),
    type: z.string(),
    subject: z.string().describe("what it is about: `catalogue-<id>` or `user-<id>`"),
    summary: z.string().describe("a sentence for a person"),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditQuery = z.object({
  after: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/, "not a position of the log")
    .optional()
    .describe("`next` of the page before, or the position of any entry: continues after it"),
  limit: queryInteger(
    { min: 1, max: AUDIT_LIMIT.max },
    `entries in one answer, default ${AUDIT_LIMIT.default}`,
  ).optional(),
  catalogueId: z.uuid().toLowerCase().optional().describe("only what concerns this catalogue"),
  actor: queryText().optional().describe("only what this user, or `system`, has done"),
  type: queryText().optional().describe("only events of this type"),
});
export type AuditQuery = z.output<typeof AuditQuery>;

export const listAudit = operation({
  method: "GET",
  path: "/api/audit",
  summary: "The log of all changes, oldest first; a page may be short while `next` goes on",
  tag: "Audit",
  access: "admin",
  rate: "read",
  query: AuditQuery,
  success: {
    status: 200,
    schema: z.object({
      entries: z.array(AuditEntry),
      next: z.string().nullable().describe("null at the end of the log"),
    }),
  },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR"],
});
