import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { NatsConnection } from "nats";

/** Where the client, whose version is pinned, keeps its socket. */
type Internals = {
  readonly protocol?: { readonly transport?: { readonly socket?: Socket } };
};

/**
 * Keeps a listener for errors on the client's socket. The client takes its own off before it
 * destroys the socket; an error that is still on its way (a write after the broker's end of the
 * connection) would then end the process. The client knows by itself that the connection is gone.
 */
export function hearSocketErrors(connection: NatsConnection): void {
  const socket = (connection as unknown as Internals).protocol?.transport?.socket;
  if (socket === undefined) throw new Error("the NATS client keeps its socket somewhere else");
  const ignore = (): void => undefined;
  socket.on("error", ignore);
  socket.removeAllListeners = (event) => {
    EventEmitter.prototype.removeAllListeners.call(socket, event);
    return socket.on("error", ignore);
  };
}
