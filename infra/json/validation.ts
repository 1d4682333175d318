import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { MAX_WARNINGS, type Warning } from "#contracts/http/operation.ts";
import { meantName } from "#contracts/seismic-event/names.ts";

/**
 * Checks a value against its schema and returns the parsed form.
 * @throws Refusal VALIDATION_ERROR naming every wrong field, with `details: [{field, message}]`; of an
 *   unknown one it says which may be meant
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
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
      message: `is not known${path === "" ? meantName(key, known) : ""}`,
    }));
  }
  return [{ field: path || "body", message: sentenceOf(issue) }];
}

const TYPES: Readonly<Record<string, string>> = {
  object: "must be an object",
  array: "must be a list",
  string: "must be text",
  number: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
};

/** The problem, as the end of a sentence that begins with the field. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_big":
      return `must be ${issue.inclusive === false ? "below" : "at most"} ${countOf(issue.maximum, issue.origin)}`;
    case "too_small":
      return `must be ${issue.inclusive === false ? "above" : "at least"} ${countOf(issue.minimum, issue.origin)}`;
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return TYPES[issue.expected] ?? `must be of type ${issue.expected}`;
    case "invalid_value":
      return oneOf(issue.values, issue.input === undefined);
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? oneOf(issue.options)
        : alternatives(issue.errors);
    case "invalid_format":
      return issue.format === "uuid" ? "must be a UUID" : issue.message;
    default:
      return issue.message;
  }
}

/** What each of several schemas misses of a value; said of its members too. */
function alternatives(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const sentences = errors.map((issues) =>
    issues
      .flatMap((issue) => fieldErrors(issue, []))
      .map(({ field, message }) => (field === "body" ? message : `${field} ${message}`))
      .join(" and "),
  );
  return [...new Set(sentences)].join(", or ");
}

function oneOf(values: readonly z.core.util.Primitive[], isMissing = false): string {
  const list = values.map(String).join(", ");
  return isMissing ? `is required: one of ${list}` : `must be one of ${list}`;
}

const UNITS: Readonly<Record<string, string>> = { string: "character", array: "member" };

function countOf(limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return String(limit);
  return `${limit} ${unit}${Number(limit) === 1 ? "" : "s"}`;
}

/**
 * The members of a value that its schema does not know and so leaves out, the first 100; of one that is a
 * letter or two off a known one it says which. What may have any members has none that are unknown.
 */
export function unknownMembers(schema: z.core.$ZodType, value: unknown): Warning[] {
  const warnings: Warning[] = [];
  look(schema, value, "", warnings);
  return warnings;
}

function look(schema: z.core.$ZodType, value: unknown, path: string, warnings: Warning[]): void {
  if (warnings.length >= MAX_WARNINGS || typeof value !== "object" || value === null) return;
  if (schema instanceof z.ZodObject) lookAtMembers(schema, value, path, warnings);
  else if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      look(schema.element, item, `${path}.${index}`, warnings);
    }
  } else if (schema instanceof z.ZodUnion) {
    warnings.push(...ofUnion(schema, value, path));
  } else if (schema instanceof z.ZodRecord) {
    for (const [name, item] of Object.entries(value)) {
      look(schema.valueType, item, `${path}.${name}`, warnings);
    }
  } else if (schema instanceof z.ZodPipe) look(schema.in, value, path, warnings);
  else if (isWrapper(schema)) look(schema.unwrap(), value, path, warnings);
}

/** Of the option that knows most: of those that take the value, or else, since a part of it may be left out, of all. */
function ofUnion({ options }: z.ZodUnion, value: object, path: string): Warning[] {
  const taking = options.filter((option) => z.safeParse(option, value).success);
  const objects = options.filter((option) => option instanceof z.ZodObject);
  const [fewest = []] = (taking.length > 0 ? taking : objects)
    .map((option) => {
      const own: Warning[] = [];
      look(option, value, path, own);
      return own;
    })
    .sort((a, b) => a.length - b.length);
  return fewest;
}

function isWrapper(schema: z.core.$ZodType) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy
  );
}

function lookAtMembers(
  { shape, def }: z.ZodObject,
  value: object,
  path: string,
  warnings: Warning[],
): void {
  const known: Readonly<Record<string, z.core.$ZodType>> = shape;
  for (const [name, item] of Object.entries(value)) {
    const own = `${path}.${name}`;
    const member = Object.hasOwn(known, name) ? known[name] : undefined;
    if (member !== undefined) look(member, item, own, warnings);
    else if (def.catchall === undefined && warnings.length < MAX_WARNINGS) {
      const message = `is not known and has no effect${meantName(name, Object.keys(known))}`;
      warnings.push({ path: own.slice(1), message });
    }
  }
}
