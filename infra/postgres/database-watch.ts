import { addAbortListener } from "node:events";
import { Socket } from "node:net";
import { DatabaseError } from "pg";
import { sleep } from "../kernel/backoff.ts";
import type { Log } from "../kernel/log.ts";
import { watchAnswers } from "./answer-watch.ts";
import { connectionUrl } from "./connection-url.ts";
import { PrimaryClient } from "./primary-client.ts";
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

const TRY_EVERY_MS = 1_000;
const PATIENCE_MS = 3_000;
/** 3 s: a server takes a connection within milliseconds, and a request may need several in turn. */
const PATIENCE_TICKS = 6;

/**
 * Tells whether the database takes new connections; it may go on answering on old ones. With the postmaster
 * frozen, connections are made by the system, and nobody speaks on them.
 */
function watchNewcomers(url: string, log: Log, signal: AbortSignal) {
  /** Ticks that sockets have waited for the server's first word. */
  const awaited = new Map<WatchedSocket, number>();
  let isRefused = false;

  function refuse(): void {
    if (isRefused) return;
    isRefused = true;
    log.warn({}, "the database takes no new connections");
    for (const socket of awaited.keys()) {
      if (!socket.isAccepted) socket.destroy(new DatabaseSilent());
    }
    void untilTaken(url, signal).then(() => {
      if (signal.aborted) return;
      isRefused = false;
      log.info({}, "the database takes new connections again");
    });
  }

  return {
    isRefused: () => isRefused,
    /** Watches a socket until the server's first word. */
    add(socket: WatchedSocket): void {
      awaited.set(socket, 0);
      socket.once("close", () => awaited.delete(socket));
    },
    /** To be called twice a second. */
    tick(): void {
      for (const [socket, ticks] of awaited) {
        if (socket.isAccepted) awaited.delete(socket);
        else if (ticks < PATIENCE_TICKS) awaited.set(socket, ticks + 1);
        else refuse();
      }
    },
  };
}

async function untilTaken(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isTaken(url, signal))) await sleep(TRY_EVERY_MS, signal);
}

/** Whether a new connection gets an answer; a refusal is one. */
async function isTaken(url: string, signal: AbortSignal): Promise<boolean> {
  const socket = new Socket();
  using _leave = addAbortListener(signal, () => socket.destroy());
  const client = new PrimaryClient({
    connectionString: connectionUrl(url, "watch of connections"),
    connectionTimeoutMillis: PATIENCE_MS,
    stream: () => socket,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof DatabaseError || socket.bytesRead > 0;
  } finally {
    socket.destroy();
  }
}
