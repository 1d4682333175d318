import { Refusal } from "#contracts/errors.ts";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
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
   * @param signal ends the parsing
   * @throws Refusal UNSUPPORTED_FORMAT, FILE_TOO_LARGE, PARSE_ERROR when parsing makes no progress;
   * the signal's reason
   */
  readonly parse: (
    file: Spool,
    options: Pick<UploadTask, "extension" | "delimiter">,
    signal: AbortSignal,
  ) => Promise<ParsedUpload>;
  /** The same into `rows`, whose pieces are of whole rows. They are discarded when it fails. */
  readonly parseInto: (
    rows: RowSpool,
    file: Pick<Spool, "read" | "discard">,
    options: Pick<UploadTask, "extension" | "delimiter">,
    signal: AbortSignal,
  ) => Promise<UploadEnd>;
  readonly close: () => Promise<void>;
};

/** Each has one file at a time, so a hostile file that ends its thread ends no other upload. */
const MAX_THREADS = 2;
/**
 * A piece of a file takes milliseconds, a JSON object of 4 MiB with hundreds of thousands of members
 * a second.
 */
const STUCK_AFTER_SECONDS = 60;
/** Several times the memory for such an object. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 512 };

/** @param maxAnswerBytes limit of a file's rows as JSON */
export function createUploadParser({
  maxAnswerBytes,
}: Pick<UploadTask, "maxAnswerBytes">): UploadParser {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./upload-worker.ts", import.meta.url),
    maxThreads: MAX_THREADS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
  });
  const parseInto: UploadParser["parseInto"] = async (rows, file, options, signal) => {
    const task: UploadTask = { ...options, maxAnswerBytes };
    const parsed = workers.stream("parseUpload", task, { input: file.read(), signal });
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
    async parse(file, options, signal) {
      const rows = createSpool();
      return { end: await parseInto(rows, file, options, signal), rows };
    },
    parseInto,
    close: () => workers.close(),
  };
}
