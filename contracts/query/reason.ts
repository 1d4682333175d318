import { z } from "zod";
import { queryText } from "./values.ts";

/** Characters of a reason, at most. */
export const MAX_REASON = 500;

/** A parameter of writes of events; it is in no message to other programs. */
export const reason = queryText()
  .trim()
  .min(1)
  .max(MAX_REASON)
  .optional()
  .describe("why, in words: shown in the history of the events and in the audit");

/** The query of a write of events. */
export const WriteQuery = z.strictObject({ reason });
