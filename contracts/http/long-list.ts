import { z } from "zod";
import { queryInteger } from "../query/values.ts";

export const LONG_LIST_LIMIT = { default: 1000, max: 1000 } as const;

/** Parameters of a list that grows for as long as the service is used. */
export const longListShape = {
  limit: queryInteger(
    { min: 1, max: LONG_LIST_LIMIT.max },
    `members of one answer, default ${LONG_LIST_LIMIT.default}`,
  ).default(LONG_LIST_LIMIT.default),
  cursor: z.string().optional().describe("nextCursor of an earlier answer"),
};

/** Beside the list in an answer. */
export const nextCursor = z
  .string()
  .optional()
  .describe("of the members that follow, while there are more");
