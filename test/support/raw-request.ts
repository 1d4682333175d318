import { connect } from "node:net";
import { type RudeRequest, requestBytes } from "./rude-client.ts";

export type RawResponse = {
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
