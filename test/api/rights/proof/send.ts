import { Agent, type OutgoingHttpHeaders, request } from "node:http";

export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
};

export type Answered = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
};

const SILENCE_MS = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Many small requests by connections that stay, but for those that are to become sockets. Of an answer without
 * an end only the head is taken.
 */
export function send(url: string, sent: Sent): Promise<Answered> {
  const { method, path, headers, body } = sent;
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const own = headers["upgrade"] === undefined ? agent : false;
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const options = { agent: own, hostname, port, method, path, headers: { ...type, ...headers } };
  const asked = request(options, (response) => {
    const { statusCode: status = 0, headers: received } = response;
    if (received["content-type"]?.startsWith("text/event-stream")) {
      resolve({ status, headers: received, text: "" });
      response.destroy();
      return;
    }
    response.setEncoding("utf8");
    response.toArray().then((parts) => {
      resolve({ status, headers: received, text: parts.join("") });
    }, reject);
  });
  asked.on("upgrade", ({ statusCode: status = 0, headers: received }, socket) => {
    resolve({ status, headers: received, text: "" });
    socket.destroy();
  });
  asked.setTimeout(SILENCE_MS, () => asked.destroy(new Error(`${path} is not answered`)));
  asked.on("error", (error: NodeJS.ErrnoException) => {
    // The service closed the connection just when it was taken again.
    if (asked.reusedSocket && error.code === "ECONNRESET") resolve(send(url, sent));
    else reject(error);
  });
  asked.end(body);
  return promise;
}

/** Connections that wait for a next request. */
export function closeConnections(): void {
  agent.destroy();
}
