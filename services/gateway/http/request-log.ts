import type { FastifyInstance } from "fastify";
import type { HttpMetrics } from "#infra/metrics/http-metrics.ts";

/**
 * One line in the log for each request, and its measures. The route is told, not the path: that may
 * hold a token, as headers and bodies do. A request whose client has gone counts as 499, as nginx
 * has it.
 */
export function registerRequestLog(app: FastifyInstance, metrics: HttpMetrics): void {
  app.addHook("onRequest", async (request, reply) => {
    const started = performance.now();
    metrics.begin();
    // Not the hook for answers: nothing calls it when the client goes.
    reply.raw.once("close", () => {
      const durationMs = performance.now() - started;
      const { method, actor } = request;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_GONE;
      const route = request.routeOptions.url ?? null;
      metrics.end({ method, route, status, seconds: durationMs / 1_000 });
      request.log.info(
        {
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
          userId: actor?.userId ?? null,
        },
        "request answered",
      );
    });
  });
}

const CLIENT_GONE = 499;
