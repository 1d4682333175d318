import { Readable } from "node:stream";
import type { AnswerScope } from "../capacity/answer-scope.ts";

/** What an answer is made of, piece by piece as its client takes them. */
export type AnswerPieces = AsyncGenerator<string | Uint8Array>;

/** Pieces that wait for a slow client; what is behind them is not made yet. */
const WAITING_PIECES = 4;

/**
 * The pieces as a stream, none made before those before it were taken. They are given up when the answer
 * is over, whether it ever began or not: a stream that nobody has read does not do that for its
 * generator. The first is there when this returns, so that what fails at once is answered as an error.
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
