import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
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
/** 3 s: a server takes a connection within milliseconds, and a request may need several in turn. */
const NEWCOMER_TICKS = 6;

/** Probes the database once a second on its own connection, until closed. */
export function watchDatabase(url: string, log: Log): DatabaseWatch {
  const sockets = new Set<WatchedSocket>();
  const closing = new AbortController();
  const { signal } = closing;
  /** Ticks since the current probe was sent, and its socket; null between probes. */
  let waited = 0;
  let asking: Socket | null = null;

  /** Ticks that sockets have waited for the server's first word. */
  const awaited = new Map<WatchedSocket, number>();
  /** Whether the server takes no new connections, while it may go on answering on old ones. */
  let isClosed = false;

  const isSilent = (): boolean => waited >= PATIENCE_TICKS;

  function openSocket(): Socket {
    const socket = new WatchedSocket(() => isClosed || isSilent());
    sockets.add(socket);
    awaited.set(socket, 0);
    socket.once("close", () => {
      sockets.delete(socket);
      awaited.delete(socket);
    });
    return socket;
  }

  /** With the postmaster frozen, connections are made by the system, and nobody speaks on them. */
  function watchNewcomers(): void {
    for (const [socket, ticks] of awaited) {
      if (socket.isAccepted) awaited.delete(socket);
      else if (ticks < NEWCOMER_TICKS) awaited.set(socket, ticks + 1);
      else closeDoor();
    }
  }

  function closeDoor(): void {
    if (isClosed) return;
    isClosed = true;
    log.warn({}, "the database takes no new connections");
    for (const socket of awaited.keys()) {
      if (!socket.isAccepted) socket.destroy(new DatabaseSilent());
    }
    void untilOpen();
  }

  async function untilOpen(): Promise<void> {
    while (!signal.aborted && isClosed) {
      if (await isTaken()) {
        isClosed = false;
        log.info({}, "the database takes new connections again");
      } else await sleep(ASK_EVERY_MS, signal);
    }
  }

  /** Whether a new connection gets an answer; a refusal is one. */
  async function isTaken(): Promise<boolean> {
    const socket = new Socket();
    const leave = (): unknown => socket.destroy();
    signal.addEventListener("abort", leave);
    const client = new Client({
      connectionString: connectionUrl(url, "watch of connections"),
      connectionTimeoutMillis: NEWCOMER_TICKS * TICK_MS,
      stream: () => socket,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return true;
    } catch (error) {
      return error instanceof DatabaseError || socket.bytesRead > 0;
    } finally {
      signal.removeEventListener("abort", leave);
      socket.destroy();
    }
  }

  function tick(): void {
    watchNewcomers();
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
