import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { type AnswerForm, answerPieces, changedEvents } from "./answer-text.ts";
import type { Fault } from "./fault.ts";
import type { ServedEvent } from "./served-catalogue.ts";

export type SendOptions = AnswerForm & {
  readonly gzip: boolean;
  /** Whatever the format; by default the usual one. */
  readonly contentType?: string;
  /** The answer has a Content-Length; otherwise it comes in chunks. */
  readonly contentLength?: boolean;
};

const TEXT = "text/plain; charset=utf-8";
const CONTENT_TYPES = {
  xml: "application/xml",
  text: TEXT,
  isf: TEXT,
  geojson: "application/json; charset=utf-8",
};
const PAGE = "<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>\n";
/** Pieces that a dripping answer comes in. */
const DRIPS = 4;

type ErrorOptions = {
  readonly retryAfter?: string;
  readonly location?: string;
  /** With the blank lines of the standard, which GeoNet leaves out. */
  readonly spaced?: boolean;
};

/** An error in the text form of FDSN; 204 and 404 are empty. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  { retryAfter, location, spaced = false }: ErrorOptions = {},
): void {
  const headers = {
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    ...(location !== undefined && { location }),
  };
  if (status === 204 || status === 404) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, "content-type": "text/plain" });
  const blocks = [
    `Error ${status}: ${message}`,
    message,
    "Usage details are available from /fdsnws/event/1",
    "Service version:\n1.1",
  ];
  response.end(`${blocks.join(spaced ? "\n\n" : "\n")}\n`);
}

/** Streams the events, or what the fault makes of them; memory does not grow with their number. */
export async function sendEvents(
  response: ServerResponse,
  events: readonly ServedEvent[],
  options: SendOptions,
  fault: Fault | null,
): Promise<void> {
  if (fault?.kind === "page") {
    const { contentType = "text/html; charset=utf-8" } = fault;
    response.writeHead(200, { "content-type": contentType }).end(PAGE);
    return;
  }
  const served = fault?.kind === "changed" ? changedEvents(events) : events;
  const bytes = bytesOf(response, served, options, fault);
  const whole = options.contentLength === true && fault === null ? await buffer(bytes) : null;
  // Without chunks and without a length, closing the connection is the end of the answer.
  if (fault?.kind === "closed") response.removeHeader("transfer-encoding");
  response.writeHead(200, {
    "content-type": options.contentType ?? CONTENT_TYPES[options.format],
    ...(options.gzip && { "content-encoding": "gzip" }),
    ...(fault?.kind === "shortened" && { "content-length": "100000000" }),
    ...(whole !== null && { "content-length": whole.length }),
  });
  const pieces = Readable.from(whole === null ? bytes : [whole], { objectMode: false });
  try {
    if (options.gzip) await pipeline(pieces, createGzip(), response);
    else await pipeline(pieces, response);
  } catch (error) {
    // Its client may leave at any time, and a fault may cut it.
    if (!response.destroyed) throw error;
  }
}

async function* bytesOf(
  response: ServerResponse,
  events: readonly ServedEvent[],
  form: AnswerForm,
  fault: Fault | null,
): AsyncGenerator<Buffer> {
  for (const piece of answerPieces(events, form, fault)) {
    if (piece === "cut") {
      await drained(response);
      if (fault?.kind === "reset") response.socket?.resetAndDestroy();
      else response.destroy();
      return;
    }
    if (piece === "stall") await once(response, "close");
    else if (fault?.kind === "drip") yield* dripping(Buffer.from(piece), fault.everyMs ?? 1);
    else yield Buffer.from(piece);
  }
}

async function* dripping(bytes: Buffer, everyMs: number): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS));
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await delay(everyMs);
  }
}

/** What was written has left this process. */
async function drained(writable: Writable): Promise<void> {
  while (writable.writableLength > 0 && !writable.destroyed) await nextTurn();
}
