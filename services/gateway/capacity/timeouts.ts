import type { IncomingMessage } from "node:http";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Time limits of clients, in milliseconds; they do not limit the making of an answer. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** Longest silence within a body. */
  readonly bodyIdleMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** Window within which a client must send or read the minimum number of bytes (client-pace). */
  readonly paceMs: number;
  /** For a whole answer, from its first byte. */
  readonly answerMs: number;
  /** For finishing started requests when the service stops. */
  readonly stopMs: number;
  /** Interval of the checks. */
  readonly checkMs: number;
};

/**
 * 100 MB arrive in 10 minutes at 1.4 Mbit/s. Connections are kept longer than common load balancers
 * keep theirs (60 s), so that none sends a request on a connection that is being closed.
 */
export const TIMEOUTS: Timeouts = {
  headersMs: 15 * SECOND,
  bodyIdleMs: 30 * SECOND,
  requestMs: 600 * SECOND,
  keepAliveMs: 65 * SECOND,
  paceMs: 60 * SECOND,
  answerMs: 6 * HOUR,
  stopMs: 5 * SECOND,
  checkMs: 5 * SECOND,
};

/**
 * Of all headers of a request: an address may have a polygon of 500 vertices of 17 digits, 28 kB when percent-encoded,
 * and a cursor that remembers it.
 */
const MAX_HEADER_BYTES = 64 * 1024;

const SOCKETS = /\/feed\/websocket(?:\?|$)/;

function asksForSocket({ method, url = "", headers }: IncomingMessage): boolean {
  return method === "GET" && /^websocket$/i.test(headers.upgrade ?? "") && SOCKETS.test(url);
}

/** Server options that end slow requests and limit their headers. */
export function serverLimits(timeouts: Timeouts) {
  return {
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has no body; registerHostHeader answers instead.
      requireHostHeader: false,
      // Other upgrades, as of clients that would like HTTP/2, are answered as if not asked for.
      shouldUpgradeCallback: asksForSocket,
    },
  };
}
