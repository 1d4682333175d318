import { Readable } from "node:stream";
import contentDisposition from "content-disposition";

/** Pieces that wait for a slow client; the rows behind them stay in the database. */
const WAITING_PIECES = 4;
const MAX_NAME_LENGTH = 100;
/** What no file system and no header takes. Control characters are to be matched here. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu;

/**
 * The pieces of a file as a stream, none fetched before those before it were taken. The first is there
 * when this returns, so that what fails at once is answered as an error.
 */
export async function exportFile(pieces: AsyncGenerator<string>): Promise<Readable> {
  const first = await pieces.next();
  return Readable.from(from(first, pieces), { highWaterMark: WAITING_PIECES });
}

async function* from(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) {
      if (piece.value !== "") yield piece.value;
    }
  } finally {
    await rest.return(undefined);
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
