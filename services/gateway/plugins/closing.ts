import type { FastifyInstance } from "fastify";

/**
 * Ends each connection with the answer of the request that ran when the stop began: kept alive, it
 * would hold the stop back until its client goes.
 */
export function registerClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", async (_request, reply) => {
    if (closing) reply.header("connection", "close");
  });
}
