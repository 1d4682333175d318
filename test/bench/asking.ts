import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { GetTask } from "./get-thread.ts";
import type { LoadFigures, LoadTask } from "./load-thread.ts";
import {
  beside,
  type Comparison,
  compare,
  medians,
  ofRates,
  p99,
  type Result,
  type Round,
} from "./measure.ts";

type RawAnswer = {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
};

/**
 * One connection that is kept, and opened again where the service has closed it meanwhile: asks one thing
 * at a time.
 */
type HttpConnection = {
  readonly ask: (
    method: "GET" | "POST",
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) => Promise<RawAnswer>;
  readonly close: () => void;
};

/** `length` is null where the answer comes in chunks. */
type Head = Omit<RawAnswer, "body"> & { readonly end: number; readonly length: number | null };

const BLANK_LINE = "\r\n\r\n";
const STATUS = /^HTTP\/1\.1 (\d{3}) /;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
/** No answer that is measured holds it. */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/**
 * As much of HTTP/1.1 as the service's answers need. Node's own client takes 0.2 to 0.3 ms longer for each
 * of them (measured), which would be told as the service's.
 */
export function openHttpConnection(url: string): HttpConnection {
  const { host, hostname, port } = new URL(url);
  let pieces: Buffer[] = [];
  let received = 0;
  let head: Head | null = null;
  let asked: PromiseWithResolvers<RawAnswer> | null = null;
  let socket = open();

  function fail(error: Error): void {
    asked?.reject(error);
    asked = null;
  }

  function take(bytes: Buffer): void {
    pieces.push(bytes);
    received += bytes.length;
    head ??= headOf(Buffer.concat(pieces));
    if (head === null) return;
    const { status, header, end, length } = head;
    if (length === null ? !endsChunks(pieces) : received < end + length) return;
    const rest = Buffer.concat(pieces).subarray(end);
    const body = length === null ? withoutChunks(rest) : rest;
    const answered = asked;
    [pieces, received, head, asked] = [[], 0, null, null];
    answered?.resolve({ status, header, body });
  }

  function open(): Socket {
    [pieces, received, head] = [[], 0, null];
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    const lost = (error: Error): void => {
      if (opened === socket) fail(error);
    };
    opened.on("data", take).on("error", lost);
    opened.on("close", () => lost(new Error("the connection was closed before the answer")));
    return opened;
  }

  return {
    ask(method, path, headers, body = "") {
      if (asked !== null) throw new Error("the answer before has not come yet");
      if (socket.destroyed) socket = open();
      asked = Promise.withResolvers();
      const lines = Object.entries({ ...headers, host, "content-length": Buffer.byteLength(body) });
      const text = lines.map(([name, value]) => `${name}: ${value}`).join("\r\n");
      socket.write(`${method} ${path} HTTP/1.1\r\n${text}${BLANK_LINE}${body}`);
      return asked.promise;
    },
    close: () => socket.destroy(),
  };
}

/** Null while it has not come whole. @throws Error for an answer whose end cannot be known */
function headOf(bytes: Buffer): Head | null {
  const end = bytes.indexOf(BLANK_LINE);
  if (end === -1) return null;
  const text = bytes.toString("latin1", 0, end);
  const header = (name: string): string | undefined =>
    new RegExp(`\r\n${name}: *(.*)`, "i").exec(text)?.[1];
  const [, status] = STATUS.exec(text) ?? [];
  const [, length] = LENGTH.exec(text) ?? [];
  if (status === undefined || (length === undefined && !CHUNKED.test(text))) {
    throw new Error(`an answer of no known length: ${text}`);
  }
  const known = length === undefined ? null : Number(length);
  return { status: Number(status), header, end: end + BLANK_LINE.length, length: known };
}

function endsChunks(pieces: Buffer[]): boolean {
  const last = Buffer.concat(pieces.slice(-LAST_CHUNK.length));
  return last.toString("latin1", last.length - LAST_CHUNK.length) === LAST_CHUNK;
}

function withoutChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = bytes.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(bytes.toString("latin1", at, start), 16);
    chunks.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
  return Buffer.concat(chunks);
}

/** Posts forms over so many connections, which are kept. */
export type Posting = {
  /** The status of the answer. */
  readonly post: (path: string, form: object) => Promise<number>;
  readonly close: () => void;
};

