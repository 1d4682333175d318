import { Refusal } from "#contracts/errors.ts";
import type { Spool } from "#infra/files/spool.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { TaskStuck, type WorkerThreads } from "#infra/threads/worker-threads.ts";
import type * as tasks from "./worker.ts";
import type { ReadUpload, UploadOptions, UploadTask } from "./worker.ts";

/** Takes the rows of a file as JSON, with `,\n` between them. */
export type RowSpool = Pick<Spool, "write" | "discard">;

export type ParsedUpload<R extends RowSpool> = ReadUpload & {
  /** The rows as JSON, separated by commas, in pieces of whole rows. */
  readonly rows: R;
};

/** Parses uploaded files in worker threads. */
export type UploadParser = {
  /**
   * Reads `file`, a second time where its whole says how it is to be read, and discards it. Rows are
   * spooled, since only the end of the file decides whether the answer is a success.
   * @param openRows where the rows go; they are discarded when it fails
   * @throws Refusal UNSUPPORTED_FORMAT, FILE_TOO_LARGE, PARSE_ERROR when parsing makes no progress;
   * the signal's reason
   */
  readonly parse: <R extends RowSpool>(
    file: Pick<Spool, "read" | "discard">,
    options: UploadOptions,
    asker: Asker,
    openRows: () => R,
  ) => Promise<ParsedUpload<R>>;
  /** Limit of a file, compressed or not. */
  readonly maxFileBytes: number;
};

/** @param maxAnswerBytes limit of a file's rows as JSON */
export function createUploadParser(
  threads: WorkerThreads<typeof tasks>,
  {
    maxAnswerBytes,
    maxFileBytes,
  }: Pick<UploadTask, "maxAnswerBytes"> & Pick<UploadParser, "maxFileBytes">,
): UploadParser {
  async function readInto(
    rows: RowSpool,
    input: AsyncIterable<Uint8Array>,
    options: UploadOptions,
    asker: Asker,
  ): Promise<ReadUpload> {
    const parsed = threads.stream("parseUpload", { ...options, maxAnswerBytes }, asker, { input });
    try {
      let next = await parsed.next();
      for (; !next.done; next = await parsed.next()) await rows.write(next.value);
      return next.value;
    } catch (error) {
      await rows.discard();
      if (!(error instanceof TaskStuck)) throw error;
      throw new Refusal("PARSE_ERROR", "Reading the file made no progress", { cause: error });
    } finally {
      await parsed.return(undefined as never);
    }
  }

  return {
    async parse(file, options, asker, openRows) {
      const readOnce = async (reading: UploadOptions) => {
        const rows = openRows();
        return { ...(await readInto(rows, file.read({ stays: true }), reading, asker)), rows };
      };
      try {
        const first = await readOnce(options);
        if (first.again === undefined) return first;
        await first.rows.discard();
        return { ...(await readOnce({ ...options, ...first.again })), again: first.again };
      } finally {
        await file.discard();
      }
    },
    maxFileBytes,
  };
}
