import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import type { CommonQueryMethods } from "slonik";
import type { UploadResult } from "#contracts/http/upload.ts";
import { addPiece, beginUpload, dropUpload, finishUpload } from "#infra/uploads/upload-store.ts";
import { firstRows } from "./first-rows.ts";
import type { RowSpool } from "./upload-parser.ts";

/** The rows of an upload on their way to the database. */
export type KeptRows = RowSpool & {
  /** The upload can be used from now on; without this it is dropped by `discard`. */
  readonly finish: (end: Pick<UploadResult, "headers" | "rowCount">) => Promise<void>;
  /** The first rows as they came. */
  readonly shown: () => Uint8Array;
};

/** Rows are stored in pieces of some such size, since large statements hold up others. */
const PIECE_BYTES = 1024 * 1024;
/** Fast: 1 MiB of rows takes milliseconds. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const compressed = promisify(zstdCompress);

/** Keeps rows for their owner, each piece by a statement of its own. */
export async function keepRows(
  pool: Pick<CommonQueryMethods, "query">,
  id: string,
  owner: string,
): Promise<KeptRows> {
  await beginUpload(pool, id, owner);
  const first = firstRows();
  let waiting: Uint8Array[] = [];
  let length = 0;
  let pieces = 0;
  let isFinished = false;

  async function flush(): Promise<void> {
    if (length === 0) return;
    const rows = Buffer.concat(waiting);
    waiting = [];
    length = 0;
    // Every row but the very first has a comma before it.
    const from = pieces === 0 ? 0 : 1;
    const list = Buffer.concat([Buffer.from("["), rows.subarray(from), Buffer.from("]")]);
    await addPiece(pool, id, pieces, await compressed(list, FAST));
    pieces += 1;
  }

  return {
    async write(rows) {
      first.add(rows);
      waiting.push(rows);
      length += rows.length;
      if (length >= PIECE_BYTES) await flush();
    },
    async finish({ headers, rowCount }) {
      await flush();
      await finishUpload(pool, id, { headers, rowCount, pieces });
      isFinished = true;
    },
    shown: first.rows,
    async discard() {
      if (!isFinished) await dropUpload(pool, id);
    },
  };
}
