import type { ImportFailure } from "#contracts/domain-events/catalogue-events.ts";
import { ERRORS, Refusal } from "#contracts/errors.ts";

/** An import failed after it had begun; its run is in the catalogue's history. */
export class ImportFailed extends Error {
  override readonly name = "ImportFailed";
  readonly catalogueId: string;

  /** @param cause the error reported to the client */
  constructor(catalogueId: string, cause: unknown) {
    super("the import failed", { cause });
    this.catalogueId = catalogueId;
  }
}

/** The agency did not provide the requested events: `AGENCY_…`, `CIRCUIT_OPEN`. */
export class AgencyFailed extends Refusal {}

/** A failure as the history shows it, without the service's own faults. */
export function failureOf(cause: unknown, signal: AbortSignal): ImportFailure {
  if (signal.aborted) {
    const { reason } = signal;
    const why = reason instanceof Error ? reason.message : String(reason);
    return { code: null, message: `The import was given up: ${why}` };
  }
  if (cause instanceof AgencyFailed) return { code: cause.code, message: cause.message };
  if (cause instanceof Refusal) return { code: null, message: cause.message };
  return { code: "INTERNAL_ERROR", message: ERRORS.INTERNAL_ERROR.text };
}
