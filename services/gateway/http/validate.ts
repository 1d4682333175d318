import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { normaliseName } from "#contracts/seismic-event/input-names.ts";

/**
 * Checks a value against its schema and returns the parsed form.
 * @throws Refusal VALIDATION_ERROR naming every wrong field, with `details: [{field, message}]`; of an
 *   unknown one it says which may be meant
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const details = result.error.issues.flatMap((issue) => fieldErrors(issue, known));
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw new Refusal("VALIDATION_ERROR", sentence, { details });
}

type FieldError = { field: string; message: string };

function fieldErrors(issue: z.core.$ZodIssue, known: readonly string[]): FieldError[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: [path, key].filter(Boolean).join("."),
      message: `is not known${path === "" ? suggestion(key, known) : ""}`,
    }));
  }
  return [{ field: path || "body", message: sentenceOf(issue) }];
}

/** Another case, or an abbreviation that only one name has: `minmag`, as clients of event services write. */
function suggestion(key: string, known: readonly string[]): string {
  const written = normaliseName(key);
  const longer = known.filter((name) => normaliseName(name).startsWith(written));
  const [meant] = longer.filter((name) => normaliseName(name) === written || longer.length === 1);
  return written === "" || meant === undefined ? "" : `; do you mean ${meant}?`;
}

/** The problem, as the end of a sentence that begins with the field. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_big":
      return `must be ${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "too_small":
      return `must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
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
