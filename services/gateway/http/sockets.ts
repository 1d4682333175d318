import websocket, { type WebSocket } from "@fastify/websocket";
import type { FastifyInstance } from "fastify";

/** Clients have nothing to say; larger messages end their connection. */
const MAX_MESSAGE_BYTES = 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** What is done with the request's connection once it is a WebSocket; null where it stays as it is. */
    connect: ((socket: WebSocket) => void) | null;
  }
}

/**
 * Lets routes upgrade their connections to WebSockets. Messages are not compressed, since each would wait
 * for its compressor. Whoever opens a socket closes it when the gateway stops.
 */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  app.decorateRequest("connect", null);
  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false },
    preClose: (done) => done(),
    errorHandler: (error, socket, request) => {
      request.log.info({ err: error }, "a WebSocket has failed");
      socket.terminate();
    },
  });
}
