/** How answers and errors are sent, errors of the event service in its own form. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import parseRange from "range-parser";
import { ERRORS, type ErrorCode, Refusal } from "#contracts/errors.ts";
import { wantsJsonErrors } from "#contracts/fdsn/query.ts";
import type { Operation } from "#contracts/http/operation.ts";
import type { Config } from "#infra/config/config.ts";
import { errorJson, errorText, withSignIn } from "#infra/formats/facade/fdsn-documents.ts";
import { QueueFull } from "#infra/kernel/fair-queue.ts";
import { errorAnswer, fullQueue, isNoFault, Overloaded, retryAfterSeconds } from "../errors.ts";
import {
  type AnswerPieces,
  type AnyAnswer,
  answerStream,
  type FileAnswer,
  writeBody,
} from "../handler.ts";
import { matchesWeakly, parseEntityTags } from "../headers.ts";
import type { AnswerPlace } from "../turns.ts";
import { API_VERSION, addVary, NO_STORE } from "./headers.ts";
import type { KeptAnswer } from "./kept.ts";

/** Larger JSON is streamed at the client's pace. */
const WHOLE_BYTES = 256 * 1024;

const NO_CONTENT = 204;

/** For HEAD: Fastify says that nothing has a length of 0, while a stream has none that is known. */
const NOTHING_OF_IT = () => Readable.from([]);

/** Sends a handler's answer; only the head for HEAD, and when the client has the answer already. */
export async function sendAnswer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: AnyAnswer | KeptAnswer,
  place: AnswerPlace,
): Promise<FastifyReply> {
  const { isPublic = false, isVersioned = false } = answer;
  const { vary, ...own } = answer.headers ?? {};
  const headers = "file" in answer ? { ...own, etag: `"${answer.file.sha256}"` } : own;
  reply.headers(headers);
  if ("cookies" in answer && answer.cookies) reply.header("set-cookie", answer.cookies);
  if (vary !== undefined) addVary(reply, [vary]);
  reply.isPublic = isPublic;
  reply.isVersioned = isVersioned;
  const tag = headers["etag"];
  const known = parseEntityTags(request.headers["if-none-match"]);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (tag !== undefined && known !== null && isRead && matchesWeakly(known, tag)) {
    return reply.code(304).send();
  }
  if ("bytes" in answer) {
    // Its bytes are in memory until the client has them, also when they are kept no longer.
    if (answer.bytes.length > WHOLE_BYTES) await place.turn("others", answer.bytes.length);
    if (answer.coding !== null) reply.header("content-encoding", answer.coding);
    return reply.type(answer.contentType).send(answer.bytes);
  }
  if ("file" in answer) return sendFile(request, reply, answer);
  const { status = operation.status } = answer;
  reply.code(status);
  if (status === NO_CONTENT) return reply.send();
  if ("text" in answer) {
    return reply.type(answer.contentType).send(Buffer.from(answer.text));
  }
  if ("open" in answer) {
    reply.type(answer.contentType);
    if (answer.isEndless) place.holds(0);
    if (request.method === "HEAD") return reply.send(NOTHING_OF_IT());
    return reply.send(await answerStream(answer.open(), request.scope));
  }
  reply.type("application/json; charset=utf-8");
  const pieces = writeBody(answer.body);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  place.holds(bytes);
  if (bytes <= WHOLE_BYTES) return reply.send(Buffer.concat(pieces, bytes));
  reply.header("content-length", bytes);
  if (request.method === "HEAD") return reply.send(NOTHING_OF_IT());
  return reply.send(await answerStream(passOn(pieces, bytes, place), request.scope));
}

/** What the parser answers instead of ranges. */
const [UNSATISFIABLE, MALFORMED] = [-1, -2] as const;

