import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import contentDisposition from "content-disposition";
import type { ExportRow } from "#infra/formats/export-row.ts";
import type { FormatWriter } from "#infra/formats/format-writer.ts";

/** Bytes that wait for a slow client; the batches behind them stay in the database. */
const WAITING_BYTES = 256 * 1024;
/**
 * Two milliseconds of the slowest format; then other work gets its turn. From a server that is faster
 * than its reader libuv takes 32 pieces of 64 KB in one go.
 */
const ROWS_IN_A_TURN = 128;
const MAX_NAME_LENGTH = 100;
/** What no file system and no header takes. Control characters are to be matched here. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu;

type Batches = AsyncGenerator<readonly ExportRow[]>;

/**
 * The file as it is written: a piece for each batch of rows, not before the one before was taken.
 * The first batch is there when this returns, so that what fails at once is answered as an error.
 */
export async function exportFile(writer: FormatWriter, batches: Batches): Promise<Readable> {
  const first = await batches.next();
  return Readable.from(pieces(writer, first, batches), {
    objectMode: false,
    highWaterMark: WAITING_BYTES,
  });
}

async function* pieces(
  writer: FormatWriter,
  first: Awaited<ReturnType<Batches["next"]>>,
  batches: Batches,
): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(writer.begin());
    for (let batch = first; !batch.done; batch = await batches.next()) {
      for (let from = 0; from < batch.value.length; from += ROWS_IN_A_TURN) {
        let text = "";
        for (const row of batch.value.slice(from, from + ROWS_IN_A_TURN)) text += writer.row(row);
        if (text !== "") yield Buffer.from(text);
        await setImmediate();
      }
    }
    yield Buffer.from(writer.end());
  } finally {
    await batches.return(undefined);
  }
}

/** `Content-Disposition` for a file named after its catalogue: a name that is safe to save. */
export function attachment(name: string, version: number, extension: string): string {
  const safe = [...name.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()]
    .slice(0, MAX_NAME_LENGTH)
    .join("");
  // A leading dot would hide the file.
  const base = safe.replace(/^[.\s]+/, "").trim() || "catalogue";
  return contentDisposition(`${base} v${version}.${extension}`);
}
