/** Entry point of the threads that parse uploads: a large file must not block other requests. */

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
import type { ReadResult, RowSink } from "#infra/formats/format-reader.ts";
import { takenBetween } from "#infra/kernel/iteration.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";

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
