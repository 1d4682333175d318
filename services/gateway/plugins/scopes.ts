import type { FastifyInstance } from "fastify";
import { type AnswerScope, openScope } from "../answers/answer-scope.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Owns what the answer holds. */
    scope: AnswerScope;
  }
}

/** Gives every request a scope that ends with its answer. */
export function registerScopes(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.addHook("onRequest", async (request, reply) => {
    request.scope = openScope(reply.raw, (error) =>
      request.log.warn({ err: error }, "what an answer held was not given back"),
    );
  });
}
