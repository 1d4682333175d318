/** Entry point of the worker threads that parse uploads: a large file must not hold up other requests. */
import type { MessagePort } from "node:worker_threads";
import { MAX_LISTED_PROBLEMS, type RowProblem, type UploadResult } from "#contracts/http/upload.ts";
import { createFileReader, type Delimiter, UnsupportedFile } from "#infra/formats/file-reader.ts";
import type { RowSink } from "#infra/formats/format-reader.ts";
import { answerPieces } from "../piece-port.ts";

export type UploadTask = {
  readonly port: MessagePort;
  readonly extension: string;
  readonly delimiter: Delimiter;
};

/** Errors lose their class between threads, so a refusal is an answer. */
export type UploadEnd =
  | { readonly outcome: "read"; readonly result: Omit<UploadResult, "data"> }
  | { readonly outcome: "unsupported"; readonly reason: string }
  | { readonly outcome: "abandoned" };

/**
 * Parses the pieces that come over the port, each answered by its rows as JSON, separated by commas, for
 * the answer's `data`; ends with the file, with the port, or where the file turns out to be none.
 */
export async function parseUpload({ port, ...options }: UploadTask): Promise<UploadEnd> {
  const tally = createTally();
  const reader = createFileReader(tally.sink, options);
  try {
    const end = await answerPieces<Uint8Array<ArrayBuffer>, UploadEnd>(port, {
      take: (bytes) => {
        reader.write(bytes);
        return tally.takeRows();
      },
      end: () => {
        const { headers, format } = reader.end();
        tally.end();
        const result = { headers: [...headers], format, ...tally.counts() };
        return { answer: tally.takeRows(), result: { outcome: "read", result } };
      },
      moved: (rows) => [rows.buffer],
    });
    return end ?? { outcome: "abandoned" };
  } catch (error) {
    if (error instanceof UnsupportedFile) return { outcome: "unsupported", reason: error.message };
    throw error;
  }
}

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
