import { on, once } from "node:events";
import type { MessagePort } from "node:worker_threads";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";

/** Messages of a worker thread: first its beginning, then the chunks, then the end. */
type PortMessage<B> =
  | { readonly begin: B }
  | { readonly chunk: EncodedChunk }
  | { readonly done: true };

/** Most chunks in flight to the log; beyond them the worker waits. */
const MAX_UNTAKEN_CHUNKS = 8;

/** The worker's end of a port for chunks. */
export type ChunkSender<B> = {
  readonly begin: (begin: B) => void;
  /** Waits while too many chunks are in flight. */
  readonly send: (chunk: EncodedChunk | null) => Promise<void>;
  /** False once the receiver needs no more. */
  readonly isOpen: () => boolean;
  /** Signals that there are no more chunks, for whatever reason. */
  readonly end: () => void;
};

export function createChunkSender<B>(port: MessagePort): ChunkSender<B> {
  const closed = once(port, "close");
  let untaken = 0;
  let open = true;
  port.on("message", () => {
    untaken -= 1;
  });
  void closed.then(() => {
    open = false;
  });
  const post = (message: PortMessage<B>): void => port.postMessage(message);
  return {
    begin: (begin) => post({ begin }),
    send: async (chunk) => {
      if (chunk === null) return;
      post({ chunk });
      untaken += 1;
      while (open && untaken >= MAX_UNTAKEN_CHUNKS) {
        await Promise.race([once(port, "message"), closed]);
      }
    },
    isOpen: () => open,
    end: () => {
      post({ done: true });
      port.close();
    },
  };
}

export type ReceivedChunks<B> = {
  /** Null when the worker ended before its beginning; its result has the reason. */
  readonly begin: B | null;
  /** Can be read once. They end early when the worker fails; its result has the reason. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
};

/** The receiver's end. Closing `port` tells the worker to stop. */
export async function receiveChunks<B>(
  port: MessagePort,
  result: Promise<unknown>,
): Promise<ReceivedChunks<B>> {
  // A worker that fails closes its port; the fault is then thrown where the result is awaited.
  result.catch(() => port.close());
  const messages = on(port, "message", { close: ["close"] }) as AsyncIterator<[PortMessage<B>]>;
  const { value } = await messages.next();
  const [first] = value ?? [];
  const begin = first !== undefined && "begin" in first ? first.begin : null;
  return { begin, chunks: chunksOf(port, messages) };
}

async function* chunksOf<B>(
  port: MessagePort,
  messages: AsyncIterator<[PortMessage<B>]>,
): AsyncGenerator<EncodedChunk> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) {
    const [message] = next.value;
    if (!("chunk" in message)) return;
    port.postMessage("taken");
    yield message.chunk;
  }
}
