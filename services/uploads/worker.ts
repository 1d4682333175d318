/** Entry point of the threads that parse uploads: a large file must not block other requests. */

import { zstdDecompressSync } from "node:zlib";
import type { ElementTallies } from "#contracts/bulletin/counts.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  MAX_LISTED_NOTES,
  MAX_LISTED_PROBLEMS,
  type RowProblem,
  type UploadNote,
  type UploadResult,
} from "#contracts/http/uploads.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { saidAlike } from "#contracts/text.ts";
import { MIB } from "#contracts/units.ts";
import {
  createFileReader,
  type FileReaderOptions,
  UnsupportedFile,
} from "#infra/formats/files/file-reader.ts";
import type { FileRow, ReadResult, RowSink } from "#infra/formats/format-reader.ts";
import { atOnce, takenBetween } from "#infra/kernel/iteration.ts";
import { type Alive, type Link, workerStream } from "#infra/threads/task.ts";

/** How a file is to be read; its columns are known by their names. */
export type UploadOptions = Omit<FileReaderOptions, "columns" | "bulletins"> & {
  /** Rows have the bulletins of their events. */
  readonly withBulletins?: boolean;
};

export type UploadTask = UploadOptions & {
  /** Limit of the rows as JSON. */
  readonly maxAnswerBytes: number;
};

export type UploadEnd = Omit<UploadResult, "data">;

export type ReadUpload = Pick<ReadResult, "again"> & {
  readonly end: UploadEnd;
  /** Headers without any value, where they are canonical names. */
  readonly empty: readonly string[];
};

/** The rows of a file exceed the limit of an answer, however small the file is. */
class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(maxBytes: number) {
    super(`its rows are larger than ${Math.floor(maxBytes / MIB)} MiB as JSON`);
  }
}

/** A message may quote the file. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * Parses the pieces of a file and yields their rows as comma-separated JSON for the answer's `data`.
 * @throws Refusal UNSUPPORTED_FORMAT, FILE_TOO_LARGE
 */
export const parseUpload = workerStream(parse, { moved: (rows) => [rows.buffer] });

async function* parse(
  { maxAnswerBytes, withBulletins = false, ...options }: UploadTask,
  { input }: Pick<Link, "input">,
): AsyncGenerator<Uint8Array<ArrayBuffer>, ReadUpload> {
  const tally = createUploadTally(maxAnswerBytes, withBulletins);
  const reader = createFileReader(tally.sink, { ...options, bulletins: true });
  try {
    for await (const bytes of input) {
      reader.write(bytes);
      yield tally.takeRows();
    }
    const result = yield* takenBetween(reader.end(), tally.takeRows);
    const { headers, members, empty = [], format, elements, isCatalogue, again } = result;
    tally.end(isCatalogue);
    yield tally.takeRows();
    const end = {
      headers: [...headers],
      ...(members && { members: [...members] }),
      format,
      ...tally.counts(headers),
      ...(elements && { elements }),
    };
    return { end, empty, ...(again && { again }) };
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof UnsupportedFile) {
    return new Refusal("UNSUPPORTED_FORMAT", `The file format is not supported: ${error.message}`);
  }
  if (error instanceof AnswerTooLarge) {
    return new Refusal("FILE_TOO_LARGE", `The file is too large: ${error.message}`);
  }
  return null;
}

/**
 * Converts rows to JSON in the worker, since bytes can be transferred between threads while objects
 * would be copied.
 */
