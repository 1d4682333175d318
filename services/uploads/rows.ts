import { zstdDecompressSync } from "node:zlib";
import type { ElementTallies } from "#contracts/bulletin/counts.ts";
import { Refusal } from "#contracts/errors.ts";
import { MAX_LISTED_PROBLEMS, type RowProblem } from "#contracts/http/uploads.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  createFileReader,
  type FileReaderOptions,
  UnsupportedFile,
} from "#infra/formats/files/file-reader.ts";
import type { FileRow, RowSink } from "#infra/formats/format-reader.ts";
import { atOnce, takenBetween } from "#infra/kernel/iteration.ts";
import type { Alive } from "#infra/threads/task.ts";

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
