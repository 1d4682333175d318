import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { WebhookBody } from "#contracts/events/notices.ts";

/** A status to answer with, or what a broken receiver does instead. */
export type Behaviour =
  | number
  | { readonly status: number; readonly retryAfter: string }
  | "hang"
  | "reset"
  | "redirect";

export type ReceivedCall = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  readonly body: WebhookBody;
};

export type WebhookReceiver = {
  readonly url: string;
  /** Every call that came in, whatever was answered. */
  readonly calls: ReceivedCall[];
  /** The bodies of the calls that were answered 2xx. */
  readonly taken: WebhookBody[];
  /** What is done with the calls from now on; asked for each of them. */
  readonly behave: (next: (body: WebhookBody) => Behaviour | Promise<Behaviour>) => void;
  /** Forgets all calls, and answers 200 again. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
};

/** A webhook on a free port of the loopback. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const taken: WebhookBody[] = [];
  let behave: (body: WebhookBody) => Behaviour | Promise<Behaviour> = () => 200;

  const server = createServer(async (request, response) => {
    const content = await text(request);
    const body = WebhookBody.parse(JSON.parse(content));
    calls.push({ path: request.url ?? "", headers: request.headers, text: content, body });
    const behaviour = await behave(body);
    if (behaviour === "hang") return;
    if (behaviour === "reset") {
      request.socket.destroy();
    } else if (behaviour === "redirect") {
      response.writeHead(307, { location: "/elsewhere" }).end();
    } else if (typeof behaviour === "object") {
      const { status, retryAfter } = behaviour;
      response.writeHead(status, { "retry-after": retryAfter }).end("not now");
    } else {
      if (behaviour >= 200 && behaviour < 300) taken.push(body);
      response.writeHead(behaviour).end("an answer");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    taken,
    behave: (next) => {
      behave = next;
    },
    reset: () => {
      calls.length = 0;
      taken.length = 0;
      behave = () => 200;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
