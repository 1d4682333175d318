import {
  type InvalidEvent,
  MAX_REPORTED_INVALID,
  type ValidationReport,
} from "#contracts/http/catalogues.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { sliceEventsBody } from "#infra/json/slice-body.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import type { FieldError } from "#services/domain/seismic-event/validation-result.ts";

export type SubmissionLimits = {
  readonly maxEvents: number;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
};

/** What a body with events holds, apart from the events. */
export type Submission = {
  /** The body's other members, not yet validated. */
  readonly envelope: unknown;
  /** Null when the body has no list of events. */
  readonly report: ValidationReport | null;
  readonly tooManyEvents: boolean;
};

/**
 * Reads a submitted body: every valid event goes to `accept`, in order, the others into the report.
 * Two events with one `source_id`: the later one is invalid (contract §4).
 * @throws InvalidJson
 */
export function readSubmission(
  bytes: Buffer,
  { maxEvents, nowMs }: SubmissionLimits,
  accept: (record: SeismicEventRecord) => void,
): Submission {
  const { envelope, slices } = sliceEventsBody(bytes);
  if (slices === null) return { envelope, report: null, tooManyEvents: false };
  const validate = createEventValidator({ nowMs });
  const seen = new Set<string>();
  const invalid: InvalidEvent[] = [];
  let index = 0;
  let failed = 0;
  for (const slice of slices) {
    if (index + slice.length > maxEvents) return { envelope, report: null, tooManyEvents: true };
    for (const event of slice) {
      const result = withoutDuplicate(validate(event), seen);
      if (result.ok) accept(result.record);
      else {
        failed += 1;
        if (invalid.length < MAX_REPORTED_INVALID) invalid.push(invalidEvent(index, result));
      }
      index += 1;
    }
  }
  return { envelope, report: reportOf(index, failed, invalid), tooManyEvents: false };
}

type Validated = ReturnType<ReturnType<typeof createEventValidator>>;
type Refused = Extract<Validated, { ok: false }>;

function withoutDuplicate(result: Validated, seen: Set<string>): Validated {
  if (!result.ok || result.record.source_id === null) return result;
  const { source_id: id } = result.record;
  if (seen.has(id)) {
    return { ok: false, id, errors: [{ field: "source_id", message: "duplicate id" }] };
  }
  seen.add(id);
  return result;
}

function invalidEvent(index: number, { id, errors }: Refused): InvalidEvent {
  const reason = errors.map(({ field, message }: FieldError) => `${field} ${message}`).join("; ");
  return { index, ...(id !== undefined && { id }), reason, errors: [...errors] };
}

function reportOf(
  totalSubmitted: number,
  failedValidation: number,
  invalidEvents: InvalidEvent[],
): ValidationReport {
  const successfullyImported = totalSubmitted - failedValidation;
  const share = totalSubmitted === 0 ? 1 : successfullyImported / totalSubmitted;
  return {
    totalSubmitted,
    successfullyImported,
    failedValidation,
    // Rounded down: 100 is said only when nothing failed.
    successRate: Math.floor(share * 10_000) / 100,
    invalidEvents,
    hasMoreInvalidEvents: failedValidation > invalidEvents.length,
  };
}
