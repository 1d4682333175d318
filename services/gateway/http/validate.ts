import type { z } from "zod";
import { Refusal } from "#contracts/errors.ts";

/**
 * Checks a value against its schema and returns the parsed form.
 * @throws Refusal VALIDATION_ERROR naming every wrong field, with `details: [{field, message}]`
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap(fieldErrors);
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw new Refusal("VALIDATION_ERROR", sentence, { details });
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
  return [{ field: path || "body", message: sentenceOf(issue) }];
}

/** The problem, as the end of a sentence that begins with the field. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "invalid_type":
      return issue.expected === "object"
        ? "must be an object"
        : `must be of type ${issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " members" : "";
}
