import { once } from "node:events";
import {
  type ClientRequest,
  get as getHttp,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { get as getHttps, Agent as HttpsAgent } from "node:https";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Logger } from "pino";
import { backoffMs, retryAfterMs, sleep } from "../../kernel/waiting.ts";
import { type AddressGuard, AddressRefused } from "./address-guard.ts";
import { AgencyError, AgencyTimeout, AgencyUnavailable, agencyText } from "./errors.ts";

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed, at the reader's pace. @throws AgencyUnavailable, AgencyTimeout */
  readonly body: AsyncIterable<Uint8Array>;
};

/** By what a server knows whether somebody has its present answer (RFC 9110, 8.8). */
export type Validators = { readonly etag: string | null; readonly lastModified: string | null };

export function validatorsOf(headers: IncomingHttpHeaders): Validators {
  return { etag: headers.etag ?? null, lastModified: headers["last-modified"] ?? null };
}

type ExchangeOptions = {
  /** Name of the server, for error messages. */
  readonly name: string;
  readonly userAgent: string;
  /** Longest silence; a whole answer may take 30 times as long. */
  readonly timeoutMs: number;
  /** Where connections may lead; null for anywhere. */
  readonly guard?: AddressGuard | null;
};

/** Longest whole answer, in time-outs: a server that sends one byte a second is never silent. */
const WHOLE_ANSWER = 30;
const SECOND = 1_000;

export type Exchange = ReturnType<typeof createExchange>;

/** HTTP to one agency over kept-alive connections. */
export function createExchange(options: ExchangeOptions) {
  const { name, userAgent, timeoutMs, guard = null } = options;
  const connections = createConnections(userAgent, guard);

  return {
    /**
     * Sends a GET and passes the answer to `take`. When it returns, the connection is idle or closed,
     * however much of the body was read. Without a guard redirects are not followed, with one those within the host.
     * @param known of an earlier answer: where that is the present one still, the answer is 304 without a body
     * @throws AgencyUnavailable, AgencyTimeout; AgencyError for an address that the guard refuses; errors of `take`,
     * the signal's reason
     */
    async get<T>(
      url: URL,
      outer: AbortSignal,
      take: (answer: HttpAnswer) => Promise<T>,
      known?: Validators,
    ): Promise<T> {
      const limits = startLimits(name, timeoutMs);
      const signal = AbortSignal.any([outer, ...limits.signals]);
      const fault = (error: unknown) => (signal.aborted ? signal.reason : broken(name, error));
      let response: IncomingMessage | null = null;
      try {
        outer.throwIfAborted();
        const send = (target: URL) => connections.send(target, conditionsOf(known), signal);
        response = await answerAt(url, guard !== null, send).catch((error) => {
          throw fault(error);
        });
        limits.touch();
        const { statusCode: status = 0, headers } = response;
        return await take({ status, headers, body: bodyOf(response, limits.touch, fault) });
      } finally {
        limits.stop();
        if (response?.complete === true) response.resume();
        else response?.destroy();
      }
    },
    /** Closes the idle connections. */
    close: connections.close,
  };
}

function conditionsOf(known: Validators | undefined): OutgoingHttpHeaders {
  const { etag = null, lastModified = null } = known ?? {};
  return {
    ...(etag !== null && { "if-none-match": etag }),
    ...(lastModified !== null && { "if-modified-since": lastModified }),
  };
}

/** The answer, by redirects within the host where they are followed. */
async function answerAt(
  url: URL,
  isFollowed: boolean,
  send: (url: URL) => ClientRequest,
): Promise<IncomingMessage> {
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await answerOf(() => send(target));
    const next = isFollowed ? redirectWithin(target, response) : null;
    if (next === null || redirects === MOST_REDIRECTS) return response;
    response.destroy();
    target = next;
  }
}

async function answerOf(send: () => ClientRequest): Promise<IncomingMessage> {
  const request = send();
  try {
    const [response] = await once(request, "response");
    // A break in the answer is reported by the answer itself.
    request.on("error", () => {});
    return response;
  } catch (error) {
    // The agency closed a kept-alive connection at the moment of its reuse.
    if (request.reusedSocket && codeOf(error) === "ECONNRESET") return answerOf(send);
    throw error;
  }
}

/** Redirects in a row that are followed. */
const MOST_REDIRECTS = 5;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Where an answer sends its client, if that is within the same host: by the same port, or from http to https by their
 * own ports. Null for any other answer.
 */
function redirectWithin(url: URL, { statusCode = 0, headers }: IncomingMessage): URL | null {
  const { location } = headers;
  if (!REDIRECTS.includes(statusCode) || location === undefined) return null;
  const next = URL.parse(location, url.href);
  if (next === null || next.hostname !== url.hostname) return null;
  if (next.username !== "" || next.password !== "") return null;
  const isSame = next.protocol === url.protocol && next.port === url.port;
  const isSafer = url.protocol === "http:" && next.protocol === "https:";
  return isSame || (isSafer && `${url.port}${next.port}` === "") ? next : null;
}

