import type { Socket } from "node:net";
import type { Log } from "../kernel/log.ts";
import { watchAnswers } from "./answer-watch.ts";
import { watchNewcomers } from "./newcomer-watch.ts";
import { DatabaseSilent, WatchedSocket } from "./watched-socket.ts";

/** Creates the socket of a new database connection. */
export type OpenSocket = () => Socket;

/**
 * Time is counted in ticks of a timer: if this process itself was suspended, only one tick has
 * passed, and an answer that arrived meanwhile is read before the next.
 */
const TICK_MS = 500;

/**
 * Detects a database that does not answer, by a probe once a second on its own connection, until closed. With a
 * frozen server, or a network that drops packets, every statement and connection would hang for minutes, since
 * the server's own time-outs cannot end them. A probe tells such silence from a slow statement.
 */
export function watchDatabase(url: string, log: Log) {
  const sockets = new Set<WatchedSocket>();
  const closing = new AbortController();
  const answers = watchAnswers(url, log, closing.signal);
  const newcomers = watchNewcomers(url, log, closing.signal);

  function tick(): void {
    newcomers.tick();
    if (!answers.tick()) return;
    log.warn({ connections: sockets.size }, "the database does not answer, connections are cut");
    for (const socket of sockets) socket.destroy(new DatabaseSilent());
  }

  const ticking = setInterval(tick, TICK_MS);
  return {
    /** Cut when the database falls silent, so that callers fail; refused until it answers. */
    openSocket(): Socket {
      const socket = new WatchedSocket(() => newcomers.isRefused() || answers.isSilent());
      sockets.add(socket);
      newcomers.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
    close(): void {
      clearInterval(ticking);
      closing.abort();
    },
  };
}
