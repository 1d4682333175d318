import { connect, type Socket } from "node:net";

/** How a client leaves: with a FIN, with a RST, with a FIN of its own direction alone, or not at all. */
export const WAYS_OUT = ["destroy", "reset", "half-close", "stall"] as const;

type Rudeness = {
  readonly leaves: (typeof WAYS_OUT)[number];
  /** Bytes of the request that are sent; all when absent. */
  readonly sends?: number;
  /** Bytes of the answer that are taken before it leaves; 0 leaves before its head. */
  readonly takes: number;
  /** What it waits for once it has sent its request, and again when it stalls. */
  readonly lingers: () => Promise<unknown>;
};

/** Asks for something and leaves before it has it all; resolves once its connection is closed. */
export async function askRudely(
  url: string,
  request: Buffer,
  { leaves, sends = request.length, takes, lingers }: Rudeness,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  // Whatever the server makes of it.
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(request.subarray(0, sends));
  await Promise.race([lingers(), closed]);
  if (takes > 0 && sends === request.length) await Promise.race([taken(socket, takes), closed]);
  if (leaves === "half-close") {
    socket.end().resume();
    await closed;
  }
  if (leaves === "stall") await Promise.race([lingers(), closed]);
  if (leaves === "reset") socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

async function taken(socket: Socket, bytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  socket.on("data", (piece) => {
    count += piece.length;
    if (count < bytes) return;
    socket.pause().removeAllListeners("data");
    resolve();
  });
  socket.once("end", resolve);
  await promise;
}

export type RudeRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
};

/** A request as it goes over the wire. */
export function requestBytes({ method = "GET", path, headers = {}, body }: RudeRequest): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`content-length: ${body.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

type RawResponse = {
  readonly status: number;
  /** Status line and header fields. */
  readonly head: string;
  readonly body: string;
};

/** Sends a request byte by byte as given: a client library would refuse it, or mend its path. */
export async function rawRequest(url: string, request: RudeRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const headers = { ...request.headers, connection: "close" };
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.write(requestBytes({ ...request, headers }));
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  socket.destroy();
  const text = Buffer.concat(pieces).toString();
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end);
  return { status: Number(head.split(" ")[1]), head, body: text.slice(end + 4) };
}