/** Why a connection failed, by Node's codes. Their messages name hosts and addresses, which are not for clients. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, "its name cannot be resolved"],
  [/^ECONNREFUSED$/, "it refuses connections"],
  [/^(?:ECONNRESET|EPIPE)$/, "the connection was broken off"],
  [/^(?:E(?:HOST|NET)|ETIMEDOUT)/, "it cannot be reached"],
  [/CERT|ISSUER|SIGNATURE/, "its certificate is not valid"],
  [/^Z_/, "its compressed answer is broken"],
];

function broken(name: string, error: unknown): AgencyUnavailable | AgencyError {
  if (error instanceof AddressRefused) {
    return new AgencyError(`the address of ${name} ${error.message}`);
  }
  const code = codeOf(error);
  const [, reason] = REASONS.find(([known]) => known.test(code)) ?? [];
  return new AgencyUnavailable(`the connection to ${name} failed${reason ? `: ${reason}` : ""}`);
}

/** Limits an answer's longest silence and its whole time; `touch` says that something came. */
function startLimits(name: string, timeoutMs: number) {
  const silent = () => new AgencyTimeout(`${name} sent nothing for ${timeoutMs / SECOND} s`);
  const wholeMs = WHOLE_ANSWER * timeoutMs;
  const slow = () =>
    new AgencyTimeout(`${name} took more than ${wholeMs / SECOND} s for an answer`);
  const idle = startIdleTimer(timeoutMs, silent);
  const whole = startIdleTimer(wholeMs, slow);
  return {
    signals: [idle.signal, whole.signal],
    touch: idle.touch,
    stop() {
      idle.stop();
      whole.stop();
    },
  };
}

async function* bodyOf(
  response: IncomingMessage,
  touch: () => void,
  fault: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  const touching = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of response) {
      touch();
      yield chunk;
    }
  };
  const gzipped = /\bgzip\b/i.test(response.headers["content-encoding"] ?? "");
  try {
    // Errors of the decompression are thrown to the reader of the body.
    yield* gzipped ? pipeline(touching(), createGunzip(), () => {}) : touching();
  } catch (error) {
    throw fault(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Aborts its signal, with the reason given, unless `touch` is called within the time-out, again and again. */
export function startIdleTimer(idleMs: number, reason: () => Error) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), idleMs);
  return {
    signal: controller.signal,
    touch: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

/** Connections to one agency, kept alive for further requests. @param guard where they may lead; null for anywhere */
function createConnections(userAgent: string, guard: AddressGuard | null) {
  const options = { keepAlive: true, ...(guard && { lookup: guard.lookup }) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const own = { "user-agent": userAgent, "accept-encoding": "gzip" };
  return {
    /** @throws AddressRefused before anything is sent; of a name it is the request's error */
    send(url: URL, further: OutgoingHttpHeaders, signal: AbortSignal): ClientRequest {
      guard?.require(url);
      const headers = { ...own, ...further };
      return url.protocol === "https:"
        ? getHttps(url, { agent: agents.https, headers, signal })
        : getHttp(url, { agent: agents.http, headers, signal });
    },
    /** Closes the idle ones. */
    close(): void {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Longest wait before a retry, even if the agency asks for more. */
const LONGEST_WAIT_MS = 120_000;
/** Bytes of a refusal that are read: all that `agencyText` examines, in any encoding. */
const REFUSAL_BYTES = 8 * 1024;
/** Stands for the agency's own host in relative redirects. */
const SAME_HOST = "same.invalid";

/**
 * What an answer says that is none of those which were expected: to be tried again for 5xx and 429.
 * @param name the agency's
 */
export function refusalIn(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  text: string,
  { name, now }: { readonly name: string; readonly now: () => number },
): AgencyUnavailable | AgencyError {
  if (status >= 300 && status < 400) {
    const message = `${name} sends its clients to ${hostOf(headers.location)}, which is not followed`;
    return new AgencyError(message, { status });
  }
  const why = agencyText(text);
  const message = `${name} answered with status ${status}${why === "" ? "" : `: ${why}`}`;
  if (status !== 429 && status < 500) return new AgencyError(message, { status });
  const wait = retryAfterMs(headers["retry-after"], now(), LONGEST_WAIT_MS);
  return new AgencyUnavailable(message, { status, retryAfterMs: wait });
}

/** Host of a redirect's target only: path and query may hold a session or a token. */
function hostOf(location: string | undefined): string {
  if (location === undefined) return "nowhere";
  const hostname = URL.parse(location, `http://${SAME_HOST}`)?.hostname ?? "";
  return hostname === SAME_HOST ? "another path" : agencyText(hostname) || "nowhere";
}

/** As much of an answer's text as its refusal quotes. */
export async function beginningOf(answer: Pick<HttpAnswer, "body">): Promise<string> {
  return (await beginningBytes(answer, REFUSAL_BYTES)).toString();
}

/** The beginning of an answer's body: the chunks until there are so many bytes, or all of a shorter one. */
export async function beginningBytes(
  { body }: Pick<HttpAnswer, "body">,
  enough: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= enough) break;
  }
  return Buffer.concat(chunks);
}

export type RetryOptions = {
  /** Number of tries after the first. Default 3. */
  readonly retries?: number;
  /** Wait before the first retry, doubled each time; jitter shortens it to between half and all of it. Default 1 s. */
  readonly backoffMs?: number;
  readonly sleep?: typeof sleep | undefined;
  readonly logger?: Logger;
};

const LONGEST_BACKOFF_MS = 60_000;

/**
 * Runs `attempt`, with retries after transient failures: time-outs, broken connections or answers,
 * 5xx, 429. An open circuit, a refusal and an abort are thrown at once; when the retries are used
 * up, the last failure is.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  { retries = 3, backoffMs: baseMs = SECOND, sleep: wait = sleep, logger }: RetryOptions,
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (retry >= retries || !mayPass(error)) throw error;
      const askedMs = error instanceof AgencyUnavailable ? error.retryAfterMs : null;
      const waitMs = askedMs ?? backoffMs(retry, baseMs, LONGEST_BACKOFF_MS);
      const reason = error instanceof Error ? error.message : String(error);
      logger?.warn({ reason, waitMs, retry: retry + 1 }, "request to agency failed");
      await wait(waitMs, signal);
      signal.throwIfAborted();
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof AgencyError) return error.worthRetrying;
  return error instanceof AgencyTimeout || error instanceof AgencyUnavailable;
}
