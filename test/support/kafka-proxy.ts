import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

export type KafkaProxy = {
  /** `host:port` */
  readonly address: string;
  /** Drops all connections; new ones are accepted. */
  drop(): void;
  close(): Promise<void>;
};

const HOST = "127.0.0.1";

/** A broker's address in an answer, as the protocol has it: length and text of the host, then the port. */
const HOST_FIELD = Buffer.concat([Buffer.from([0, HOST.length]), Buffer.from(HOST)]);

/**
 * Stands between clients and the one broker of a cluster: answers name the proxy as the broker, so
 * that clients come back to it whatever port the cluster has next. `port` is asked at every
 * connection.
 */
export async function startKafkaProxy(port: () => number): Promise<KafkaProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(port(), HOST);
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.pipe(broker);
    broker.pipe(renaming(own)).pipe(client);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;

  function drop(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    address: `${HOST}:${own}`,
    drop,
    async close() {
      const closed = once(server, "close");
      server.close();
      drop();
      await closed;
    },
  };
}

/** Puts `port` behind every host of whole answers; each begins with its length in 4 bytes. */
function renaming(port: number): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
        const end = 4 + held.readUInt32BE(0);
        const answer = Buffer.from(held.subarray(0, end));
        held = held.subarray(end);
        for (let at = answer.indexOf(HOST_FIELD); at >= 0; ) {
          const field = at + HOST_FIELD.length;
          if (field + 4 <= answer.length) answer.writeUInt32BE(port, field);
          at = answer.indexOf(HOST_FIELD, field);
        }
        this.push(answer);
      }
      done();
    },
  });
}
