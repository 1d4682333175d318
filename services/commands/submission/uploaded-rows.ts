import type { ElementTallies } from "#contracts/bulletin/element-counts.ts";
import { Refusal } from "#contracts/errors.ts";
import { UploadReference } from "#contracts/http/upload.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { FileRow } from "#infra/formats/format-reader.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { findUpload, readPieces } from "#infra/stores/uploads.ts";
import type { Alive } from "#infra/threads/task.ts";
import { faultyColumns } from "#services/domain/events/validation/columns.ts";
import { type Submission, submissionOf } from "./read-submission.ts";
import { rowsOfPieces, surveyed } from "./rows-of-pieces.ts";
import { RowOfBulletin } from "./submitted-event.ts";

type Options = {
  readonly statements: () => Promise<Pick<Statements, "any" | "maybeOne">>;
  /** Who must have uploaded it. */
  readonly owner: string;
  readonly nowMs: number;
  readonly alive: Alive;
};

/** The rows of a kept upload, read as its file is and as is said of its columns. */
export type UploadedRows = {
  readonly count: number;
  /** The rows in pieces, anew with each call. */
  readonly slices: () => Generator<FileRow[]>;
  /** The file's elements by kind, once all rows were read. */
  readonly elements: () => ElementTallies | undefined;
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
): Promise<UploadedRows | null> {
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data: reference } = UploadReference.safeParse(body.envelope);
  if (reference === undefined) return null;
  if (body.count !== null) {
    throw refused([{ field: "uploadId", message: "stands instead of events, not beside them" }]);
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
  if (faults.length > 0) throw refused(faults);
  if (encoding !== upload.encoding && read?.isLossy) {
    throw refused([
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
  return { count, slices, elements: () => elements };
}

function notKept(): Refusal {
  return new Refusal("NOT_FOUND", "There is no such upload of yours; uploads are kept for a day");
}

function refused(details: readonly { field: string; message: string }[]): Refusal {
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new Refusal("VALIDATION_ERROR", sentence, { details });
}
