/** A client of the change feed, by server-sent events or by WebSocket. */

type Properties = Readonly<Record<string, unknown>> & {
  readonly event_id: string;
  readonly version: number;
  readonly catalogue: string;
};

export type FeedData = {
  readonly id?: string;
  readonly geometry?: { readonly type: string; readonly coordinates: readonly (number | null)[] };
  readonly properties?: Properties;
} & Readonly<Record<string, unknown>>;

export type FeedMessage = {
  readonly id: string;
  readonly action: "create" | "update" | "delete" | "ready" | "version";
  readonly data?: FeedData;
  readonly reason?: "added" | "removed" | "revised";
  readonly before?: FeedData;
  readonly now?: FeedData;
};

export type FeedClient = {
  readonly headers: Headers;
  /** The first lines, with the id to begin from; empty for a WebSocket. */
  readonly preamble: string;
  /** The next message; null at the end of the stream. */
  readonly next: () => Promise<FeedMessage | null>;
  /** The next messages. @throws Error when the stream ends before */
  readonly take: (count: number) => Promise<FeedMessage[]>;
  /** Reads on to the end. @returns the code of a WebSocket's end, or null */
  readonly ended: () => Promise<number | null>;
  readonly close: () => void;
};

/** @throws Error with the status where it is not 200 */
export async function followEvents(
  url: string,
  { token, ...headers }: { readonly token?: string } & Readonly<Record<string, string>> = {},
  ending?: AbortSignal,
): Promise<FeedClient> {
  const aborting = new AbortController();
  const signal = ending ? AbortSignal.any([aborting.signal, ending]) : aborting.signal;
  const given = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { headers: given, signal });
  if (answer.status !== 200 || answer.body === null) {
    throw new Error(`${answer.status} ${await answer.text()}`);
  }
  const blocks = blocksOf(answer.body);
  const preamble = (await blocks.next()).value ?? "";
  const next = async (): Promise<FeedMessage | null> => {
    for (;;) {
      const { value } = await blocks.next();
      if (value === undefined) return null;
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(value) ?? [];
      if (id !== undefined && data !== undefined) return { id, ...JSON.parse(data) };
    }
  };
  return {
    ...reading(next),
    headers: answer.headers,
    preamble,
    ended: async () => {
      while ((await next()) !== null);
      return null;
    },
    close: () => aborting.abort(),
  };
}

/** Texts between empty lines; a connection that is cut ends them too. */
async function* blocksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of body) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      yield* blocks;
    }
  } catch {
    return;
  }
}

/** @param url of the feed, http; a socket of this runtime sends no headers of one's own */
export async function followSocket(url: string): Promise<FeedClient> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  const waiting: FeedMessage[] = [];
  const wakes: (() => void)[] = [];
  const wake = () => {
    for (const resolve of wakes.splice(0)) resolve();
  };
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  let isOver = false;
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(new Error(`${url} is no WebSocket`)));
  socket.addEventListener("message", ({ data }) => {
    waiting.push(JSON.parse(String(data)));
    wake();
  });
  socket.addEventListener("close", ({ code }) => {
    isOver = true;
    ended.resolve(code);
    wake();
  });
  await opened.promise;
  const next = async (): Promise<FeedMessage | null> => {
    while (waiting.length === 0 && !isOver) await new Promise<void>((wake) => wakes.push(wake));
    return waiting.shift() ?? null;
  };
  return {
    ...reading(next),
    headers: new Headers(),
    preamble: "",
    ended: () => ended.promise,
    close: () => socket.close(),
  };
}

function reading(next: () => Promise<FeedMessage | null>): Pick<FeedClient, "next" | "take"> {
  return {
    next,
    async take(count) {
      const messages: FeedMessage[] = [];
      while (messages.length < count) {
        const message = await next();
        if (message === null) throw new Error(`the feed ended after ${messages.length} messages`);
        messages.push(message);
      }
      return messages;
    },
  };
}
