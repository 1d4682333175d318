import type { ImportError, ImportTally, SkippedReasons } from "#contracts/import-run.ts";
import { agencyText } from "#infra/agency/agency-text.ts";

/**
 * All errors of a run are kept, so that its counts add up, and they go into the log in one append.
 * Agencies of which more cannot be read are ill.
 */
const MAX_ERROR_BYTES = 512 * 1024;

/** More of what the agency has sent cannot be taken than a run can tell. */
export class TooManyErrors extends Error {
  override readonly name = "TooManyErrors";
}

/** Counts what becomes of each event that is fetched. */
export type Tally = {
  readonly added: () => void;
  readonly updated: () => void;
  readonly skipped: (reason: keyof SkippedReasons) => void;
  /** @throws TooManyErrors */
  readonly failed: (error: ImportError) => void;
  /** The whole of it; of the errors those from `firstError` on. */
  readonly read: (firstError?: number) => ImportTally;
};

export function createTally(): Tally {
  const skippedReasons = { existing: 0, unchanged: 0, excluded: 0, rejected: 0 };
  let newEvents = 0;
  let updatedEvents = 0;
  let skippedEvents = 0;
  let errorBytes = 0;
  const errors: ImportError[] = [];
  return {
    added: () => {
      newEvents += 1;
    },
    updated: () => {
      updatedEvents += 1;
    },
    skipped: (reason) => {
      skippedEvents += 1;
      skippedReasons[reason] += 1;
    },
    failed: (error) => {
      const kept = shortened(error);
      errorBytes += Buffer.byteLength(JSON.stringify(kept)) + 1;
      if (errorBytes > MAX_ERROR_BYTES) {
        throw new TooManyErrors(`More than ${errors.length} of the agency's events cannot be read`);
      }
      errors.push(kept);
    },
    read: (firstError = 0) => ({
      totalFetched: newEvents + updatedEvents + skippedEvents + errors.length,
      newEvents,
      updatedEvents,
      skippedEvents,
      skippedReasons: { ...skippedReasons },
      errors: errors.slice(firstError),
    }),
  };
}

/** Messages quote what the agency has sent. */
function shortened({ message, source_id, line, where }: ImportError): ImportError {
  return {
    message: agencyText(message),
    ...(source_id !== undefined && { source_id: agencyText(source_id) }),
    ...(line !== undefined && { line }),
    ...(where !== undefined && { where }),
  };
}
