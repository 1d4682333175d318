import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Timeouts } from "./timeouts.ts";

/**
 * Ends each connection with the answer of the request that ran when the stop began: kept alive, it
 * would hold the stop back until its client goes. An answer whose head is out already cannot say so
 * any more; its connection ends behind it. A connection that has sent nothing yet, as clients open
 * them in advance, is not idle to Node and is ended here. After `stopMs` all are cut: what their answers
 * hold is given back with them.
 */
export function registerClosing(app: FastifyInstance, { stopMs }: Pick<Timeouts, "stopMs">): void {
  const connections = new Set<Socket>();
  let closing = false;
  let cutting: NodeJS.Timeout | undefined;
  app.server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  app.addHook("preClose", async () => {
    closing = true;
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    cutting = setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, stopMs);
  });
  app.addHook("onClose", async () => clearTimeout(cutting));
  app.addHook("onSend", async (_request, reply) => {
    if (closing) reply.header("connection", "close");
  });
  app.addHook("onResponse", async (request) => {
    if (closing) request.raw.socket.end();
  });
}
