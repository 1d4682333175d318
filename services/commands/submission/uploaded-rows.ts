import { zstdDecompressSync } from "node:zlib";
import type { ElementTallies } from "#contracts/bulletin/element-counts.ts";
import { Refusal } from "#contracts/errors.ts";
import { MAX_LISTED_PROBLEMS, type RowProblem, UploadReference } from "#contracts/http/upload.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  createFileReader,
  type FileReaderOptions,
  UnsupportedFile,
} from "#infra/formats/files/file-reader.ts";
import type { FileRow, RowSink } from "#infra/formats/format-reader.ts";
import { atOnce, takenBetween } from "#infra/kernel/steps.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import type { Alive } from "#infra/threads/pulse.ts";
import { findUpload, readPieces } from "#infra/uploads/upload-store.ts";
import { faultyColumns } from "#services/domain/seismic-event/named-columns.ts";
import { type Submission, submissionOf } from "./read-submission.ts";
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
  const options = { extension, delimiter, epoch, dateOrder, encoding, columns };
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
    readRows(pieces, { ...options, ...read?.again }, alive, (tallies) => {
      elements = tallies;
    });
  const count = read?.rowCount ?? upload.rowCount;
  return { count, slices, elements: () => elements };
}

/** What a kept file is, read with what is said of it: its columns may decide otherwise then. */
function surveyed(pieces: readonly Buffer[], options: FileReaderOptions, alive: Alive) {
  let rowCount = 0;
  const errors: RowProblem[] = [];
  const { columns: _, ...asItIs } = options;
  const silent = { row: () => {}, error: () => {}, warning: () => {} };
  const reader = createFileReader(
    {
      ...silent,
      row: () => void rowCount++,
      error(line, message) {
        if (errors.length < MAX_LISTED_PROBLEMS) errors.push({ line, message });
      },
    },
    options,
  );
  // A file that is read with what is said of its columns does not tell its own names.
  const names = options.columns?.size ? createFileReader(silent, asItIs) : null;
  try {
    for (const piece of pieces) {
      const bytes = zstdDecompressSync(piece);
      reader.write(bytes);
      names?.write(bytes);
      alive();
    }
    const own = names && atOnce(names.end(), alive);
    const whole = atOnce(reader.end(), alive);
    const { headers, members = [], empty = [] } = own ?? whole;
    const { again, isCatalogue, isLossy } = whole;
    const noRows = isCatalogue ? [] : [{ line: 1, message: "the file has no rows" }];
    const faults = errors.length > 0 ? errors : noRows;
    const unread = rowCount === 0 && faults.length > 0 ? faults : null;
    return { headers, members, empty, rowCount, again, isLossy, unread };
  } catch (error) {
    if (!(error instanceof UnsupportedFile)) throw error;
    throw new Refusal("UNSUPPORTED_FORMAT", `The file format is not supported: ${error.message}`);
  }
}

/** The rows of a kept file, read again as it was at the upload, but with what its columns are said to be. */
function* readRows(
  pieces: readonly Buffer[],
  options: FileReaderOptions,
  alive: Alive,
  onEnd: (elements: ElementTallies | undefined) => void,
): Generator<FileRow[]> {
  let rows: FileRow[] = [];
  const row: RowSink["row"] = (read, line, bulletin) => {
    rows.push({ row: asJson(read), line, bulletin });
  };
  const reader = createFileReader(
    { row, error: () => {}, warning: () => {} },
    { ...options, bulletins: true },
  );
  const take = () => {
    const taken = rows;
    rows = [];
    alive();
    return taken;
  };
  for (const piece of pieces) {
    reader.write(zstdDecompressSync(piece));
    yield take();
  }
  const { elements } = yield* takenBetween(reader.end(), take);
  onEnd(elements);
  yield take();
}

/** A row as it comes back from JSON, so that it makes the event that the upload's answer makes. */
function asJson(row: JsonObject): JsonObject {
  for (const key in row) {
    const value = row[key];
    // JSON has no −0.
    if (value === 0) row[key] = 0;
    else if (typeof value === "object" && value !== null) {
      row[key] = JSON.parse(JSON.stringify(value));
    }
  }
  return row;
}

function notKept(): Refusal {
  return new Refusal("NOT_FOUND", "There is no such upload of yours; uploads are kept for a day");
}

function refused(details: readonly { field: string; message: string }[]): Refusal {
  const sentence = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new Refusal("VALIDATION_ERROR", sentence, { details });
}