export function createUploadTally(maxBytes: number, withBulletins: boolean) {
  const notes = createNotes();
  const errors = createProblems(notes.add);
  const warnings = createProblems(notes.add);
  let rowCount = 0;
  const filled = new Map<string, number>();
  let json = "";
  let taken = 0;
  const sink: RowSink = {
    row(row, _line, bulletin) {
      const shown = withBulletins ? { ...row, ...(bulletin && { bulletin }) } : rowAlone(row);
      json += rowCount === 0 ? JSON.stringify(shown) : `,\n${JSON.stringify(shown)}`;
      rowCount += 1;
      for (const key in row) {
        if (!isEmpty(row[key])) filled.set(key, (filled.get(key) ?? 0) + 1);
      }
      // A character is at least one byte.
      if (taken + json.length > maxBytes) throw new AnswerTooLarge(maxBytes);
    },
    error(line, message, { beyondLimit = false } = {}) {
      if (beyondLimit) throw new UnsupportedFile(message);
      errors.note(line, message);
    },
    warning: warnings.note,
  };
  return {
    /** @throws AnswerTooLarge; UnsupportedFile when the file exceeds a limit */
    sink,
    /** Call it after the last piece: it says that a file has no rows, which an empty catalogue may. */
    end(isCatalogue: boolean): void {
      if (rowCount + errors.count() > 0) return;
      if (isCatalogue) sink.warning(1, "the file has no rows");
      else sink.error(1, "the file has no rows");
    },
    /** The rows since the last call, with commas between them and after earlier ones. @throws AnswerTooLarge */
    takeRows() {
      const bytes = new TextEncoder().encode(json);
      json = "";
      taken += bytes.length;
      if (taken > maxBytes) throw new AnswerTooLarge(maxBytes);
      return bytes;
    },
    counts: (headers: readonly string[]) => ({
      rowCount,
      errors: errors.listed,
      warnings: warnings.listed,
      notes: notes.listed(),
      errorCount: errors.count(),
      warningCount: warnings.count(),
      emptyCounts: Object.fromEntries(
        headers.map((header) => [header, rowCount - (filled.get(header) ?? 0)]),
      ),
    }),
  };
}

/** A row of JSON may have its bulletin as a member. */
function rowAlone(row: JsonObject): JsonObject {
  if (!isJsonObject(row["bulletin"] ?? null)) return row;
  const { bulletin: _, ...alone } = row;
  return alone;
}

/** What is said of the rows, each once. */
function createNotes() {
  const groups = new Map<string, UploadNote>();
  return {
    listed: () => [...groups.values()],
    add({ line, message }: RowProblem): void {
      const alike = saidAlike(message);
      const { count, first, ...said } = groups.get(alike) ?? { message, count: 0, first: line };
      if (count === 0 && groups.size >= MAX_LISTED_NOTES) return;
      groups.set(alike, { ...said, count: count + 1, first: Math.min(first, line) });
    },
  };
}

/** Counts all, and lists the first. @param onEach told of all */
function createProblems(onEach: (problem: RowProblem) => void) {
  const listed: RowProblem[] = [];
  let count = 0;
  return {
    listed,
    count: () => count,
    note(line: number, message: string): void {
      const problem = { line, message: message.slice(0, MAX_MESSAGE_LENGTH) };
      count += 1;
      onEach(problem);
      if (listed.length < MAX_LISTED_PROBLEMS) listed.push(problem);
    },
  };
}

/** Submissions take blank text for nothing as well. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * What a file in compressed pieces is, read with what is said of it: its columns may decide otherwise then.
 * @throws Refusal UNSUPPORTED_FORMAT
 */
export function surveyed(pieces: readonly Buffer[], options: FileReaderOptions, alive: Alive) {
  let rowCount = 0;
  let isRefused = false;
  const errors: RowProblem[] = [];
  const { columns: _, ...asItIs } = options;
  const silent = { row: () => {}, error: () => {}, warning: () => {} };
  const reader = createFileReader(
    {
      ...silent,
      row: () => void rowCount++,
      error(line, message, { beyondLimit = false } = {}) {
        // What refuses the whole file is told before what is wrong with its rows.
        if (beyondLimit && !isRefused) errors.unshift({ line, message });
        else if (errors.length < MAX_LISTED_PROBLEMS) errors.push({ line, message });
        isRefused ||= beyondLimit;
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
    const unread = (rowCount === 0 || isRefused) && faults.length > 0 ? faults : null;
    return { headers, members, empty, rowCount, again, isLossy, unread };
  } catch (error) {
    if (!(error instanceof UnsupportedFile)) throw error;
    throw new Refusal("UNSUPPORTED_FORMAT", `The file format is not supported: ${error.message}`);
  }
}

/** Told of what a file has beside its rows. */
export type RowsListener = {
  readonly error?: RowSink["error"];
  /** Once all rows were read. */
  readonly end: (elements: ElementTallies | undefined) => void;
};

/** The rows of such a file, read again as its survey, or its upload, says that they are to be read. */
export function* rowsOfPieces(
  pieces: readonly Buffer[],
  options: FileReaderOptions,
  alive: Alive,
  listener: RowsListener,
): Generator<FileRow[]> {
  let rows: FileRow[] = [];
  const row: RowSink["row"] = (read, line, bulletin) => {
    rows.push({ row: asJson(read), line, bulletin });
  };
  const { error = () => {}, end } = listener;
  const reader = createFileReader(
    { row, error, warning: () => {} },
    { bulletins: true, ...options },
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
  end(elements);
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