export function openPosting(url: string, connections: number): Posting {
  const all = Array.from({ length: connections }, () => openHttpConnection(url));
  const free = [...all];
  return {
    async post(path, form) {
      const connection = free.pop();
      if (connection === undefined) throw new Error("more forms at once than connections");
      const headers = { "content-type": "application/json" };
      const { status } = await connection.ask("POST", path, headers, JSON.stringify(form));
      free.push(connection);
      return status;
    },
    close() {
      for (const { close } of all) close();
    },
  };
}

type Asked = { readonly body: Buffer; readonly milliseconds: number };

/** One connection to the service, kept from one question to the next. */
export type Asking = {
  /** The answer, and how long it took to its last byte. */
  readonly ask: (path: string) => Promise<Asked>;
  readonly close: () => void;
};

/**
 * A service that sheds requests, as it may on a busy machine, is asked again when it says: the time
 * is that of the answer alone.
 */
export function openAsking(url: string, token?: string): Asking {
  const connection = openHttpConnection(url);
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function ask(path: string): Promise<Asked> {
    const started = performance.now();
    const { status, header, body } = await connection.ask("GET", path, credentials);
    const milliseconds = performance.now() - started;
    if (status === 200) return { body, milliseconds };
    if (status !== 503) throw new Error(`${path} answered ${status}`);
    await setTimeout(1_000 * Number(header("retry-after") ?? 1));
    return ask(path);
  }

  return { ask, close: connection.close };
}

const LOAD_THREAD = new URL("./load-thread.ts", import.meta.url);

/**
 * Asks from a thread of its own over connections that are kept; every answer must be a 200 and is
 * read to its end.
 */
async function load(task: LoadTask): Promise<LoadFigures> {
  const worker = new Worker(LOAD_THREAD, { workerData: task });
  const [figures] = await once(worker, "message");
  return figures;
}

/** One side of a comparison: what is asked for, in turn, and by whom. */
export type Side = Pick<LoadTask, "url" | "paths" | "headers">;

/** Answers in a second of both sides in turn. @param sides what both are asked in a round */
export async function ratesOf(
  sides: () => readonly [ours: Side, theirs: Side],
  rounds: number,
  task: Pick<LoadTask, "clients" | "requests">,
): Promise<Comparison> {
  const rate = async (side: Side): Promise<number> => rateOf(await load({ ...side, ...task }));
  const measure = async (): Promise<Round> => {
    const [ours, theirs] = sides();
    return [await rate(ours), await rate(theirs)];
  };
  return ofRates(await compare(rounds, measure));
}

export function clientsOf(clients: number): string {
  return clients === 1 ? "one client" : `${clients} clients`;
}

export async function textOf({ url, paths, headers }: Side, i: number): Promise<string> {
  return (await fetch(new URL(paths[i] ?? "", url), { headers })).text();
}

function rateOf({ latenciesMs, elapsedMs }: LoadFigures): number {
  return (1_000 * latenciesMs.length) / elapsedMs;
}

const GET_THREAD = new URL("./get-thread.ts", import.meta.url);
/** Below them the hundredth is one unlucky answer. */
const LEAST_GETS = 100;
const SMALL_GET_TARGET = 6;

/**
 * The 99th percentile of GETs of `url`, one after another, idle and then while `work` runs.
 * @param idleGets how many of them are asked before it runs
 */
export async function smallGetsWhile(
  activity: string,
  size: string,
  url: string,
  idleGets: number,
  work: () => Promise<unknown>,
): Promise<Result> {
  const asking: GetTask = { url, first: idleGets };
  const thread = new Worker(GET_THREAD, { workerData: asking });
  const idle = await answersOf(thread);
  await work().finally(() => thread.postMessage("enough"));
  const busy = await answersOf(thread);
  if (busy.length < LEAST_GETS) throw new Error(`only ${busy.length} answers while ${activity}`);
  return beside(
    [`small GET while ${activity}, p99`, size, "ms"],
    ["idle", SMALL_GET_TARGET],
    medians([p99(busy)], [p99(idle)]),
  );
}

async function answersOf(thread: Worker): Promise<number[]> {
  const [milliseconds] = await once(thread, "message");
  return milliseconds;
}
