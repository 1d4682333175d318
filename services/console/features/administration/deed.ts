import type { AnswerOf } from "../../model/operation-types.ts";

/** An entry of the audit by deeds. */
export type AuditEntry = AnswerOf<"GET /api/audit">["entries"][number];
export type Deed = NonNullable<AuditEntry["deed"]>;
export type DeedEvent = Deed["events"][number];