/**
 * Sends a file, or the one range of it that is asked for; several ranges are answered by the whole, as RFC 9110 allows.
 * @throws Refusal RANGE_NOT_SATISFIABLE
 */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, file: { bytes, open } }: FileAnswer,
): Promise<FastifyReply> {
  const { range: wanted, "if-range": validator } = request.headers;
  const isAsked = wanted !== undefined && request.method === "GET";
  const isSame = validator === undefined || validator === reply.getHeader("etag");
  const ranges = isAsked && isSame ? parseRange(bytes, wanted) : MALFORMED;
  if (ranges === UNSATISFIABLE) {
    reply.removeHeader("etag").header("content-range", `bytes */${bytes}`);
    throw new Refusal("RANGE_NOT_SATISFIABLE");
  }
  const [range, ...more] = ranges !== MALFORMED && ranges.type === "bytes" ? ranges : [];
  const isPart = range !== undefined && more.length === 0;
  const { start, end } = isPart ? range : { start: 0, end: bytes - 1 };
  if (isPart) reply.code(206).header("content-range", `bytes ${start}-${end}/${bytes}`);
  reply
    .type(contentType)
    .header("accept-ranges", "bytes")
    .header("content-length", end - start + 1);
  if (request.method === "HEAD") return reply.send(NOTHING_OF_IT());
  return reply.send(await answerStream(open(start, end), request.scope));
}

/** Pieces are dropped when passed on, which makes room for other answers. */
async function* passOn(pieces: Buffer[], bytes: number, place: AnswerPlace): AnswerPieces {
  let left = bytes;
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    for (let at = 0; at < piece.length; at += WHOLE_BYTES) {
      yield piece.subarray(at, at + WHOLE_BYTES);
    }
    left -= piece.length;
    place.holds(left);
  }
}

/**
 * An answer with members that its schema lacks would leak or mislead, so it must equal its parsed
 * form.
 */
export function checkAnswer(
  { id, answer: schema, accepted, failure }: Operation,
  answer: AnyAnswer,
): void {
  if ("contentType" in answer) return;
  const other = [accepted, failure].find((each) => each && each.status === answer.status);
  const asSent: unknown = JSON.parse(Buffer.concat(writeBody(answer.body)).toString());
  if (!isDeepStrictEqual((other?.schema ?? schema).parse(asSent), asSent)) {
    throw new Error(`the answer of ${id} is not as its schema says: ${JSON.stringify(asSent)}`);
  }
}

/** The values of `WWW-Authenticate` for a request that is answered with 401. */
export type Challenges = (request: FastifyRequest) => string | string[];

/** Answers every error (`contracts/docs/http.md`, Errors) and logs the service's own. */
export function registerErrors(
  app: FastifyInstance,
  { publicBaseUrl }: Pick<Config, "publicBaseUrl">,
  challenges: Challenges,
): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = thrown instanceof QueueFull ? fullQueue(thrown) : thrown;
    const { status, body } = errorAnswer(error);
    // Shed requests are not faults, and a line with a stack for each would add to the load.
    if (!isNoFault(error) && !(error instanceof Overloaded)) {
      request.log.error({ err: error }, "request failed");
    }
    const retryAfter = retryAfterSeconds(error, status);
    if (retryAfter !== null) reply.header("retry-after", retryAfter);
    if (status === 401) reply.header("www-authenticate", challenges(request));
    // Somebody follows a link with a browser.
    const isPerson = request.headers.accept?.includes("text/html") === true;
    const signIn = status === 401 && isPerson ? `${publicBaseUrl}/login` : undefined;
    if (isForEventService(request)) {
      const detail = status === 401 && signIn === undefined ? forClients(body.error) : body.error;
      return sendFdsnError(request, reply, { status, detail, signIn, publicBaseUrl });
    }
    const text = signIn === undefined ? body.error : withSignIn(body.error, signIn);
    return reply.code(status).send({ ...body, error: text });
  });
  app.setNotFoundHandler(async (request) => {
    if (hasWrongMethod(request)) throw new Refusal("METHOD_NOT_ALLOWED");
    throw new Refusal("NOT_FOUND", "There is no such endpoint");
  });
}

/** Clients of the event service are told what they can sign in with. */
function forClients(error: string): string {
  const isPlain = error === ERRORS.UNAUTHENTICATED.text;
  return isPlain ? `${error}: an access token's id and secret, or a share's address` : error;
}

/** No hook runs for an unroutable path, so its answer gets format, headers and log line here. */
export function answerUnroutable(
  { publicBaseUrl }: Pick<Config, "publicBaseUrl">,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, body } = errorAnswer(error);
  const { method } = request;
  request.log.info({ method, route: null, status, userId: null }, "request answered");
  reply.code(status).headers({
    "x-request-id": request.id,
    "x-api-version": API_VERSION,
    "cache-control": NO_STORE,
  });
  if (!isForEventService(request)) reply.send(body);
  else sendFdsnError(request, reply, { status, detail: body.error, publicBaseUrl });
}

