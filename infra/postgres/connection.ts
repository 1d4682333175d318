/**
 * How every connection to the database is made: to the primary, with the same settings, cut when
 * the database falls silent.
 */

import { addAbortListener } from "node:events";
import { Socket, type SocketConnectOpts } from "node:net";
import { workerData } from "node:worker_threads";
import { Client, type ClientConfig, DatabaseError, type Notification } from "pg";
import { hostsOf, urlOfHost, withSettings } from "../config/servers.ts";
import { sleep } from "../kernel/waiting.ts";
import type { ThreadStart } from "../threads/task.ts";
import { ENDS_WITH_CLIENT } from "./statements.ts";

export type ConnectionOptions = {
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  readonly log?: Log;
  /** Opens sockets that a database watch can cut; by default connections are not watched. */
  readonly openSocket?: OpenSocket | undefined;
};

/** A dedicated connection, for advisory locks and LISTEN, which last as long as their session. */
export type Session = {
  readonly client: Client;
  /** Aborts when the connection is lost, but not after `close`. */
  readonly lost: AbortSignal;
  onNotification(listener: (notification: Notification) => void): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Fails when the database cannot be reached within 5 s.
 * @param openSocket opens sockets that a database watch can cut
 */
export async function openSession(
  url: string,
  applicationName: string,
  openSocket?: OpenSocket,
  settings?: Readonly<Record<string, string>>,
): Promise<Session> {
  const lost = new AbortController();
  const client = new PrimaryClient({
    connectionString: connectionUrl(url, applicationName, settings),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(openSocket && { stream: openSocket }),
  });
  let closing = false;
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => {
    if (!closing) lost.abort(new Error("the database connection ended"));
  });
  await client.connect();
  const close = (): Promise<void> => {
    closing = true;
    return client.end();
  };
  return {
    client,
    lost: lost.signal,
    onNotification: (listener) => void client.on("notification", listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * A database that took no connection is not asked again for so long: tasks that wait behind each other in a thread
 * would else wait for it one after the other. They follow within milliseconds, and the database may be well soon.
 */
const NOT_AGAIN_MS = 250;
let silentMs = Number.NEGATIVE_INFINITY;

/**
 * A session of a worker thread with its own database watch, since threads share no connections.
 * @throws DatabaseSilent
 */
export async function openThreadSession(applicationName: string): Promise<Session> {
  const { databaseUrl: url }: ThreadStart = workerData;
  if (performance.now() - silentMs < NOT_AGAIN_MS) throw new DatabaseSilent();
  const watch = watchDatabase(url, SILENT);
  try {
    const session = await openSession(url, applicationName, watch.openSocket, ENDS_WITH_CLIENT);
    const close = () => session.close().finally(watch.close);
    return { ...session, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (error instanceof DatabaseSilent) silentMs = performance.now();
    watch.close();
    throw error;
  }
}

/** None of the servers takes changes: all are away, or standbys. */
export class NoPrimary extends Error {
  override readonly name = "NoPrimary";
}

export type ConnectionConfig = ClientConfig & { readonly connectionString: string };

const PROBE_TIMEOUT_MS = 3_000;

/** The driver's pool connects by callback. */
type Callback = (error: Error, client?: Client) => void;

type Report = { readonly parameterName: string; readonly parameterValue: string };

/**
 * A connection to that server of its address which takes changes, as `target_session_attrs=primary`
 * of PostgreSQL's own client. An address with one server is taken as it is.
 */
export class PrimaryClient extends Client {
  readonly #url: string;

  constructor(config: ConnectionConfig) {
    super({ ...config, connectionString: urlOfHost(config.connectionString, 0) });
    this.#url = config.connectionString;
  }

  override connect(): Promise<Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<Client> | undefined {
    const connecting = this.#connectToPrimary();
    if (callback === undefined) return connecting;
    connecting.then((client) => callback(null as never, client), callback);
    return undefined;
  }

  async #connectToPrimary(): Promise<Client> {
    const hosts = hostsOf(this.#url);
    if (hosts.length === 1) return super.connect();
    const { stream } = this.connection;
    const { host, port } = await findPrimary(this.#url).catch((error: unknown) => {
      // Nobody else closes a socket that was never connected.
      stream.destroy();
      throw error;
    });
    if (stream.destroyed) throw new NoPrimary("timeout expired while the primary was looked for");
    Object.assign(this, { host, port });
    const standby = watchStandby(this);
    await super.connect();
    // It was demoted meanwhile.
    if (standby()) {
      await this.end();
      throw new NoPrimary(`${host}:${port} is a standby`);
    }
    return this;
  }
}

/** Whether the server has said that it is a standby, which it does as it accepts a connection. */
function watchStandby(client: Client): () => boolean {
  let isStandby = false;
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: Report) => {
    if (parameterName === "in_hot_standby") isStandby = parameterValue === "on";
  });
  return () => isStandby;
}

/**
 * Asks all servers at once.
 * @throws NoPrimary
 */
async function findPrimary(url: string): Promise<{ host: string; port: number }> {
  const hosts = hostsOf(url);
  try {
    return await Promise.any(
      hosts.map(async (each, i) => {
        await requirePrimary(urlOfHost(url, i));
        return each;
      }),
    );
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const sentences = hosts.map(({ host, port }, i) => `${host}:${port}: ${textOf(reasons[i])}`);
    throw new NoPrimary(`no server takes changes (${sentences.join("; ")})`, { cause: error });
  }
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return textOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** @throws NoPrimary when the server is a standby; the driver's errors */
export async function requirePrimary(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on("error", () => undefined);
  const standby = watchStandby(client);
  await client.connect();
  await client.end();
  if (standby()) throw new NoPrimary("it is a standby, which takes no changes");
}

/** The system's default would leave a vanished host its advisory locks for two hours. */
const KEEPALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/**
 * `url` with the application's name (shown in pg_stat_activity) and the session settings of every
 * connection of the service: UTC, and dead peers detected within half a minute.
 * @param further additional settings
 */
export function connectionUrl(
  url: string,
  applicationName: string,
  further: Readonly<Record<string, string>> = {},
): string {
  const settings = Object.entries({ TimeZone: "UTC", ...KEEPALIVE, ...further });
  const options = settings.map(([name, value]) => `-c ${name}=${value}`);
  return withSettings(url, (parameters) => {
    const own = parameters.get("options");
    parameters.set("options", [...(own ? [own] : []), ...options].join(" "));
    parameters.set("application_name", applicationName);
  });
}

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
const ACCEPT_MS = 3_000;
/** 3 s: a server takes a connection within milliseconds, and a request may need several in turn. */
const ACCEPT_TICKS = 6;

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
        else if (ticks < ACCEPT_TICKS) awaited.set(socket, ticks + 1);
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
    connectionTimeoutMillis: ACCEPT_MS,
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

const ASK_EVERY_MS = 1_000;
/** 4 s, so that a request is answered well within 10 s, including the second between two probes. */
const ANSWER_TICKS = 8;
/** After this many more ticks the probe uses a new connection, since the old one may never answer. */
const ATTEMPT_TICKS = 10;

/** Tells whether the database answers: probes it once a second on a connection of its own, until `signal` aborts. */
function watchAnswers(url: string, log: Log, signal: AbortSignal) {
  /** Ticks since the current probe was sent, and its socket; null between probes. */
  let waited = 0;
  let asking: Socket | null = null;

  const isSilent = (): boolean => waited >= ANSWER_TICKS;

  async function ask(socket: Socket, question: () => Promise<unknown>): Promise<void> {
    asking = socket;
    try {
      await question();
      answered();
    } catch (error) {
      // A refusal counts as an answer; the end of an abandoned probe, and standbys alone, do not.
      const isAnswer = !(error instanceof NoPrimary) && (!socket.destroyed || !isSilent());
      if (isAnswer) answered();
      throw error;
    } finally {
      asking = null;
    }
  }

  function answered(): void {
    if (isSilent()) log.info({}, "the database answers again");
    waited = 0;
  }

  void keepConversing(url, signal, ask);
  return {
    isSilent,
    /** To be called twice a second. @returns whether the database has fallen silent by this tick */
    tick(): boolean {
      if (asking === null) return false;
      waited += 1;
      if (waited > ANSWER_TICKS && (waited - ANSWER_TICKS) % ATTEMPT_TICKS === 0) {
        asking.destroy();
      }
      return waited === ANSWER_TICKS;
    },
  };
}

type Ask = (socket: Socket, question: () => Promise<unknown>) => Promise<void>;

async function keepConversing(url: string, signal: AbortSignal, ask: Ask): Promise<void> {
  while (!signal.aborted) {
    await converse(url, signal, ask);
    await sleep(ASK_EVERY_MS, signal);
  }
}

/** Asks over one connection until it ends. */
async function converse(url: string, signal: AbortSignal, ask: Ask): Promise<void> {
  const socket = new Socket();
  const connectionString = connectionUrl(url, "watch");
  const client = new PrimaryClient({ connectionString, stream: () => socket });
  client.on("error", () => undefined);
  using _leave = addAbortListener(signal, () => socket.destroy());
  try {
    await ask(socket, () => client.connect());
    while (!signal.aborted) {
      await sleep(ASK_EVERY_MS, signal);
      await ask(socket, () => client.query("select 1"));
    }
  } catch {
    // Errors are ignored: connections in use report their own.
  } finally {
    socket.destroy();
  }
}

/** pg and slonik recognise a lost connection by the message's first two words. */
export class DatabaseSilent extends Error {
  override readonly name = "DatabaseSilent";

  constructor() {
    super("Connection terminated: the database does not answer");
  }
}

class WatchedSocket extends Socket {
  readonly #isRefused: () => boolean;

  constructor(isRefused: () => boolean) {
    super();
    this.#isRefused = isRefused;
  }

  /** Whether the server has said anything on it. */
  get isAccepted(): boolean {
    return this.bytesRead > 0;
  }

  override connect(...args: unknown[]): this {
    if (!this.#isRefused()) return super.connect(...(args as [SocketConnectOpts]));
    setImmediate(() => this.destroy(new DatabaseSilent()));
    return this;
  }
}

/** The part of a logger that database adapters use: a constant message plus fields. pino satisfies it. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export const SILENT: Log = { info: () => {}, warn: () => {} };
