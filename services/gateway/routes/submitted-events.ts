import { ApiError } from "#contracts/errors.ts";
import type { ValidationReport } from "#contracts/http/catalogues.ts";

/**
 * The report of a submission that may go on: there was a list of events, and if it was not empty
 * some event of it was valid.
 * @throws ApiError VALIDATION_ERROR, ALL_EVENTS_INVALID with the invalid events as details
 */
export function requireSomeValid(report: ValidationReport | null): ValidationReport {
  if (report === null) {
    throw new ApiError("VALIDATION_ERROR", "events: must be a list of events", {
      details: [{ field: "events", message: "must be a list of events" }],
    });
  }
  if (report.totalSubmitted > 0 && report.successfullyImported === 0) {
    throw new ApiError("ALL_EVENTS_INVALID", undefined, { details: report.invalidEvents });
  }
  return report;
}
