import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import type { Asker } from "../kernel/asker.ts";
import { createFairQueue, type FairQueue } from "../kernel/fair-queue.ts";
import { type Channel, ChannelClosed, openChannel } from "./channel.ts";
import { newPulse, watch } from "./pulse.ts";
import type { ThreadTask } from "./task.ts";
import {
  type StreamOptions,
  TaskStuck,
  type ThreadKind,
  type WorkerThreads,
} from "./worker-threads.ts";

/** Priority below the main thread's (nice(2)): reading a million events does not slow answers. */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;

type Parts = {
  readonly kind: Pick<ThreadKind, "stuckAfterSeconds" | "endsThread">;
  readonly pool: Piscina;
  /** Tasks wait here, because those in the pool's own queue are lost when a thread is ended. */
  readonly queue: FairQueue;
};

type Task = object | (() => Promise<object>);

/** Threads for work that must not block other requests. They are started on demand. */
export function createWorkerThreads<M>(kind: ThreadKind<M>): WorkerThreads<M> {
  const { entry, queue, tasksPerThread = 1, heap } = kind;
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: Math.ceil(queue.running / tasksPerThread),
    concurrentTasksPerWorker: tasksPerThread,
    idleTimeout: IDLE_TIMEOUT_MS,
    filename: entry.href,
    niceIncrement: NICE,
    ...(heap && { resourceLimits: heap }),
    // Otherwise a worker blocks its thread between tasks before its messages are sent.
    atomics: "disabled",
  });
  const parts: Parts = { kind, pool, queue: createFairQueue(queue) };
  const stream = (...message: [string, Task, Asker, StreamOptions?]) => streamOf(parts, ...message);
  const run = async (...message: [string, Task, Asker]): Promise<unknown> => {
    const items = stream(...message);
    for (;;) {
      const { done, value } = await items.next();
      if (done) return value;
    }
  };
  // The types come from the module of the tasks.
  return { stream, run, close: () => pool.destroy() } as WorkerThreads<M>;
}

async function* streamOf(
  { kind, pool, queue }: Parts,
  name: string,
  task: Task,
  asker: Asker,
  { input = nothing(), answer }: StreamOptions = {},
): AsyncGenerator<unknown, unknown> {
  asker.signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const channel = openChannel<unknown, unknown, Uint8Array, void>(port1, 1, answer);
  const leaving = new AbortController();
  const signal = AbortSignal.any([asker.signal, leaving.signal]);
  const perform = async (): Promise<void> => {
    const made = typeof task === "function" ? await task() : task;
    signal.throwIfAborted();
    const message = { name, task: made, port: port2 };
    await performIn(pool, message, kind, kind.endsThread ? signal : null);
  };
  const ended = queue.run({ ...asker, signal }, perform);
  ended.catch(channel.close);
  signal.addEventListener("abort", channel.close);
  const broken = new AbortController();
  const fed = feed(channel, input).catch((error: unknown) => {
    broken.abort(error);
    channel.close();
  });
  let hasEnded = false;
  try {
    const result = yield* channel.received();
    hasEnded = true;
    return result;
  } catch (error) {
    // Its task's own error, after which it ends by itself.
    hasEnded = !(error instanceof ChannelClosed);
    broken.signal.throwIfAborted();
    asker.signal.throwIfAborted();
    // The reason why the channel was closed without an end.
    if (!hasEnded) await ended;
    throw error;
  } finally {
    channel.close();
    if (!hasEnded) leaving.abort();
    await fed;
    if (hasEnded || kind.endsThread) await ended.catch(() => undefined);
  }
}

type Performed = Omit<ThreadTask<object>, "pulse"> & { readonly name: string };

/** Resolves when the task has ended, with its outcome in the channel. */
async function performIn(
  pool: Piscina,
  { name, ...message }: Performed,
  { stuckAfterSeconds }: Pick<ThreadKind, "stuckAfterSeconds">,
  signal: AbortSignal | null,
): Promise<void> {
  const pulse = newPulse();
  const watchdog = watch(pulse, stuckAfterSeconds, (thread) => {
    void pool.threads.find(({ threadId }) => threadId === thread)?.terminate();
  });
  try {
    const options = { name, transferList: [message.port], ...(signal && { signal }) };
    await pool.run({ ...message, pulse }, options);
  } catch (error) {
    if (watchdog.hasBitten()) throw new TaskStuck(name, stuckAfterSeconds, error);
    throw error;
  } finally {
    watchdog.stop();
  }
}

/** Sends the pieces until the other end needs no more. */
async function feed(
  { send, end }: Pick<Channel<unknown, unknown, Uint8Array, void>, "send" | "end">,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    // A copy, since a piece may be part of a larger buffer, which would be sent whole.
    const bytes = new Uint8Array(piece);
    if (!(await send(bytes, [bytes.buffer]))) return;
  }
  end();
}

async function* nothing(): AsyncGenerator<never> {}
