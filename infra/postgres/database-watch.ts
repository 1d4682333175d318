import { Socket } from "node:net";
import { Client } from "pg";
import { sleep } from "../kernel/backoff.ts";
import type { Log } from "../kernel/log.ts";
import { connectionUrl } from "./connection-url.ts";
import { DatabaseSilent, WatchedSocket } from "./watched-socket.ts";

/** Creates the socket of a new database connection. */
export type OpenSocket = () => Socket;

/**
 * Detects a database that does not answer. With a frozen server, or a network that drops packets,
 * every statement and connection would hang for minutes, since the server's own time-outs cannot end
 * them. A probe tells such silence from a slow statement.
 */
export type DatabaseWatch = {
  /** Cut when the database falls silent, so that callers fail; refused until it answers. */
  readonly openSocket: OpenSocket;
  readonly close: () => void;
};

const ASK_EVERY_MS = 1_000;
/**
 * Time is counted in ticks of a timer: if this process itself was suspended, only one tick has
 * passed, and an answer that arrived meanwhile is read before the next.
 */
const TICK_MS = 500;
/** 4 s, so that a request is answered well within 10 s, including the second between two probes. */
const PATIENCE_TICKS = 8;
/** After this many more ticks the probe uses a new connection, since the old one may never answer. */
const ATTEMPT_TICKS = 10;

/** Probes the database once a second on its own connection, until closed. */
export function watchDatabase(url: string, log: Log): DatabaseWatch {
  const sockets = new Set<WatchedSocket>();
  const closing = new AbortController();
  const { signal } = closing;
  /** Ticks since the current probe was sent, and its socket; null between probes. */
  let waited = 0;
  let asking: Socket | null = null;

  const isSilent = (): boolean => waited >= PATIENCE_TICKS;

  function openSocket(): Socket {
    const socket = new WatchedSocket(isSilent);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  }

  function tick(): void {
    if (asking === null) return;
    waited += 1;
    if (waited === PATIENCE_TICKS) {
      log.warn({ connections: sockets.size }, "the database does not answer, connections are cut");
      for (const socket of sockets) socket.destroy(new DatabaseSilent());
    } else if (waited > PATIENCE_TICKS && (waited - PATIENCE_TICKS) % ATTEMPT_TICKS === 0) {
      asking.destroy();
    }
  }

  async function ask(socket: Socket, question: () => Promise<unknown>): Promise<void> {
    asking = socket;
    try {
      await question();
      answered();
    } catch (error) {
      // A refusal counts as an answer, the end of an abandoned probe does not.
      if (!socket.destroyed || !isSilent()) answered();
      throw error;
    } finally {
      asking = null;
    }
  }

  function answered(): void {
    if (isSilent()) log.info({}, "the database answers again");
    waited = 0;
  }

  async function converse(): Promise<void> {
    const socket = new Socket();
    const client = new Client({
      connectionString: connectionUrl(url, "watch"),
      stream: () => socket,
    });
    client.on("error", () => undefined);
    const leave = (): unknown => socket.destroy();
    signal.addEventListener("abort", leave);
    try {
      await ask(socket, () => client.connect());
      while (!signal.aborted) {
        await sleep(ASK_EVERY_MS, signal);
        await ask(socket, () => client.query("select 1"));
      }
    } catch {
      // Errors are ignored: connections in use report their own.
    } finally {
      signal.removeEventListener("abort", leave);
      socket.destroy();
    }
  }

  async function keepAsking(): Promise<void> {
    while (!signal.aborted) {
      await converse();
      await sleep(ASK_EVERY_MS, signal);
    }
  }

  const ticking = setInterval(tick, TICK_MS);
  void keepAsking();
  return {
    openSocket,
    close() {
      clearInterval(ticking);
      closing.abort();
    },
  };
}
