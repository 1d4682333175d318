import type { FastifyInstance } from "fastify";
import type { HttpMetrics } from "#infra/process/metrics.ts";

/**
 * Writes one log line per request, and its metrics. It has the route, not the path, which may hold a
 * token, as headers and bodies may. A request whose client disconnected counts as 499, as in nginx.
 */
export function registerRequestLog(app: FastifyInstance, metrics: HttpMetrics): void {
  app.addHook("onRequest", async (request, reply) => {
    const started = performance.now();
    metrics.begin();
    // Not the response hook, which is not called when the client disconnects.
    reply.raw.once("close", () => {
      const durationMs = performance.now() - started;
      const { method, actor } = request;
      const { statusCode, writableFinished } = reply.raw;
      const isWhole = writableFinished || statusCode === SWITCHED;
      const status = isWhole ? statusCode : CLIENT_GONE;
      const route = request.routeOptions.url ?? null;
      metrics.end({ method, route, status, seconds: durationMs / 1_000 });
      request.log.info(
        {
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
          userId: actor?.userId ?? null,
          ...(actor?.token && { tokenId: actor.token.id }),
        },
        "request answered",
      );
    });
  });
}

const CLIENT_GONE = 499;
/** To WebSocket, which has no end of its own. */
const SWITCHED = 101;
