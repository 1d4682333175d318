import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { NatsConnection } from "nats";

/** Where the client, whose version is pinned, keeps its socket. */
type Internals = {
  readonly protocol?: { readonly transport?: { readonly socket?: Socket } };
};

/**
 * Adds an error listener to the client's socket. The client removes its own before it destroys the
 * socket; a late error (a write after the broker closed the connection) would then end the process.
 * The client detects the lost connection by itself.
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
