import type { FastifyInstance, FastifyReply } from "fastify";

declare module "fastify" {
  interface FastifyReply {
    /** Whether guests are answered at this address too. */
    isPublic: boolean;
  }
}

/** Nobody keeps an answer with it. */
export const NO_STORE = "no-store";

/** What makes answers differ between callers: a session is told by the one or the other. */
const CALLER = ["Cookie", "Authorization"];

/**
 * Says of every answer who may keep it. Those of operations that let themselves be kept are asked for
 * again with their entity tag each time, and are kept by caches on the way only where guests may read
 * them. Everything else, and every refusal and fault, is kept by nobody.
 */
export function registerCaching(app: FastifyInstance): void {
  app.decorateReply("isPublic", false);
  app.addHook("onSend", (request, reply, _payload, done) => {
    const { operation } = request.routeOptions.config;
    if (operation?.caching === "revalidated" && reply.statusCode < 400) {
      reply.header("cache-control", reply.isPublic ? "public, no-cache" : "private, no-cache");
      addVary(reply, CALLER);
    } else if (operation !== undefined || !reply.hasHeader("cache-control")) {
      // Pages of the documentation say it themselves.
      reply.header("cache-control", NO_STORE);
    }
    done();
  });
}

/** Names further request headers in `Vary`, beside those that others have named. */
export function addVary(reply: FastifyReply, names: readonly string[]): void {
  const named = reply.getHeader("vary");
  reply.header("vary", [...(named === undefined ? [] : [named]), ...names].join(", "));
}
