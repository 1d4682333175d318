/**
 * One request to an agency: its errors, its circuit breaker, its time-outs and its repetitions, which all
 * decide whether another attempt is made.
 */

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
import Opossum from "opossum";
import type { Logger } from "pino";
import type { ErrorCode } from "#contracts/errors.ts";
import { backoffMs, retryAfterMs, sleep } from "../../kernel/waiting.ts";
import { type AddressGuard, AddressRefused } from "./address-guard.ts";

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

/** How long requests are refused before the next trial request. */
const RESET_MS = 60 * SECOND;
/** Successes in a row that close the circuit again. */
const SUCCESSES_TO_CLOSE = 2;

export type CircuitState = "CLOSED" | "OPEN" | "HALF_OPEN";

export type CircuitBreakerOptions = {
  /** Name of the server, for the refusal's message. */
  readonly name: string;
  /** Whether an error shows that the other side is ill; others count as answers. Default: all. */
  readonly isFailure?: (error: unknown) => boolean;
  /** Failures within `windowMs` that open the circuit. Default 5. */
  readonly failures?: number;
  /** Default 60 s. */
  readonly windowMs?: number;
};

/** The request was not sent, because earlier ones failed. */
export class CircuitOpen extends Error {
  override readonly name = "CircuitOpen";
  readonly circuit: string;

  constructor(circuit: string, options?: ErrorOptions) {
    super(`requests to ${circuit} are suspended`, options);
    this.circuit = circuit;
  }
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * A circuit breaker. It opens after `failures` within `windowMs`, regardless of successes in
 * between; half-opens after a minute and then lets one request through at a time; closes after two
 * of them succeeded, and opens again at the first failure.
 *
 * opossum refuses requests, times the way to HALF_OPEN and opens again. It decides by the share of
 * failures and closes at the first success, and its own counts go by whole tenths of a window and
 * over an opening: so the failures and the further successes are counted here.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { name, failures = 5, windowMs = 60 * SECOND } = options;
  const circuit = opossumOf(options);
  let failureTimes: number[] = [];
  /** Above 0 from opening until closed: opossum considers itself closed after the first success. */
  let successesMissing = 0;
  let trying = false;

  function state(): CircuitState {
    if (circuit.opened) return "OPEN";
    return successesMissing > 0 ? "HALF_OPEN" : "CLOSED";
  }

  circuit.on("open", () => {
    successesMissing = SUCCESSES_TO_CLOSE;
    failureTimes = [];
  });
  circuit.on("success", () => {
    if (state() === "HALF_OPEN") successesMissing -= 1;
  });
  circuit.on("failure", () => {
    // A request that was sent before the circuit opened adds no information by failing later.
    if (state() === "OPEN") return;
    const now = performance.now();
    failureTimes = [...failureTimes.filter((time) => now - time < windowMs), now];
    if (state() === "HALF_OPEN" || failureTimes.length >= failures) circuit.open();
  });

  async function tryOut<T>(request: () => Promise<T>): Promise<T> {
    if (trying) throw new CircuitOpen(name);
    trying = true;
    try {
      return await sendThrough(circuit, request);
    } finally {
      trying = false;
    }
  }

  return {
    /**
     * Sends a request and passes its outcome on. The request must end by itself: the circuit stays
     * HALF_OPEN while a trial request runs.
     * @throws CircuitOpen without sending the request: when OPEN, when HALF_OPEN during another trial
     * request, and after `close`
     */
    run: <T>(request: () => Promise<T>): Promise<T> =>
      state() === "HALF_OPEN" ? tryOut(request) : sendThrough(circuit, request),
    state,
    /** Stops the timers. */
    close: (): void => circuit.shutdown(),
  };
}

type Circuit = Opossum<[() => Promise<unknown>], unknown>;

