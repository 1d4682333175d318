import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type Duplex, Transform } from "node:stream";

export type TcpRelay = {
  /** Of the loopback; the same for the relay's life. */
  readonly port: number;
  /** Drops all connections; new ones are accepted. */
  drop(): void;
  /** Holds back all bytes, connections stay open; the answer lets them pass again. */
  stall(): () => void;
  /** Drops all connections and refuses new ones; the answer lets them in again. */
  refuse(): () => void;
  close(): Promise<void>;
};

const HOST = "127.0.0.1";

/**
 * Passes connections on to another port of the loopback, so that they can be broken and the port
 * can change behind it. `target` is asked at every connection; `answers` may change what comes back.
 */
export async function startTcpRelay(
  target: () => number,
  answers?: (ownPort: number) => Duplex,
): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let passable = Promise.resolve();
  /** Lets bytes through, in order, while the relay is not stalled. */
  const gate = (): Duplex =>
    new Transform({
      transform(bytes, _encoding, done) {
        void passable.then(() => done(null, bytes));
      },
    });
  const server = createServer((client) => {
    const upstream = connect(target(), HOST);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.pipe(gate()).pipe(upstream);
    upstream.pipe(answers?.(port) ?? gate()).pipe(client);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  function drop(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port,
    drop,
    stall() {
      const { promise, resolve } = Promise.withResolvers<void>();
      passable = promise;
      return resolve;
    },
    refuse() {
      server.close();
      drop();
      return () => void server.listen(port, HOST);
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      drop();
      await closed;
    },
  };
}

/** A relay on the way to a database, and the database's URL by that way. */
export async function relayTo(databaseUrl: string): Promise<TcpRelay & { readonly url: string }> {
  const url = new URL(databaseUrl);
  const target = Number(url.port);
  const relay = await startTcpRelay(() => target);
  url.port = String(relay.port);
  return { ...relay, url: url.href };
}
