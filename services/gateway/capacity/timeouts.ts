const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** How long a client may take, milliseconds; how long an answer is being made is not bounded by them. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** Without a byte of a body that is still to come. */
  readonly bodyIdleMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** In so long a time it has to send so much of a body, and to take so much of an answer (client-pace). */
  readonly paceMs: number;
  /** For a whole answer, from its first byte on. */
  readonly answerMs: number;
  /** To end what it has begun when the service stops. */
  readonly stopMs: number;
  /** How often all of this is looked at. */
  readonly checkMs: number;
};

/**
 * 100 MB arrive in 10 minutes over 1.4 Mbit/s. Connections are kept longer than common load balancers
 * keep theirs (60 s), so that none sends a request into a connection that is being closed.
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

/** Bytes of all headers of a request; Node's own default, said here so that it is ours. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The server options that end requests which come too slowly, and bound their headers. */
export function serverLimits(timeouts: Timeouts) {
  return {
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has no body: registerHostHeader answers.
      requireHostHeader: false,
    },
  };
}
