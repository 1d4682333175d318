import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ELEMENT_KINDS, type ElementTallies } from "#contracts/bulletin/element-counts.ts";
import {
  type InvalidEvent,
  MAX_REPORTED_INVALID,
  type ValidationReport,
} from "#contracts/http/validation-report.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { createElementTally } from "#infra/formats/format-reader.ts";
import { sliceEventsBody } from "#infra/json/json-body.ts";
import {
  createEventIdentifier,
  type EventIdentifier,
  NOTHING_KNOWN,
} from "#services/domain/events/identity.ts";
import type { ValidatedEvent } from "#services/domain/events/validation/event-draft.ts";
import type { RefusedRows } from "../joins/join-rows.ts";
import { createSubmittedReader } from "./submitted-event.ts";

export type ValidEvent = {
  readonly record: SeismicEventRecord;
  readonly bulletin: PackedBulletin | null;
};

/** The content of a body with events. */
export type Submission = {
  /** The body's other members, not yet validated. */
  readonly envelope: unknown;
  /** Number of submitted events; null when the body has no list of events. */
  readonly count: number | null;
  /** The valid events, in order; the others are in the report. */
  readonly validEvents: () => Generator<ValidEvent>;
  /** The report, once all valid events were read. */
  readonly report: () => ValidationReport | null;
};

/**
 * Reads a submitted body. It is parsed once here, slice by slice, and again when the events are
 * read, so a malformed body is refused before any of it is used, and at most one slice is in memory
 * as objects. Of two events with the same public id the later is invalid; so is the later of two
 * with the same `source_id`, unless each has a public id of its own, which the later one then gets
 * as `source_id`.
 * @param nowMs the present, milliseconds since 1970
 * @param alive called for each slice
 * @throws InvalidJson
 */
export function readSubmission(
  bytes: Buffer,
  nowMs: number,
  alive: () => void = () => {},
): Submission {
  const { envelope, slices } = sliceEventsBody(bytes);
  if (slices === null) {
    return { envelope, count: null, validEvents: function* () {}, report: () => null };
  }
  let count = 0;
  for (const slice of slices) {
    count += slice.length;
    alive();
  }
  const again = () => sliceEventsBody(bytes).slices ?? [];
  return submissionOf({ envelope, count, slices: again }, nowMs, alive);
}

type SlicedEvents = Pick<Submission, "envelope"> & {
  readonly count: number;
  /** The submitted events, anew with each call: JSON values, or rows of files. */
  readonly slices: () => Iterable<readonly unknown[]>;
  /** What the file had of each kind of elements, once all slices were read. */
  readonly elements?: () => ElementTallies | undefined;
};

/** A submission of events that come in slices. */
export function submissionOf(
  { envelope, count, slices, elements }: SlicedEvents,
  nowMs: number,
  alive: () => void,
): Submission {
  const tally = createTally(elements);

  function* validEvents(): Generator<ValidEvent> {
    const read = createSubmittedReader({ nowMs });
    const identifier = createEventIdentifier();
    for (const slice of slices()) {
      for (const event of slice) {
        const { result: valid, bulletin, packed } = read(event);
        const result = withIdentity(valid, identifier);
        tally.count(result, bulletin);
        if (result.ok) yield { record: result.record, bulletin: packed };
      }
      alive();
    }
  }
  return { envelope, count, validEvents, report: tally.report };
}

type Refused = Extract<ValidatedEvent, { ok: false }>;

function withIdentity(result: ValidatedEvent, identifier: EventIdentifier): ValidatedEvent {
  if (!result.ok) return result;
  const { record } = result;
  const ids = idsOf(record);
  const id = ids.sourceId ?? ids.publicId;
  if (id === null) return result;
  const stored = identifier.take(ids);
  const identified = stored && identifier.identify(stored, NOTHING_KNOWN);
  if (identified?.outcome !== "new") {
    return { ok: false, id, errors: [{ field: "source_id", message: "duplicate id" }] };
  }
  const { sourceId } = identified;
  return sourceId === ids.sourceId
    ? result
    : { ok: true, record: { ...record, source_id: sourceId } };
}

/** Counts what is valid of what was submitted. @param ofFile what the file had, once it is read */
export function createTally(ofFile: () => ElementTallies | undefined = () => undefined) {
  const elements = createElementTally();
  const invalidEvents: InvalidEvent[] = [];
  let totalSubmitted = 0;
  let failedValidation = 0;
  return {
    /** @param isKept whether the bulletin stays in the catalogue */
    count(
      result: { readonly ok: true } | Refused,
      bulletin: Bulletin | null,
      isKept = result.ok,
    ): void {
      if (bulletin !== null && isKept) elements.keep(bulletin);
      else if (bulletin !== null) elements.drop(bulletin);
      if (!result.ok) {
        failedValidation += 1;
        if (invalidEvents.length < MAX_REPORTED_INVALID) {
          invalidEvents.push(invalidEvent(totalSubmitted, result));
        }
      }
      totalSubmitted += 1;
    },
    /** Rows that were counted as valid, but whose event takes them not. */
    refuse({ id, field, message, rows }: RefusedRows): void {
      failedValidation += rows.length;
      for (const index of rows.slice(0, MAX_REPORTED_INVALID - invalidEvents.length)) {
        const errors = [{ field, message }];
        invalidEvents.push(invalidEvent(index, { ok: false, id, errors }));
      }
    },
    report(): ValidationReport {
      const successfullyImported = totalSubmitted - failedValidation;
      const share = totalSubmitted === 0 ? 1 : successfullyImported / totalSubmitted;
      return {
        totalSubmitted,
        successfullyImported,
        failedValidation,
        // Rounded down, so that 100 means no failure.
        successRate: Math.floor(share * 10_000) / 100,
        invalidEvents,
        hasMoreInvalidEvents: failedValidation > invalidEvents.length,
        ...elementsOf(elements.tallies(), ofFile()),
      };
    },
  };
}

/** What is kept of what was read: of a file, whose reader may have dropped some, of all that it had. */
function elementsOf(
  submitted: ElementTallies,
  ofFile: ElementTallies = submitted,
): { elements?: ElementTallies } {
  const kinds = ELEMENT_KINDS.filter((kind) => ofFile[kind] !== undefined);
  if (kinds.length === 0) return {};
  const tallies = kinds.map((kind) => {
    const read = ofFile[kind]?.read ?? 0;
    const kept = submitted[kind]?.kept ?? 0;
    return [kind, { read, kept, dropped: read - kept }];
  });
  return { elements: Object.fromEntries(tallies) };
}

function invalidEvent(index: number, { id, errors }: Refused): InvalidEvent {
  const reason = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  return { index, ...(id !== undefined && { id }), reason, errors: [...errors] };
}
