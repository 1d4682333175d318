import type { EncodedChunk } from "#infra/log/chunks.ts";

/** Most chunks of a worker thread that wait for the log. */
export const CHUNKS_AHEAD = { ahead: 8 };

/** The chunks of a revision among the items of a worker thread. */
export type Chunk = { readonly chunk: EncodedChunk };

export type ChunkStream<R> = {
  /** Can be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** The thread's result; chunks that were not read are dropped. */
  readonly end: () => Promise<R>;
};

/** Passes other items to `onOther` as they come. */
export function chunksOf<N extends object, R>(
  items: AsyncGenerator<N | Chunk, R>,
  onOther: (item: N) => void,
): ChunkStream<R> {
  let result: { readonly value: R } | null = null;
  async function* read(): AsyncGenerator<EncodedChunk> {
    for (let next = await items.next(); ; next = await items.next()) {
      if (next.done) {
        result = { value: next.value };
        return;
      }
      if ("chunk" in next.value) yield next.value.chunk;
      else onOther(next.value);
    }
  }
  const chunks = read();
  return {
    chunks,
    async end() {
      for await (const _chunk of chunks);
      if (result === null) throw new Error("the chunks were given up before their end");
      return result.value;
    },
  };
}

/** A stream that begins with what is known before its first chunk; it ends with `use`. */
export async function useChunks<B extends object, R, T>(
  items: AsyncGenerator<{ readonly begin: B } | Chunk, R>,
  use: (stream: B & ChunkStream<R>) => Promise<T>,
): Promise<T> {
  try {
    const first = await items.next();
    if (first.done || !("begin" in first.value)) throw new Error("a stream without a beginning");
    const { begin } = first.value;
    return await use({ ...begin, ...chunksOf(items, () => {}) });
  } finally {
    await items.return(undefined as R);
  }
}

/** Passes chunks on and tells how many changes those so far have. */
export async function* countedChunks(
  chunks: AsyncIterable<EncodedChunk>,
  onCount: (done: number) => void,
): AsyncGenerator<EncodedChunk> {
  let done = 0;
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.count;
    onCount(done);
  }
}
