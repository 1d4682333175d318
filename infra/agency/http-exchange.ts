import { once } from "node:events";
import {
  type ClientRequest,
  get as getHttp,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { get as getHttps, Agent as HttpsAgent } from "node:https";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { AgencyTimeout, AgencyUnavailable } from "./errors.ts";

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed, at the reader's pace. @throws AgencyUnavailable, AgencyTimeout */
  readonly body: AsyncIterable<Uint8Array>;
};

export type Exchange = {
  /**
   * Sends a GET and passes the answer to `take`. When it returns, the connection is idle or closed,
   * however much of the body was read. Redirects are not followed.
   * @throws AgencyUnavailable, AgencyTimeout, errors of `take`, the signal's reason
   */
  readonly get: <T>(
    url: URL,
    signal: AbortSignal,
    take: (answer: HttpAnswer) => Promise<T>,
  ) => Promise<T>;
  /** Closes the idle connections. */
  readonly close: () => void;
};

export type ExchangeOptions = {
  /** Name of the server, for error messages. */
  readonly name: string;
  readonly userAgent: string;
  /** Longest silence; a whole answer may take 30 times as long. */
  readonly timeoutMs: number;
};

/** Longest whole answer, in time-outs: a server that sends one byte a second is never silent. */
const WHOLE_ANSWER = 30;
const SECOND = 1_000;

/** HTTP to one agency over kept-alive connections. */
export function createExchange({ name, userAgent, timeoutMs }: ExchangeOptions): Exchange {
  const connections = createConnections(userAgent);

  return {
    async get(url, outer, take) {
      const limits = startLimits(name, timeoutMs);
      const signal = AbortSignal.any([outer, ...limits.signals]);
      const fault = (error: unknown) => (signal.aborted ? signal.reason : broken(name, error));
      let response: IncomingMessage | null = null;
      try {
        outer.throwIfAborted();
        response = await answerOf(connections, url, signal).catch((error) => {
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
    close: connections.close,
  };
}

/** Kept alive, for further requests. */
function createConnections(userAgent: string) {
  const agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
  };
  const headers = { "user-agent": userAgent, "accept-encoding": "gzip" };
  return {
    send: (url: URL, signal: AbortSignal): ClientRequest =>
      url.protocol === "https:"
        ? getHttps(url, { agent: agents.https, headers, signal })
        : getHttp(url, { agent: agents.http, headers, signal }),
    close(): void {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

async function answerOf(
  connections: Pick<ReturnType<typeof createConnections>, "send">,
  url: URL,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = connections.send(url, signal);
  try {
    const [response] = await once(request, "response");
    // A break in the answer is reported by the answer itself.
    request.on("error", () => {});
    return response;
  } catch (error) {
    // The agency closed a kept-alive connection at the moment of its reuse.
    if (request.reusedSocket && codeOf(error) === "ECONNRESET")
      return answerOf(connections, url, signal);
    throw error;
  }
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

function broken(name: string, error: unknown): AgencyUnavailable {
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
  const bytes = touching(response, touch);
  const gzipped = /\bgzip\b/i.test(response.headers["content-encoding"] ?? "");
  try {
    // Errors of the decompression are thrown to the reader of the body.
    yield* gzipped ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  } catch (error) {
    throw fault(error);
  }
}

async function* touching(
  response: AsyncIterable<Uint8Array>,
  touch: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of response) {
    touch();
    yield chunk;
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
