import { z } from "zod";

/** What became of an object of a bulletin between two versions. */
const SolutionChange = z
  .object({
    kind: z.string().describe("the element's name in QuakeML; event for the event's own members"),
    publicID: z.string(),
    change: z.enum(["added", "updated", "removed"]),
    members: z.array(z.string()).optional().describe("those that differ, of an updated one"),
  })
  .meta({ id: "SolutionChange" });

/** What a change of an event says of its bulletin, where that differs. */
export const solutionChangesShape = {
  solutions: z
    .array(SolutionChange)
    .optional()
    .describe("of an updated event whose bulletin differs: in what, the first 1,000"),
  solutionsTruncated: z.literal(true).optional().describe("more differ, or are not looked at"),
};

export type SolutionChange = z.infer<typeof SolutionChange>;

export type SolutionChanges = {
  readonly solutions: SolutionChange[];
  /** Set where more have changed. */
  readonly solutionsTruncated?: true;
};
