/** Entry point of the worker threads that parse uploads: a large file must not hold up other requests. */
import type { MessagePort } from "node:worker_threads";
import type { UploadResult } from "#contracts/http/upload.ts";
import {
  createFileReader,
  type Delimiter,
  UnsupportedFile,
} from "#infra/formats/files/file-reader.ts";
import { workerTask } from "../../worker-task.ts";
import { answerPieces } from "../piece-port.ts";
import { AnswerTooLarge, createUploadTally } from "./upload-tally.ts";

export type UploadTask = {
  readonly port: MessagePort;
  readonly extension: string;
  readonly delimiter: Delimiter;
  /** What the rows may come to as JSON. */
  readonly maxAnswerBytes: number;
};

/** Errors lose their class between threads, so a refusal is an answer. */
export type UploadEnd =
  | { readonly outcome: "read"; readonly result: Omit<UploadResult, "data"> }
  | { readonly outcome: "unsupported"; readonly reason: string }
  | { readonly outcome: "too-large"; readonly reason: string }
  | { readonly outcome: "abandoned" };

/**
 * Parses the pieces that come over the port, each answered by its rows as JSON, separated by commas, for
 * the answer's `data`; ends with the file, with the port, or where the file turns out to be none.
 */
export const parseUpload = workerTask(parse);

async function parse({ port, maxAnswerBytes, ...options }: UploadTask): Promise<UploadEnd> {
  const tally = createUploadTally(maxAnswerBytes);
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
    if (error instanceof AnswerTooLarge) return { outcome: "too-large", reason: error.message };
    throw error;
  }
}
