import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { vi } from "vitest";
import type { AlertMessage } from "#contracts/http/alerts.ts";

/** A status, or what a receiver does that is broken or hostile. */
export type ReceiverBehaviour = number | "hang" | "redirect" | "stream";

type Answered = ReceiverBehaviour | Promise<ReceiverBehaviour>;

export type ReceivedAlert = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** Of JSON; empty of CAP. */
  readonly body: AlertMessage;
};

export type AlertReceiver = {
  readonly url: string;
  readonly calls: ReceivedAlert[];
  /** Bytes that a stream that never ends has written to those that read it. */
  readonly streamed: () => number;
  /** What is done with the calls from now on. */
  readonly behave: (next: ReceiverBehaviour | ((call: ReceivedAlert) => Answered)) => void;
  /** The calls below a path, once there are so many. */
  readonly taken: (path: string, count: number) => Promise<ReceivedAlert[]>;
  readonly close: () => Promise<void>;
};

/** A receiver of alerts on a free port of the loopback. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const calls: ReceivedAlert[] = [];
  let behave: (call: ReceivedAlert) => Answered = () => 200;
  let streamed = 0;

  function stream(response: ServerResponse): void {
    const piece = Buffer.alloc(16 * 1024);
    const more = (): void => {
      do streamed += piece.length;
      while (!response.destroyed && response.write(piece));
    };
    response.writeHead(200).on("drain", more);
    more();
  }

  const server = createServer(async (request, response) => {
    const content = await text(request);
    const isJson = request.headers["content-type"] === "application/json";
    const call = { path: request.url ?? "", headers: request.headers, text: content };
    const body = isJson ? JSON.parse(content) : {};
    calls.push({ ...call, body });
    const behaviour = await behave({ ...call, body });
    if (behaviour === "hang") return;
    if (behaviour === "stream") stream(response);
    else if (behaviour === "redirect") {
      response.writeHead(302, { location: `${request.url}/elsewhere` }).end();
    } else response.writeHead(behaviour).end("an answer");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    streamed: () => streamed,
    behave: (next) => {
      behave = typeof next === "function" ? next : () => next;
    },
    taken: (path, count) =>
      vi.waitFor(
        () => {
          const ours = calls.filter((call) => call.path.startsWith(path));
          if (ours.length < count) throw new Error(`${ours.length} of ${count} calls at ${path}`);
          return ours;
        },
        { timeout: 30_000 },
      ),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The signature of Standard Webhooks that a body should have. */
export function expectedSignature(secret: string, { headers, text: body }: ReceivedAlert): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
