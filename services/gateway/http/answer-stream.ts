import { Readable } from "node:stream";
import type { AnswerScope } from "../capacity/answer-scope.ts";

/** The pieces of an answer, made as its client reads them. */
export type AnswerPieces = AsyncGenerator<string | Uint8Array>;

/** Pieces that wait for a slow client; further ones are not made yet. */
const WAITING_PIECES = 4;

/**
 * Streams pieces, each made only after the previous ones were read. The generator is closed when the
 * answer is over, whether or not it ever started, which a stream that was never read does not do.
 * The first piece is made before this resolves, so that an early failure is answered as an error.
 */
export async function answerStream(pieces: AnswerPieces, scope: AnswerScope): Promise<Readable> {
  scope.own(() => pieces.return(undefined));
  const first = await pieces.next();
  return Readable.from(following(first, pieces), { highWaterMark: WAITING_PIECES });
}

async function* following(
  first: IteratorResult<string | Uint8Array>,
  rest: AnswerPieces,
): AsyncGenerator<string | Uint8Array> {
  for (let piece = first; !piece.done; piece = await rest.next()) {
    if (piece.value.length > 0) yield piece.value;
  }
}
