import { z } from "zod";
import { parseDecimal, queryText } from "./values.ts";

/** Magnitudes from `magnitude` up are complete from the beginning of a year, in UTC. */
export type CompleteSince = { readonly magnitude: number; readonly since: number };

const CompleteSince = z.object({ magnitude: z.number(), since: z.int() });

const YEAR = /^\d{4}$/;

/** `2.0:2012,2.5:2000`: magnitudes ascending, larger ones from the same or an earlier year. */
export function completeYears(description: string) {
  return queryText()
    .transform((text, context) => {
      const classes = text.split(",").map((part): CompleteSince | null => {
        const [magnitude = "", year = "", ...rest] = part.trim().split(":");
        const value = parseDecimal(magnitude);
        if (value === null || !YEAR.test(year) || rest.length > 0) return null;
        return { magnitude: value, since: Number(year) };
      });
      const known = classes.filter((one) => one !== null);
      if (known.length === classes.length && isOrdered(known)) return known;
      const message = "not like 2.0:2012,2.5:2000 with ascending magnitudes and descending years";
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .pipe(z.array(CompleteSince))
    .describe(`${description}, as 2.0:2012,2.5:2000`);
}

function isOrdered(classes: readonly CompleteSince[]): boolean {
  return classes.every((one, i) => {
    const next = classes[i + 1];
    return next === undefined || (next.magnitude > one.magnitude && next.since <= one.since);
  });
}
