import { Agent, request } from "node:http";

export type SentRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

/** What came of a request: an answer, none in time, or a connection that was closed without one. */
export type Outcome = Answered | "hang" | "closed";

/** Of an answer that has no end of its own, and of one that is larger than anybody looks at. */
const ENOUGH_BYTES = 8 * 1024 * 1024;

export type Sender = {
  readonly send: (sent: SentRequest, deadlineMs: number) => Promise<Outcome>;
  readonly close: () => void;
};

/** Sends requests as they are, over connections that are kept; addresses are not put right. */
export function createSender(url: string): Sender {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function send(
    { method, target, headers, body }: SentRequest,
    deadlineMs: number,
  ): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const length = body === null ? {} : { "content-length": String(body.length) };
    const sent = request({
      hostname,
      port,
      agent,
      method,
      path: target,
      headers: { ...length, ...headers },
    });
    const deadline = setTimeout(() => {
      resolve("hang");
      sent.destroy();
    }, deadlineMs);
    sent.on("error", () => resolve("closed"));
    sent.on("response", (response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      const status = response.statusCode ?? 0;
      const finish = () =>
        resolve({ status, headers: response.headers, body: Buffer.concat(pieces) });
      const isStream = response.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        if (!isStream && length < ENOUGH_BYTES) return;
        finish();
        response.destroy();
      });
      response.on("end", finish);
      response.on("error", () => resolve("closed"));
      if (isStream)
        setTimeout(() => {
          finish();
          response.destroy();
        }, 100);
    });
    sent.end(body ?? undefined);
    try {
      return await promise;
    } finally {
      clearTimeout(deadline);
    }
  }

  return { send, close: () => agent.destroy() };
}
