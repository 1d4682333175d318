import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Timeouts } from "../capacity/timeouts.ts";

type Exchange = { readonly request: IncomingMessage; readonly answer: ServerResponse };

/** Beyond the time of slow clients, for answers that have not begun. */
const ANSWERS_MS = 1_000;

/**
 * Ends each connection with the answer of the request that ran when the stop began: kept alive, it
 * would hold the stop back until its client goes. An answer whose head is out already cannot say so
 * any more; its connection ends behind it. A connection that has sent nothing yet, as clients open
 * them in advance, is not idle to Node and is ended here. After `stopMs` all are cut that wait for their
 * clients, and a second later the others, whose answers are still being made: what they hold is given
 * back with them.
 */
export function registerClosing(app: FastifyInstance, { stopMs }: Pick<Timeouts, "stopMs">): void {
  /** With the request that each is used for, once it has one. */
  const connections = new Map<Socket, Exchange | null>();
  const cutting: NodeJS.Timeout[] = [];
  let closing = false;
  const cut = (isCut: (exchange: Exchange | null) => boolean): void => {
    for (const [socket, exchange] of connections) if (isCut(exchange)) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    connections.set(socket, null);
    socket.once("close", () => connections.delete(socket));
  });
  app.addHook("onRequest", async ({ raw: request }, { raw: answer }) => {
    connections.set(request.socket, { request, answer });
  });
  app.addHook("preClose", async () => {
    closing = true;
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    cutting.push(
      setTimeout(() => cut(waitsForClient), stopMs),
      setTimeout(() => cut(() => true), stopMs + ANSWERS_MS),
    );
  });
  app.addHook("onClose", async () => cutting.forEach(clearTimeout));
  app.addHook("onSend", async (_request, reply) => {
    if (closing) reply.header("connection", "close");
  });
  app.addHook("onResponse", async (request) => {
    if (closing) request.raw.socket.end();
  });
}

/** For a request, the rest of a body, or to take what is written. */
function waitsForClient(exchange: Exchange | null): boolean {
  if (exchange === null) return true;
  const { request, answer } = exchange;
  return !request.complete || answer.headersSent;
}
