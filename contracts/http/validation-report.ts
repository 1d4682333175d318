import { z } from "zod";
import { ElementTalliesBody } from "../element-tallies.ts";

export const FieldError = z.object({ field: z.string(), message: z.string() });

export const InvalidEvent = z
  .object({
    index: z.int().describe("0-based place in the submission"),
    id: z.string().optional(),
    reason: z.string(),
    errors: z.array(FieldError),
  })
  .meta({ id: "InvalidEvent" });
export type InvalidEvent = z.infer<typeof InvalidEvent>;

/** Most invalid events listed in a validation report. */
export const MAX_REPORTED_INVALID = 100;

export const ValidationReport = z
  .object({
    totalSubmitted: z.int(),
    successfullyImported: z.int(),
    failedValidation: z.int(),
    successRate: z.number().min(0).max(100).describe("percent, two decimals"),
    invalidEvents: z.array(InvalidEvent).max(MAX_REPORTED_INVALID),
    hasMoreInvalidEvents: z.boolean(),
    elements: ElementTalliesBody.optional(),
  })
  .meta({ id: "ValidationReport" });
export type ValidationReport = z.infer<typeof ValidationReport>;