function opossumOf({ name, isFailure = () => true }: CircuitBreakerOptions): Circuit {
  return new Opossum((request) => request(), {
    name,
    timeout: false,
    resetTimeout: RESET_MS,
    // Never by share, not even when opossum's window holds a single failure (1/0).
    errorThresholdPercentage: Number.POSITIVE_INFINITY,
    errorFilter: (error: unknown) => !isFailure(error),
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
}

async function sendThrough<T>(circuit: Circuit, request: () => Promise<T>): Promise<T> {
  try {
    // opossum's types have one result type; at run time it passes on the request's own.
    return (await circuit.fire(request)) as T;
  } catch (error) {
    if (error instanceof Error && Opossum.isOurError(error)) {
      throw new CircuitOpen(circuit.name, { cause: error });
    }
    throw error;
  }
}

/** No causes, which may carry bytes and certificates; messages quote only through `agencyText`. */

/** The agency cannot be reached, broke off its answer, or answered 5xx or 429. */
export class AgencyUnavailable extends Error {
  override readonly name = "AgencyUnavailable";
  readonly status: number | null;
  /** How long the agency asks us to wait; null when it does not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { status?: number; retryAfterMs?: number | null } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The agency was silent for too long, or its whole answer took too long. */
export class AgencyTimeout extends Error {
  override readonly name = "AgencyTimeout";
}

/** The agency's answer is a refusal or cannot be used. */
export class AgencyError extends Error {
  override readonly name = "AgencyError";
  readonly status: number | null;
  /** True when the same request may succeed later: a broken answer, not a refusal. */
  readonly worthRetrying: boolean;

  constructor(message: string, options: { status?: number; worthRetrying?: boolean } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.worthRetrying = options.worthRetrying ?? false;
  }
}

const TOO_MANY_REQUESTS = 429;

/**
 * What the circuit breaker counts: 5xx, time-outs, failed connections, and answers that end early,
 * which is another form of a failed connection. Refusals (4xx), 429 and unreadable answers show that
 * the agency is there.
 */
export function isAgencyFailure(error: unknown): boolean {
  if (error instanceof AgencyTimeout) return true;
  return error instanceof AgencyUnavailable && error.status !== TOO_MANY_REQUESTS;
}

/** The API's error code for an error of a request to the agency; null for any other error. */
export function agencyErrorCode(
  error: unknown,
): Extract<ErrorCode, `AGENCY_${string}` | "CIRCUIT_OPEN"> | null {
  if (error instanceof AgencyUnavailable) return "AGENCY_UNAVAILABLE";
  if (error instanceof AgencyTimeout) return "AGENCY_TIMEOUT";
  if (error instanceof AgencyError) return "AGENCY_ERROR";
  if (error instanceof CircuitOpen) return "CIRCUIT_OPEN";
  return null;
}

/** Longest excerpt of an agency's own text, in characters. */
const LONGEST_EXCERPT = 200;
/** Characters of the text that are examined. */
const EXAMINED_LENGTH = 2_000;

const LEFT_OUT = "[left out]";

/** Words that announce a secret, also inside longer words: `client_secret`, `apiToken`. */
const SECRET_WORDS =
  /bearer|basic(?= \S{16})|passw(?:or)?d|passphrase|passcode|pwd|token|secret|credential|authori[sz]ation|cookie/i;
/** Matches `api_key`, `apikey`, `KEYS`; not Turkey or keyword. */
const KEY_WORDS = /(?<!tur|mon)keys?(?![a-z])/i;
/** Matches `keyId`, `apiKeyValue`. */
const KEY_HUMPS = /[Kk]ey(?=[A-Z])/;

const HIDDEN = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;
const BLANKS = /[\p{Z}\t\n\v\f\r\u0085]+/gu;
const CONTROLS = /\p{Cc}/gu;

/**
 * An agency's own text as clients and the log may see it: one line of at most 200 printable
 * characters. Everything after a word that announces a secret is left out, since the end of a secret
 * cannot be recognised. So is the user information of URLs.
 */
export function agencyText(text: string): string {
  const line = printable(beginningOfText(text));
  const end = endOfSecretWord(line);
  const open = end === null ? line : `${line.slice(0, end)} ${LEFT_OUT}`;
  return shortened(withoutUsers(open));
}

/** Cuts the text between words: half a URL would not show that it holds user information. */
function beginningOfText(text: string): string {
  if (text.length <= EXAMINED_LENGTH) return text;
  const cut = text.slice(0, EXAMINED_LENGTH);
  return cut.slice(0, Math.max(0, cut.lastIndexOf(" "), cut.lastIndexOf("\n")));
}

function printable(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(HIDDEN, "")
    .replaceAll(BLANKS, " ")
    .replaceAll(CONTROLS, "")
    .trim();
}

function endOfSecretWord(line: string): number | null {
  const ends = [SECRET_WORDS, KEY_WORDS, KEY_HUMPS].flatMap((words) => {
    const match = words.exec(line);
    return match === null ? [] : [match.index + match[0].length];
  });
  return ends.length === 0 ? null : Math.min(...ends);
}

function withoutUsers(line: string): string {
  const safe: string[] = [];
  for (const word of line.split(" ")) {
    const plain = word.replaceAll("%40", "@").replaceAll(/%3a/gi, ":").replaceAll(/%2f/gi, "/");
    if (isBrokenAddress(plain)) return [...safe, LEFT_OUT].join(" ");
    safe.push(plain.includes("@") ? withoutUser(plain) : word);
  }
  return safe.join(" ");
}

/** A word without the user information of a URL in it. E-mail addresses stay. */
function withoutUser(word: string): string {
  const at = word.lastIndexOf("@");
  const slashes = word.indexOf("//");
  const host = word.slice(at + 1);
  if (slashes !== -1 && slashes < at) return word.slice(0, slashes + 2) + host;
  return word.slice(0, at).includes(":") ? host : word;
}

/** True for a URL with a colon but no port and no `@`: its password may contain a blank. */
function isBrokenAddress(word: string): boolean {
  const slashes = word.indexOf("//");
  if (slashes === -1 || word.includes("@")) return false;
  const [authority = ""] = word.slice(slashes + 2).split(/[/?#]/, 1);
  const colon = authority.indexOf(":", authority.lastIndexOf("]") + 1);
  return colon !== -1 && !/^\d{1,5}(?!\w)/.test(authority.slice(colon + 1));
}

function shortened(text: string): string {
  if (text.length <= LONGEST_EXCERPT) return text;
  return `${text.slice(0, LONGEST_EXCERPT - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
