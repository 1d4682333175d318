/** Entry point of the worker threads that parse uploads: a large file must not hold up other requests. */
import type { MessagePort } from "node:worker_threads";
import { MAX_LISTED_PROBLEMS, type RowProblem, type UploadResult } from "#contracts/http/upload.ts";
import {
  createFileReader,
  type Delimiter,
  type FileReader,
  UnsupportedFile,
} from "#infra/formats/file-reader.ts";
import type { RowSink } from "#infra/formats/format-reader.ts";

export type UploadTask = {
  readonly port: MessagePort;
  readonly extension: string;
  readonly delimiter: Delimiter;
};

/** What the gateway sends: the file piece by piece, then that it is complete. */
export type UploadPiece = { readonly bytes: Uint8Array } | { readonly end: true };

/** What comes back for each piece: rows as JSON, separated by commas, for the answer's `data`. */
export type ParsedPiece = { readonly rows: Uint8Array };

/** Errors lose their class between threads, so a refusal is an answer. */
export type UploadEnd =
  | { readonly outcome: "read"; readonly result: Omit<UploadResult, "data"> }
  | { readonly outcome: "unsupported"; readonly reason: string }
  | { readonly outcome: "abandoned" };

/**
 * Parses the pieces that come over the port, each answered by its rows before the next is due; ends
 * with the file, with the port, or where the file turns out to be none.
 */
export function parseUpload({ port, ...options }: UploadTask): Promise<UploadEnd> {
  const tally = createTally();
  const reader = createFileReader(tally.sink, options);
  return new Promise((resolve, reject) => {
    const finish = (end: UploadEnd) => {
      resolve(end);
      port.close();
    };
    port.on("close", () => resolve({ outcome: "abandoned" }));
    port.on("message", (piece: UploadPiece) => {
      try {
        const end = take(reader, tally, piece);
        const rows = tally.takeRows();
        port.postMessage({ rows } satisfies ParsedPiece, [rows.buffer]);
        if (end !== null) finish(end);
      } catch (error) {
        if (error instanceof UnsupportedFile) {
          finish({ outcome: "unsupported", reason: error.message });
        } else {
          reject(error);
          port.close();
        }
      }
    });
  });
}

function take(reader: FileReader, tally: Tally, piece: UploadPiece): UploadEnd | null {
  if ("bytes" in piece) {
    reader.write(piece.bytes);
    return null;
  }
  const { headers, format } = reader.end();
  tally.end();
  return { outcome: "read", result: { headers: [...headers], format, ...tally.counts() } };
}

type Tally = ReturnType<typeof createTally>;

/** Rows become JSON here: between threads, bytes are moved while objects would be copied. */
function createTally() {
  const errors: RowProblem[] = [];
  const warnings: RowProblem[] = [];
  let errorCount = 0;
  let warningCount = 0;
  let rowCount = 0;
  let json = "";
  const note = (list: RowProblem[], line: number, message: string) => {
    if (list.length < MAX_LISTED_PROBLEMS) list.push({ line, message });
  };
  const sink: RowSink = {
    row(row) {
      json += rowCount === 0 ? JSON.stringify(row) : `,\n${JSON.stringify(row)}`;
      rowCount += 1;
    },
    error(line, message) {
      errorCount += 1;
      note(errors, line, message);
    },
    warning(line, message) {
      warningCount += 1;
      note(warnings, line, message);
    },
  };
  return {
    sink,
    /** A file without rows is told why. */
    end(): void {
      if (rowCount + errorCount === 0) sink.error(1, "the file has no rows");
    },
    takeRows(): Uint8Array<ArrayBuffer> {
      const bytes = new TextEncoder().encode(json);
      json = "";
      return bytes;
    },
    counts: () => ({ rowCount, errors, warnings, errorCount, warningCount }),
  };
}
