import { on } from "node:events";
import type { MessagePort } from "node:worker_threads";

/** What goes to a worker thread over a port: bytes piece by piece, then that they are complete. */
type Piece = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly end: true };

/** Pieces that the worker may have before its answers: it works while the next one is fetched. */
const MAX_UNANSWERED = 2;

/**
 * Sends `pieces` to a worker thread, which answers each with what it made of it, and their end with the
 * rest. Ends early when the worker has: its result tells why.
 */
export async function* exchangePieces<A>(
  port: MessagePort,
  pieces: AsyncIterable<Uint8Array>,
  result: Promise<unknown>,
): AsyncGenerator<A> {
  // A worker that fails closes its port; the fault is then thrown where the result is awaited.
  result.catch(() => port.close());
  const answers = on(port, "message", { close: ["close"] }) as AsyncIterator<[A]>;
  let unanswered = 0;
  const send = (piece: Piece, moved: ArrayBuffer[]): void => {
    port.postMessage(piece, moved);
    unanswered += 1;
  };
  for await (const piece of pieces) {
    // A piece may be a part of a larger buffer, all of which would be sent.
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

/** What a worker thread makes of pieces. What it throws ends the exchange, and is thrown on. */
export type PieceWork<A, R> = {
  readonly take: (bytes: Uint8Array) => A;
  /** Once all is there: the last answer, and what the whole came to. */
  readonly end: () => { readonly answer: A; readonly result: R };
  /** What of an answer is moved to the other thread instead of copied. */
  readonly moved?: (answer: A) => ArrayBuffer[];
};

/** The worker's end of the port: null when the other end was closed before all was there. */
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
