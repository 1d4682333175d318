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

export type StreamOptions<I> = {
  /** Most items that wait for the caller. Default 2. */
  readonly ahead?: number;
  /** The buffers of an item to transfer to the other thread instead of copying. */
  readonly moved?: (item: I) => readonly Transferable[];
};

/** A stream that a thread produces. */
export function workerStream<T, I, R>(
  work: Work<T, I, R>,
  { ahead = 2, moved }: StreamOptions<I> = {},
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
      channel.end(next.value);
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
): WorkerTask<T, never, R> {
  // biome-ignore lint/correctness/useYield: a stream without items
  return workerStream(async function* (task, { alive }) {
    return await work(task, alive);
  });
}
