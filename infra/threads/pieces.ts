import { on } from "node:events";
import type { MessagePort } from "node:worker_threads";

/** Messages to a worker thread over a port: bytes in pieces, then their end. */
type Piece = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly end: true };

/** Most pieces sent ahead of the answers: the worker processes one while the next is fetched. */
const MAX_UNANSWERED = 2;

/**
 * Sends `pieces` to a worker thread, which answers each with its result, and their end with the
 * rest. Returns early when the worker ends; its result has the reason.
 */
export async function* exchangePieces<A>(
  port: MessagePort,
  pieces: AsyncIterable<Uint8Array>,
  result: Promise<unknown>,
): AsyncGenerator<A> {
  // A worker that fails closes its port; the error is then thrown where the result is awaited.
  result.catch(() => port.close());
  const answers = on(port, "message", { close: ["close"] }) as AsyncIterator<[A]>;
  let unanswered = 0;
  const send = (piece: Piece, moved: ArrayBuffer[]): void => {
    port.postMessage(piece, moved);
    unanswered += 1;
  };
  for await (const piece of pieces) {
    // A copy, since a piece may be part of a larger buffer, which would be sent whole.
    const bytes = new Uint8Array(piece);
    send({ bytes }, [bytes.buffer]);
    if (unanswered < MAX_UNANSWERED) continue;
    const answer = await answers.next();
    if (answer.done) return;
    unanswered -= 1;
    yield answer.value[0];
  }
  send({ end: true }, []);
  for (; unanswered > 0; unanswered -= 1) {
    const answer = await answers.next();
    if (answer.done) return;
    yield answer.value[0];
  }
}

/** A worker thread's processing of pieces. An error in it ends the exchange and is passed on. */
export type PieceWork<A, R> = {
  readonly take: (bytes: Uint8Array) => A;
  /** Called after the last piece: the last answer, and the overall result. */
  readonly end: () => { readonly answer: A; readonly result: R };
  /** The buffers of an answer to transfer to the other thread instead of copying. */
  readonly moved?: (answer: A) => ArrayBuffer[];
};

/** The worker's end of the port; null when the other end was closed before the last piece. */
export function answerPieces<A, R>(port: MessagePort, work: PieceWork<A, R>): Promise<R | null> {
  const post = (answer: A): void => port.postMessage(answer, work.moved?.(answer));
  return new Promise((resolve, reject) => {
    port.on("close", () => resolve(null));
    port.on("message", (piece: Piece) => {
      try {
        if ("bytes" in piece) return post(work.take(piece.bytes));
        const { answer, result } = work.end();
        post(answer);
        resolve(result);
      } catch (error) {
        reject(error);
      }
      port.close();
    });
  });
}
