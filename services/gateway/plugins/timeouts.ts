import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { ApiError } from "#contracts/errors.ts";

const SECOND = 1_000;

/** How long a client may take, milliseconds; how long an answer takes is not bounded by them. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** Without a byte of a body that is still to come. */
  readonly bodyIdleMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** How often the first and the third are looked at. */
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
  checkMs: 5 * SECOND,
};

/** Bytes of all headers of a request; Node's own default, said here so that it is ours. */
const MAX_HEADER_BYTES = 16 * 1024;

const READS_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);

function hasBody({ method = "", headers }: IncomingMessage): boolean {
  const isSent =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
  return isSent && READS_BODY.has(method);
}

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

/**
 * Ends a request whose body stands still. The socket's own timer is used, which every byte winds up
 * again; it is off while the answer is made, however long that takes.
 */
export function registerBodyTimeout(app: FastifyInstance, { bodyIdleMs }: Timeouts): void {
  app.addHook("preParsing", async ({ raw }, _reply, payload) => {
    // Without a body there is no end of it either that would stop the timer.
    if (raw.complete || !hasBody(raw)) return payload;
    const { socket } = raw;
    const onTimeout = (): void => {
      // Whoever reads the body answers; where nobody does, nobody can.
      if (!payload.emit("error", new ApiError("REQUEST_TIMEOUT"))) raw.destroy();
    };
    const off = (): void => {
      socket.setTimeout(0);
      raw.off("timeout", onTimeout);
    };
    socket.setTimeout(bodyIdleMs);
    raw.on("timeout", onTimeout);
    payload.once("end", off).once("error", off).once("close", off);
    return payload;
  });
}
