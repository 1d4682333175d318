import { Refusal } from "#contracts/errors.ts";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import { TaskStuck, type WorkerThreads } from "#infra/threads/worker-threads.ts";
import type * as tasks from "./upload-worker.ts";
import type { UploadEnd, UploadTask } from "./upload-worker.ts";

export type ParsedUpload = {
  readonly end: UploadEnd;
  /** The rows as JSON, separated by commas. */
  readonly rows: Spool;
};

/** Takes the rows of a file as JSON, with `,\n` between them. */
export type RowSpool = Pick<Spool, "write" | "discard">;

/** Parses uploaded files in worker threads. */
export type UploadParser = {
  /**
   * Reads `file` and discards it. Rows are spooled, since only the end of the file decides whether
   * the answer is a success.
   * @throws Refusal UNSUPPORTED_FORMAT, FILE_TOO_LARGE, PARSE_ERROR when parsing makes no progress;
   * the signal's reason
   */
  readonly parse: (
    file: Spool,
    options: Pick<UploadTask, "extension" | "delimiter">,
    asker: Asker,
  ) => Promise<ParsedUpload>;
  /** The same into `rows`, whose pieces are of whole rows. They are discarded when it fails. */
  readonly parseInto: (
    rows: RowSpool,
    file: Pick<Spool, "read" | "discard">,
    options: Pick<UploadTask, "extension" | "delimiter">,
    asker: Asker,
  ) => Promise<UploadEnd>;
};

/** @param maxAnswerBytes limit of a file's rows as JSON */
export function createUploadParser(
  threads: WorkerThreads<typeof tasks>,
  { maxAnswerBytes }: Pick<UploadTask, "maxAnswerBytes">,
): UploadParser {
  const parseInto: UploadParser["parseInto"] = async (rows, file, options, asker) => {
    const task: UploadTask = { ...options, maxAnswerBytes };
    const parsed = threads.stream("parseUpload", task, asker, { input: file.read() });
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
      await file.discard();
    }
  };
  return {
    async parse(file, options, asker) {
      const rows = createSpool();
      return { end: await parseInto(rows, file, options, asker), rows };
    },
    parseInto,
  };
}
