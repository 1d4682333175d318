import { z } from "zod";

/** What a write was told and did not do; the first 100. */
export const MAX_WARNINGS = 100;

export const Warning = z
  .object({
    path: z.string().describe("the member of the body, or the line of a file"),
    message: z.string(),
  })
  .meta({ id: "Warning" });
export type Warning = z.infer<typeof Warning>;

export const Warnings = z
  .array(Warning)
  .max(MAX_WARNINGS)
  .optional()
  .describe(
    "members of the body that are not known or have no effect, and of a join what is doubtful in rows; absent where there are none",
  );
