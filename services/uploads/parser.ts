import { Refusal } from "#contracts/errors.ts";
import { MAX_ANSWER_TIMES } from "#contracts/http/uploads.ts";
import type { Spool } from "#infra/files/spool.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import type { GatewayThreads } from "../threads.ts";
import type { ReadUpload, UploadOptions } from "./worker.ts";

/** Takes the rows of a file as JSON, with `,\n` between them, in pieces of whole rows. */
type RowSpool = Pick<Spool, "write" | "discard">;

export type ParseDeps = {
  readonly threads: Pick<GatewayThreads, "uploads">;
  /** Limit of a file, compressed or not; its rows may have several times that as JSON. */
  readonly maxUploadBytes: number;
};

/**
 * Reads `file` in a thread, a second time where its whole says how it is to be read, and discards it. Rows are
 * spooled, since only the end of the file decides whether the answer is a success.
 * @param openRows where the rows go; they are discarded when it fails
 * @throws Refusal UNSUPPORTED_FORMAT, FILE_TOO_LARGE, PARSE_ERROR when parsing makes no progress;
 * the signal's reason
 */
export async function parseUpload<R extends RowSpool>(
  deps: ParseDeps,
  file: Pick<Spool, "read" | "discard">,
  options: UploadOptions,
  asker: Asker,
  openRows: () => R,
): Promise<ReadUpload & { readonly rows: R }> {
  const readOnce = async (reading: UploadOptions) => {
    const rows = openRows();
    return { ...(await readInto(deps, rows, file.read({ stays: true }), reading, asker)), rows };
  };
  try {
    const first = await readOnce(options);
    if (first.again === undefined) return first;
    await first.rows.discard();
    return { ...(await readOnce({ ...options, ...first.again })), again: first.again };
  } finally {
    await file.discard();
  }
}

async function readInto(
  { threads, maxUploadBytes }: ParseDeps,
  rows: RowSpool,
  input: AsyncIterable<Uint8Array>,
  options: UploadOptions,
  asker: Asker,
): Promise<ReadUpload> {
  const task = { ...options, maxAnswerBytes: MAX_ANSWER_TIMES * maxUploadBytes };
  const parsed = threads.uploads.stream("parseUpload", task, asker, { input });
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
