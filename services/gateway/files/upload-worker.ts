/** Entry point of the threads that parse uploads: a large file must not block other requests. */
import { Refusal } from "#contracts/errors.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import {
  createFileReader,
  type FileReaderOptions,
  UnsupportedFile,
} from "#infra/formats/files/file-reader.ts";
import type { ReadResult } from "#infra/formats/format-reader.ts";
import { takenBetween } from "#infra/kernel/iteration.ts";
import { type Link, workerStream } from "#infra/threads/task.ts";
import { AnswerTooLarge, createUploadTally } from "./upload-tally.ts";

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
