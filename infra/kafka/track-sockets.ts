import { connect, type Socket } from "node:net";
import type { ISocketFactory } from "kafkajs";

const KEEP_ALIVE_MS = 60_000;

/** Creates the client's sockets and watches them. */
export function trackSockets() {
  const sockets = new Set<Socket>();
  const lost = new AbortController();
  let destroyed = false;
  let connected = 0;

  function disconnected(): void {
    connected -= 1;
    if (connected === 0) lost.abort(new Error("the connection to the broker ended"));
  }

  return {
    /** Aborts when the last open connection has ended, which the client itself does not report. */
    lost: lost.signal,
    factory: (({ host, port, onConnect }) => {
      if (destroyed) throw new Error("the session has ended");
      const socket = connect({ host, port }, () => {
        connected += 1;
        socket.once("close", disconnected);
        onConnect();
      });
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    }) satisfies ISocketFactory,
    /** Closes all connections and prevents new ones; pending requests fail. */
    destroy: (): void => {
      destroyed = true;
      // The client reacts to errors, but not to sockets that are closed on this side.
      for (const socket of sockets) socket.destroy(new Error("the session has ended"));
    },
  };
}
