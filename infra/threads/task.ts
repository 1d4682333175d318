import type { MessagePort, Transferable } from "node:worker_threads";
import { type Call, openChannel } from "./channel.ts";
import { type Alive, beat } from "./pulse.ts";

/** What a thread gets for a task: its channel, and shared memory in which it shows that it is alive. */
export type ThreadTask<T> = {
  readonly task: T;
  readonly port: MessagePort;
  readonly pulse: SharedArrayBuffer;
};

/** A task's connection with its caller. */
export type Link = {
  readonly alive: Alive;
  /** The caller's pieces; can be read once. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Calls the caller's `answer`. */
  readonly call: Call;
};

/** A stream's items and, at its end, its result. The caller may leave early: then it is returned. */
type Work<T, I, R> = (task: T, link: Link) => AsyncGenerator<I, R>;

/** An entry point of a worker thread; `work` is there for its types. */
export type WorkerTask<T, I, R> = {
  (message: ThreadTask<T>): Promise<void>;
  readonly work?: Work<T, I, R>;
};

/** The buffers of a value to transfer to the other thread instead of copying. */
type Moved<V> = (value: V) => readonly Transferable[];

export type StreamOptions<I, R = never> = {
  /** Most items that wait for the caller. Default 2. */
  readonly ahead?: number;
  /** Of an item. */
  readonly moved?: Moved<I>;
  /** Of the result. */
  readonly movedAtEnd?: Moved<R>;
};

/** A stream that a thread produces. */
export function workerStream<T, I, R>(
  work: Work<T, I, R>,
  { ahead = 2, moved, movedAtEnd }: StreamOptions<I, R> = {},
): WorkerTask<T, I, R> {
  return async ({ task, port, pulse }) => {
    const { alive, stop } = beat(pulse);
    const channel = openChannel<Uint8Array, void, I, R>(port, ahead);
    try {
      const items = work(task, { alive, input: channel.received(), call: channel.call });
      let next = await items.next();
      while (!next.done) {
        if (!(await channel.send(next.value, moved?.(next.value)))) {
          // Runs its `finally`; nobody waits for its result.
          await items.return(undefined as R);
          return;
        }
        next = await items.next();
      }
      channel.end(next.value, movedAtEnd?.(next.value));
    } catch (error) {
      channel.fail(error);
    } finally {
      stop();
      channel.close();
    }
  };
}

/** A task with a result alone. */
export function workerTask<T, R>(
  work: (task: T, alive: Alive) => R | Promise<R>,
  { moved }: { readonly moved?: Moved<R> } = {},
): WorkerTask<T, never, R> {
  return workerStream(
    // biome-ignore lint/correctness/useYield: a stream without items
    async function* (task, { alive }) {
      return await work(task, alive);
    },
    { ...(moved && { movedAtEnd: moved }) },
  );
}
