import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export type TcpProxy = {
  /** The database's URL by way of the proxy. */
  readonly url: string;
  /** Calls `listener` with everything that clients send from now on, before it is passed on. */
  onRequest(listener: (bytes: Buffer) => void): void;
  /** Drops all connections; new ones are accepted. */
  drop(): void;
  /** Drops all connections and refuses new ones. */
  refuse(): Promise<void>;
};

/** Stands between one test and its database, to break the way there. */
export async function tcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let listener: (bytes: Buffer) => void = () => {};
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("error", () => to.destroy());
    }
    client.on("data", (bytes) => {
      listener(bytes);
      upstream.write(bytes);
    });
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  function drop(): void {
    for (const socket of sockets) socket.destroy();
  }
  async function refuse(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    drop();
    await closed;
  }
  onTestFinished(refuse);
  return {
    url: url.href,
    drop,
    refuse,
    onRequest(given) {
      listener = given;
    },
  };
}
