import type { z } from "zod";
import { ApiError } from "#contracts/errors.ts";

/**
 * A value checked against its schema.
 * @throws ApiError VALIDATION_ERROR naming every wrong field, with `details: [{field, message}]`
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap(fieldErrors);
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw new ApiError("VALIDATION_ERROR", sentence, { details });
}

type FieldError = { field: string; message: string };

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: [path, key].filter(Boolean).join("."),
      message: "is not known",
    }));
  }
  return [{ field: path || "body", message: issue.message }];
}
