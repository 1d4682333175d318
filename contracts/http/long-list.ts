import { z } from "zod";
import { queryInteger } from "../query/values.ts";

export const LONG_LIST_LIMIT = { default: 1000, max: 1000 } as const;

type Limit = { readonly default: number; readonly max: number };

/** How much one answer has at most. The default stands in the description alone. */
export function queryLimit({ default: standard, max }: Limit, what: string) {
  return queryInteger({ min: 1, max }, `${what}, default ${standard}`);
}

/** Parameters of a list that grows for as long as the service is used. */
export const longListShape = {
  limit: queryLimit(LONG_LIST_LIMIT, "members of one answer").default(LONG_LIST_LIMIT.default),
  cursor: z.string().optional().describe("nextCursor of an earlier answer"),
};

/** Beside the list in an answer. */
export const nextCursor = z
  .string()
  .optional()
  .describe("of the members that follow, while there are more");