type Unreadable = { readonly status: number; readonly error: string; readonly code: ErrorCode };

const NOT_HTTP: Unreadable = {
  status: 400,
  error: "The request is not valid HTTP",
  code: "VALIDATION_ERROR",
};

/** By Node's error codes; any other unreadable input is not HTTP. */
const UNREADABLE: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    error: "The headers are too large",
    code: "VALIDATION_ERROR",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: ERRORS.REQUEST_TIMEOUT.status,
    error: ERRORS.REQUEST_TIMEOUT.text,
    code: "REQUEST_TIMEOUT",
  },
};

const LINGER_MS = 5_000;

/** Input that Node cannot parse has no request object, so the answer is written to the socket. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...answer } = UNREADABLE[error.code ?? ""] ?? NOT_HTTP;
  const body = JSON.stringify(answer);
  // Node keeps the socket open as long as the client does; the client gets some time to read the
  // answer.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `x-api-version: ${API_VERSION}`,
      `cache-control: ${NO_STORE}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

const METHOD_PATH =
  /\/fdsnws\/event\/1\/(?:query(?:\.\w+)?|count|catalogs|contributors|version|application\.(?:wadl|json))$/;
const QUERYAUTH_PATH = /\/fdsnws\/event\/1\/queryauth$/;

/** Whether the event service has the path of a request, but not for its method; `queryauth` it has for none. */
function hasWrongMethod({ method, url }: Pick<FastifyRequest, "method" | "url">): boolean {
  const [path] = pathAndQuery(url);
  const isRead = method === "GET" || method === "HEAD";
  return QUERYAUTH_PATH.test(path) || (!isRead && METHOD_PATH.test(path));
}

type FdsnError = {
  readonly status: number;
  readonly detail: string;
  /** Where people sign in, for those who came with a browser. */
  readonly signIn?: string | undefined;
  readonly publicBaseUrl: string;
};

/** Answers an error of the event service as its standard says, or as ComCat's JSON where that is asked. */
function sendFdsnError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, detail, signIn, publicBaseUrl }: FdsnError,
): FastifyReply {
  const [path, query] = pathAndQuery(request.url);
  const error = {
    status,
    detail,
    signIn,
    usage: `${publicBaseUrl}/api/docs`,
    request: publicBaseUrl + request.url,
    submitted: new Date().toISOString(),
  };
  if (status === 405) {
    reply.header("allow", QUERYAUTH_PATH.test(path) ? "OPTIONS" : "GET, HEAD, OPTIONS");
  }
  if (wantsJsonErrors(query, path.split(".").at(1))) {
    // Clients sign in where the status asks for it.
    return reply
      .code(status === 401 ? 401 : 200)
      .type("application/json; charset=utf-8")
      .send(errorJson(error));
  }
  return reply.code(status).type("text/plain; charset=utf-8").send(errorText(error));
}

const BELOW_SERVICE = /\/fdsnws\//;

/** Whether a request is for the event service, also where it has no such path. */
export function isForEventService({ url }: Pick<FastifyRequest, "url">): boolean {
  return BELOW_SERVICE.test(plainPath(url));
}

/**
 * The path that an address means: decoded, with single slashes. One that cannot be decoded stays as it
 * is, and has no page or operation.
 */
export function plainPath(url: string): string {
  const [path] = pathAndQuery(url);
  try {
    return decodeURIComponent(path).replaceAll(/\/{2,}/g, "/");
  } catch {
    return path.replaceAll(/\/{2,}/g, "/");
  }
}

/** The address of a request for the event service, in which clients double slashes; any other as it is. */
export function withSingleSlashes(url: string): string {
  const [path, query] = pathAndQuery(url);
  const single = path.replaceAll(/\/{2,}/g, "/");
  if (!BELOW_SERVICE.test(single)) return url;
  return url.includes("?") ? `${single}?${query}` : single;
}

function pathAndQuery(url: string): [path: string, query: string] {
  const [path = "", ...query] = url.split("?");
  return [path, query.join("?")];
}
