import { connect, type Socket } from "node:net";

export type RawAnswer = {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
};

/**
 * One connection that is kept, and opened again where the service has closed it meanwhile: asks one thing
 * at a time.
 */
export type HttpConnection = {
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
