import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import type { CommonQueryMethods } from "slonik";
import {
  addPiece,
  beginUpload,
  dropUpload,
  finishUpload,
  type KeptUpload,
} from "#infra/stores/uploads.ts";
import { answerOver } from "../capacity/answer-scope.ts";

type Pool = Pick<CommonQueryMethods, "query" | "maybeOne" | "maybeOneFirst">;

/** A file on its way to the database. */
export type FileKeeper = {
  /** @throws Refusal once it is discarded */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /**
   * The upload can be used from now on; without this it is dropped by `discard`.
   * @param key of the request; null without one
   * @returns an earlier upload under that key, and whether it was of the same file; else null
   */
  readonly finish: (
    end: Omit<KeptUpload, "pieces">,
    key: string | null,
  ) => Promise<{ readonly id: string; readonly isSame: boolean } | null>;
  readonly discard: () => Promise<void>;
};

/** Files are stored in pieces of some such size, since large statements hold up others. */
const PIECE_BYTES = 1024 * 1024;
/** Fast: 1 MiB takes milliseconds. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const compressed = promisify(zstdCompress);

/** Keeps a file for its owner, each piece by a statement of its own. */
export async function keepFile(pool: Pool, id: string, owner: string): Promise<FileKeeper> {
  await beginUpload(pool, id, owner);
  const hash = createHash("sha256");
  let waiting: Uint8Array[] = [];
  let length = 0;
  let pieces = 0;
  let isFinished = false;
  let isDropped = false;
  /** The statement that runs. */
  let running: Promise<unknown> = Promise.resolve();

  async function flush(): Promise<void> {
    if (isDropped) throw answerOver();
    if (length === 0) return;
    const content = await compressed(Buffer.concat(waiting), FAST);
    if (isDropped) throw answerOver();
    waiting = [];
    length = 0;
    running = addPiece(pool, id, pieces, content);
    await running;
    pieces += 1;
  }

  return {
    async write(bytes) {
      hash.update(bytes);
      waiting.push(bytes);
      length += bytes.length;
      if (length >= PIECE_BYTES) await flush();
    },
    async finish(end, key) {
      await flush();
      const read = JSON.stringify([end.extension, end.delimiter, end.dateOrder, end.encoding]);
      const upload = { ...end, pieces };
      const uploadKey = key === null ? null : { key, hash: hash.update(read).digest() };
      const finishing = finishUpload(pool, id, upload, uploadKey);
      running = finishing;
      const earlier = await finishing;
      isFinished = earlier === null;
      return earlier;
    },
    async discard() {
      isDropped = true;
      // A piece that comes after its upload was dropped would be a fault.
      await running.catch(() => {});
      if (!isFinished) await dropUpload(pool, id);
    },
  };
}
