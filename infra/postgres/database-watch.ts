import { Socket, type SocketConnectOpts } from "node:net";
import { Client } from "pg";
import { sleep } from "./backoff.ts";
import { connectionUrl } from "./connection-url.ts";
import type { Log } from "./log.ts";

/** Makes the socket of a new connection to the database. */
export type OpenSocket = () => Socket;

/**
 * Whether the database answers at all. A server that is frozen, or behind a network that swallows
 * what is sent, lets every statement and every connection wait for minutes: no time-out of the
 * server's own ends them. Asking it tells silence from a statement that merely takes long.
 */
export type DatabaseWatch = {
  /**
   * Sockets made here are cut when the database has fallen silent, so that whatever waits for it
   * fails; further ones are refused until it answers again.
   */
  readonly openSocket: OpenSocket;
  readonly close: () => void;
};

const ASK_EVERY_MS = 1_000;
/**
 * Time is counted in ticks of a timer: when this process itself stood still, one tick has passed, and
 * the answer that came meanwhile is read before the next.
 */
const TICK_MS = 500;
/** 4 s: a request is then answered well within 10 s, the question a second before included. */
const PATIENCE_TICKS = 8;
/** After so many more a connection is tried anew: the old one may never be heard of again. */
const ATTEMPT_TICKS = 10;

/** pg and slonik know a lost connection by the first two words. */
class DatabaseSilent extends Error {
  override readonly name = "DatabaseSilent";

  constructor() {
    super("Connection terminated: the database does not answer");
  }
}

/** Asks the database once a second, on a connection of its own, until closed. */
export function watchDatabase(url: string, log: Log): DatabaseWatch {
  const sockets = new Set<WatchedSocket>();
  const closing = new AbortController();
  const { signal } = closing;
  /** Ticks that the present question has waited. */
  let waited = 0;
  /** Of the question that is being asked; null between two. */
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
      // A refusal is an answer: whoever connects meets it himself. Giving up on a question is none.
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
      // The connections that work depends on tell of their own faults.
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

class WatchedSocket extends Socket {
  readonly #isRefused: () => boolean;

  constructor(isRefused: () => boolean) {
    super();
    this.#isRefused = isRefused;
  }

  override connect(...args: unknown[]): this {
    if (!this.#isRefused()) return super.connect(...(args as [SocketConnectOpts]));
    setImmediate(() => this.destroy(new DatabaseSilent()));
    return this;
  }
}
