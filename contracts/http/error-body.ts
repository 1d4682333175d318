import { z } from "zod";

export const ErrorBody = z
  .object({
    error: z.string().describe("a sentence for a person"),
    code: z.string().optional().describe("stable, UPPER_SNAKE"),
    details: z.array(z.unknown()).optional(),
    catalogueId: z.uuid().optional().describe("of a failed import: its run is in the history"),
  })
  .meta({ id: "Error" });
