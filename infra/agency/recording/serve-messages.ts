import type { Server } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

/** As EMSC's. */
const PATH = "/standing_order/websocket";

/** Clients of a served recording that listen to what it tells by itself. */
export type ServedMessages = {
  /** @returns how many clients it was sent to */
  readonly send: (text: string) => number;
  readonly close: () => void;
};

/** Takes WebSocket clients beside what a server answers. */
export function serveMessages(server: Server): ServedMessages {
  const sockets = new WebSocketServer({ server, path: PATH });
  // Those of the server, of which whoever opens it is told.
  sockets.on("error", () => undefined);
  const all = (each: (client: WebSocket) => void): number => {
    for (const client of sockets.clients) each(client);
    return sockets.clients.size;
  };
  return {
    send: (text) => all((client) => client.send(text)),
    close() {
      all((client) => client.terminate());
      sockets.close();
    },
  };
}

/** The address of the messages of a server. */
export function messagesUrl(port: number): string {
  return `ws://127.0.0.1:${port}${PATH}`;
}
