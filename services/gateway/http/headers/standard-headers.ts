import { randomUUID } from "node:crypto";
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyInstance, RawServerDefault } from "fastify";
import helmet from "helmet";
import { Refusal } from "#contracts/errors.ts";

/** The API's version, sent with every response. */
export const API_VERSION = "1.0.0";

/** A client's request id is accepted if short and plain, so that it cannot forge log lines. */
const PLAIN_ID = /^[\w.:/+=-]{1,128}$/;

export function requestId(request: IncomingMessage): string {
  const id = request.headers["x-request-id"];
  return typeof id === "string" && PLAIN_ID.test(id) ? id : randomUUID();
}

/**
 * Refuses HTTP/1.1 without a `Host`, or with two (RFC 9112, 3.2), which a proxy and this server
 * could interpret differently.
 */
export function registerHostHeader(app: FastifyInstance<RawServerDefault>): void {
  app.addHook("onRequest", async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length;
    if (hosts > 1 || (hosts === 0 && raw.httpVersion === "1.1")) {
      throw new Refusal("VALIDATION_ERROR", "The request must have one Host header");
    }
  });
}

/** `X-Request-Id` and `X-API-Version` on every response, errors included. */
export function registerRequestHeaders(app: FastifyInstance<RawServerDefault>): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).header("x-api-version", API_VERSION);
  });
}

/**
 * Answers are data: opened in a browser they load and embed nothing. The documentation has its own
 * policy.
 */
const NO_PAGE = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
};

/** Helmet's headers on every response. They are always the same, so helmet is called once. */
export function registerSecurityHeaders(app: FastifyInstance, secure: boolean): void {
  const headers = headersOf(helmet({ contentSecurityPolicy: NO_PAGE, hsts: secure }));
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** The headers that a middleware sets. They are always the same. */
export function headersOf(middleware: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}
