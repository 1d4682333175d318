import { Readable } from "node:stream";
import contentDisposition from "content-disposition";
import type { ExportRow } from "#infra/formats/export-row.ts";
import type { FormatWriter } from "#infra/formats/format-writer.ts";

/** Bytes that wait for a slow client; the batches behind them stay in the database. */
const WAITING_BYTES = 256 * 1024;
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
      let text = "";
      for (const row of batch.value) text += writer.row(row);
      if (text !== "") yield Buffer.from(text);
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
