import { invalid, Refusal } from "#contracts/errors.ts";
import type { ValidationReport } from "#contracts/http/validation-report.ts";

/** @throws Refusal VALIDATION_ERROR for a body without a list of events */
export function requireEvents<T>(events: T | null): T {
  if (events !== null) return events;
  throw invalid(
    "events",
    "must be a list of events, or uploadId must name a kept upload in its place",
  );
}

/**
 * The report of an acceptable submission: with no events, or with at least one valid event.
 * @throws Refusal VALIDATION_ERROR, ALL_EVENTS_INVALID with the invalid events as details
 */
export function requireSomeValid(submission: ValidationReport | null): ValidationReport {
  const report = requireEvents(submission);
  if (report.totalSubmitted > 0 && report.successfullyImported === 0) {
    throw new Refusal("ALL_EVENTS_INVALID", undefined, { details: report.invalidEvents });
  }
  return report;
}
