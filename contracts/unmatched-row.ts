import { z } from "zod";

/** Most of them that are listed. */
export const MAX_LISTED_UNMATCHED = 100;

/** A row of a file whose id no event has or had. */
export const UnmatchedRow = z
  .object({ line: z.int().describe("of the file, from 1"), id: z.string() })
  .meta({ id: "UnmatchedRow" });
export type UnmatchedRow = z.infer<typeof UnmatchedRow>;
