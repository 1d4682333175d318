import { isDeepStrictEqual } from "node:util";
import { bulletinFault } from "#contracts/bulletin/check.ts";
import type { ElementTallies } from "#contracts/bulletin/counts.ts";
import { ROWS_OWN } from "#contracts/bulletin/own-members.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  type InvalidEvent,
  MAX_REPORTED_INVALID,
  type ValidationReport,
} from "#contracts/http/event-bodies.ts";
import { UploadReference } from "#contracts/http/uploads.ts";
import { ELEMENT_KINDS } from "#contracts/seismic-event/bulletin-objects.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  COLUMN_NAMES,
  type JsonObject,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { postgresMicros } from "#contracts/seismic-event/time.ts";
import {
  BulletinTooLarge,
  type PackedBulletin,
  packBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { createElementTally, type FileRow } from "#infra/formats/format-reader.ts";
import { sliceEventsBody } from "#infra/json/json.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { findUpload, readPieces } from "#infra/stores/uploads.ts";
import type { Alive } from "#infra/threads/task.ts";
import {
  createEventIdentifier,
  type EventIdentifier,
  NOTHING_KNOWN,
} from "#services/domain/events/identity.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import {
  isPlainObject,
  type ValidatedEvent,
} from "#services/domain/events/validation/event-draft.ts";
import {
  createEventValidator,
  createPartReader,
  type GivenAttributes,
  type ValidationOptions,
} from "#services/domain/events/validation/validate-event.ts";
import type { RefusedRows } from "../changes/join-rows.ts";
import { rowsOfPieces, surveyed } from "../uploads/worker.ts";

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
function elementsOf(submitted: ElementTallies, ofFile: ElementTallies = submitted) {
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

const OF_BULLETIN = ["bulletin", "bulletin_sha256", "bulletin_counts"];

/** A row that a reader of files made of a bulletin. */
export class RowOfBulletin {
  readonly row: JsonObject;
  readonly bulletin: Bulletin;

  constructor(row: JsonObject, bulletin: Bulletin) {
    this.row = row;
    this.bulletin = bulletin;
  }
}

/** A submitted event, valid or not, with its bulletin where it has a readable one. */
export type SubmittedEvent = {
  readonly result: ValidatedEvent;
  readonly bulletin: Bulletin | null;
  /** The bulletin of a valid event. */
  readonly packed: PackedBulletin | null;
};

/**
 * Reads submitted events: JSON values, of which one may have its bulletin as a member, and rows of
 * files. The hash and the counts that answers tell of a bulletin are ignored. Make one per body.
 */
export function createSubmittedReader(options: ValidationOptions) {
  const validate = createEventValidator(options);
  const readPart = createPartReader(options);

  function withBulletin(bulletin: unknown, beside: JsonObject): SubmittedEvent {
    const fault = bulletinFault(bulletin);
    if (fault !== null) {
      const field = fault.path === "" ? "bulletin" : `bulletin.${fault.path}`;
      return refusedEvent(field, fault.message);
    }
    const read = bulletin as Bulletin;
    const row = rowOfBulletin(read, () => undefined);
    if (typeof row === "string") {
      return { ...refusedEvent("bulletin", `makes no row: ${row}`), bulletin: read };
    }
    const view = validate(row);
    if (!view.ok) return { result: view, bulletin: read, packed: null };
    return packedWith(read, besideBulletin(view.record, readPart(beside)));
  }

  return (event: unknown): SubmittedEvent => {
    if (event instanceof RowOfBulletin) return packedWith(event.bulletin, validate(event.row));
    if (!isPlainObject(event) || !OF_BULLETIN.some((name) => name in event)) {
      return { result: validate(event), bulletin: null, packed: null };
    }
    const { bulletin_sha256: _, bulletin_counts: __, bulletin, ...beside } = event;
    if (bulletin === undefined || bulletin === null) {
      return { result: validate(beside), bulletin: null, packed: null };
    }
    return withBulletin(bulletin, beside);
  };
}

function packedWith(bulletin: Bulletin, result: ValidatedEvent): SubmittedEvent {
  if (!result.ok) return { result, bulletin, packed: null };
  try {
    return { result, bulletin, packed: packBulletin(bulletin) };
  } catch (error) {
    if (!(error instanceof BulletinTooLarge)) throw error;
    return { ...refusedEvent("bulletin", error.message), bulletin };
  }
}

function refusedEvent(field: string, message: string): SubmittedEvent {
  return { result: { ok: false, errors: [{ field, message }] }, bulletin: null, packed: null };
}

/**
 * The record of an event with a bulletin: the bulletin's view, with the id and the members of `extra`
 * that are given beside it. Other attributes beside it must agree with the view.
 */
function besideBulletin(
  view: SeismicEventRecord,
  { record, named, errors }: GivenAttributes,
): ValidatedEvent {
  const differing = COLUMN_NAMES.filter(
    (name) =>
      !ROWS_OWN.includes(name) &&
      (named.has(name) || (record[name] !== null && record[name] !== "")) &&
      !agree(name, record[name], view[name]),
  ).map((field) => ({ field, message: "is not what the bulletin says" }));
  const faults = [...errors, ...differing];
  const sourceId = record.source_id ?? view.source_id;
  if (faults.length > 0) {
    return { ok: false, errors: faults, ...(sourceId !== null && { id: sourceId }) };
  }
  const { extra } = record;
  return {
    ok: true,
    record: {
      ...view,
      source_id: sourceId,
      extra: extra === null ? view.extra : { ...view.extra, ...extra },
    },
  };
}

function agree(name: string, given: unknown, shown: unknown): boolean {
  if (name === "time" && typeof given === "string" && typeof shown === "string") {
    return postgresMicros(given) === postgresMicros(shown);
  }
  return isDeepStrictEqual(given, shown);
}

type Options = {
  readonly statements: () => Promise<Pick<Statements, "any" | "maybeOne">>;
  /** Who must have uploaded it. */
  readonly owner: string;
  readonly nowMs: number;
  readonly alive: Alive;
};

/**
 * A submission as it is or, where its body names a kept upload instead of events, of that file's
 * rows.
 * @throws as `openUpload`
 */
export async function withUpload(body: Submission, options: Options): Promise<Submission> {
  const { envelope } = body;
  const upload = await openUpload(body, options);
  if (upload === null) return body;
  const { slices: pieces, ...rest } = upload;
  function* slices() {
    for (const rows of pieces()) yield rows.map(submitted);
  }
  return submissionOf({ ...rest, envelope, slices }, options.nowMs, options.alive);
}

function submitted({ row, bulletin }: FileRow): JsonObject | RowOfBulletin {
  return bulletin === undefined ? row : new RowOfBulletin(row, bulletin);
}

/** The rows of a kept upload, read as its file is and as is said of its columns. */
export type UploadedRows = NonNullable<Awaited<ReturnType<typeof openUpload>>>;

/**
 * The kept upload that a body names instead of events; null where it names none. It stays compressed
 * but for the piece that is being read.
 * @throws Refusal NOT_FOUND for an upload that is not there, has expired or is another user's;
 * VALIDATION_ERROR for events beside it, for columns that it does not have, and for an encoding that
 * its bytes are not in; UNSUPPORTED_FORMAT, PARSE_ERROR where what is said of it leaves no rows
 */
export async function openUpload(
  body: Pick<Submission, "envelope" | "count">,
  { statements, owner, alive }: Options,
) {
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data: reference } = UploadReference.safeParse(body.envelope);
  if (reference === undefined) return null;
  if (body.count !== null) {
    throw refusedUpload([
      { field: "uploadId", message: "stands instead of events, not beside them" },
    ]);
  }
  const { uploadId } = reference;
  const columns = new Map(Object.entries(reference.columns ?? {}));
  const database = await statements();
  const upload = await findUpload(database, uploadId, owner);
  if (upload === null) throw notKept();
  const pieces = await readPieces(database, uploadId);
  if (pieces.length < upload.pieces) throw notKept();
  const { extension, delimiter, epoch } = upload;
  const { dateOrder = upload.dateOrder, encoding = upload.encoding } = reference;
  // Other columns may be the depths.
  const depthUnit = columns.size === 0 ? upload.depthUnit : undefined;
  const options = { extension, delimiter, epoch, depthUnit, dateOrder, encoding, columns };
  const isOther = encoding !== upload.encoding || dateOrder !== upload.dateOrder;
  const read = isOther || columns.size > 0 ? surveyed(pieces, options, alive) : null;
  if (read?.unread) {
    const details = read.unread;
    throw new Refusal("PARSE_ERROR", "The file has no row that can be read", { details });
  }
  const faults = faultyColumns(columns, isOther && read !== null ? read : upload);
  if (faults.length > 0) throw refusedUpload(faults);
  if (encoding !== upload.encoding && read?.isLossy) {
    throw refusedUpload([
      { field: "encoding", message: `is not that of the file: some bytes are no ${encoding}` },
    ]);
  }
  let elements: ElementTallies | undefined;
  const slices = () =>
    rowsOfPieces(pieces, { ...options, ...read?.again }, alive, {
      end: (tallies) => {
        elements = tallies;
      },
    });
  const count = read?.rowCount ?? upload.rowCount;
  return {
    count,
    /** The rows in pieces, anew with each call. */
    slices,
    /** The file's elements by kind, once all rows were read. */
    elements: () => elements,
  };
}

function notKept(): Refusal {
  return new Refusal("NOT_FOUND", "There is no such upload of yours; uploads are kept for a day");
}

function refusedUpload(details: readonly { field: string; message: string }[]): Refusal {
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new Refusal("VALIDATION_ERROR", sentence, { details });
}
