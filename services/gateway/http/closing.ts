import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Timeouts } from "../capacity/timeouts.ts";

type Exchange = { readonly request: IncomingMessage; readonly answer: ServerResponse };

/** Additional time for answers that have not started, after slow clients were cut off. */
const ANSWERS_MS = 1_000;

/**
 * Ends each connection with the answer of the request that runs when the stop begins: kept alive, it
 * would delay the stop until its client disconnects. An answer whose head was sent can no longer
 * announce this; its connection is closed after it. Node does not consider a connection idle that
 * has sent nothing yet, as clients open them in advance, so these are closed here. After `stopMs`
 * all connections that wait for their clients are cut, and a second later the others, whose answers
 * are still being made; this releases their resources.
 */
export function registerClosing(app: FastifyInstance, { stopMs }: Pick<Timeouts, "stopMs">): void {
  /** The connections, each with its current request or null. */
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

/** For a request, for the rest of a body, or for reading the answer. */
function waitsForClient(exchange: Exchange | null): boolean {
  if (exchange === null) return true;
  const { request, answer } = exchange;
  return !request.complete || answer.headersSent;
}
