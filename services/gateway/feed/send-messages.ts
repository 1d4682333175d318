import type { WebSocket } from "@fastify/websocket";
import type { FastifyBaseLogger } from "fastify";
import type { FeedStream, StreamEnd } from "./feed-stream.ts";
import type { FollowedPiece } from "./follow-changes.ts";

/** Clients of EMSC's feed wait up to 15 s between their own pings. */
export const SOCKET_BEAT_MS = 20_000;

/** RFC 6455 and IANA's registry of close codes: going away, policy violation, try again later. */
const CODES = { stopping: 1001, ended: 1008, slow: 1013, crowded: 1013 } as const satisfies Record<
  StreamEnd,
  number
>;
const INTERNAL_ERROR = 1011;

/** Sends followed changes, one message each, until they or the connection end. */
export async function sendMessages(
  followed: AsyncGenerator<FollowedPiece>,
  stream: FeedStream,
  socket: WebSocket,
  log: Pick<FastifyBaseLogger, "warn">,
): Promise<void> {
  try {
    for await (const piece of followed) {
      if (socket.readyState !== socket.OPEN) return;
      stream.handOver();
      await (piece === "beat" ? pinged(socket) : sent(socket, piece));
      stream.taken();
    }
    closeSocket(socket, stream.end() ?? "ended");
  } catch (error) {
    if (socket.readyState !== socket.OPEN) return;
    log.warn({ err: error }, "a stream of changes has failed");
    socket.close(INTERNAL_ERROR);
  } finally {
    stream.close();
  }
}

/** The connection is cut after half a minute if its client does not close it too. */
export function closeSocket(socket: WebSocket, end: StreamEnd): void {
  socket.close(CODES[end]);
}

/** Resolves once the system has taken the message. */
function sent(socket: WebSocket, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(message, { binary: false }, (error) => (error ? reject(error) : resolve()));
  });
}

function pinged(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.ping(undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}
