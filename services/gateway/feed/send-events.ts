import type { AnswerPieces } from "../http/answer-body.ts";
import type { FeedStream } from "./feed-stream.ts";
import type { FollowedPiece } from "./follow-changes.ts";

/** Milliseconds after which a client connects again. */
const RETRY_MS = 3_000;
const HEARTBEAT = ": nothing new\n\n";

/** Silence after which proxies begin to take a connection for dead is a minute and more. */
export const EVENTS_BEAT_MS = 15_000;

/**
 * Followed changes as server-sent events. A client that has had none yet knows by the first id where to
 * go on.
 */
export async function* sendEvents(
  followed: AsyncGenerator<FollowedPiece>,
  stream: FeedStream,
  id: string,
): AnswerPieces {
  try {
    yield `retry: ${RETRY_MS}\nid: ${id}\n\n`;
    for await (const piece of followed) {
      stream.handOver();
      yield piece === "beat" ? HEARTBEAT : piece;
      stream.taken();
    }
  } finally {
    stream.close();
  }
}
