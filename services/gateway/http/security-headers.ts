import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import helmet from "helmet";

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

function headersOf(middleware: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}
