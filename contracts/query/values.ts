import { z } from "zod";
import { bounded, type NumberBounds } from "../bounded.ts";
import { parseTime } from "../seismic-event/parse-time.ts";
import { isAbove } from "./filter.ts";

/** Strict parsers for query parameters: malformed values and values out of bounds are errors. */

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The number of a decimal text, exponents allowed; null for any other text. */
export function parseDecimal(text: string): number | null {
  return DECIMAL.test(text.trim()) ? Number(text) : null;
}

function decimal(text: unknown): unknown {
  return typeof text === "string" ? (parseDecimal(text) ?? text) : text;
}

/** A decimal number within inclusive bounds; infinities and NaN are refused. */
export function queryNumber(bounds: NumberBounds, description: string) {
  return z.preprocess(decimal, bounded(z.number(), bounds)).describe(description);
}

/** An integer within inclusive bounds. */
export function queryInteger(bounds: NumberBounds, description: string) {
  return z.preprocess(decimal, bounded(z.int(), bounds)).describe(description);
}

const NO_TIME =
  "not an ISO 8601 time: write it as 2024-02-01, 2024-02-01T12:34:56 or 2024-02-01T12:34:56.789Z";

/** An ISO 8601 time, converted to canonical form; digits beyond microseconds are cut. */
export function queryTime(description: string) {
  return z
    .string()
    .transform((text, context) => {
      const time = parseTime(text, "down");
      if (time === null) context.addIssue({ code: "custom", message: NO_TIME });
      return time ?? z.NEVER;
    })
    .pipe(z.string())
    .describe(description);
}

/** Text without NUL, which PostgreSQL cannot store. */
export function queryText() {
  return z.string().refine((text) => !text.includes("\0"), "holds a NUL character");
}

/** Values of a comma-separated list, compared without regard to case; empty elements are refused. */
export function queryList(description: string) {
  return queryText()
    .transform((text, context) => {
      const values = text.split(",").map((value) => value.trim().toLowerCase());
      if (values.includes("")) context.addIssue({ code: "custom", message: "empty list member" });
      return values;
    })
    .pipe(z.array(z.string()))
    .describe(`${description}; comma list, case is ignored`);
}

/** Refuses a lower bound above its upper bound; the error names the lower parameter. */
export function ordered(
  pairs: readonly (readonly [low: string, high: string])[],
): (values: Record<string, unknown>, context: z.RefinementCtx) => void {
  return (values, context) => {
    for (const [low, high] of pairs) {
      if (isAbove(values[low], values[high])) {
        context.addIssue({ code: "custom", path: [low], message: `is above ${high}` });
      }
    }
  };
}
