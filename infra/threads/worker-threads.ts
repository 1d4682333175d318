import { MessageChannel, type ResourceLimits } from "node:worker_threads";
import { Piscina } from "piscina";
import {
  type Asker,
  createFairQueue,
  type FairQueue,
  type QueueLimits,
} from "../kernel/fair-queue.ts";
import {
  type Answer,
  ChannelClosed,
  newPulse,
  openChannel,
  type ThreadStart,
  type ThreadTask,
  type WorkerTask,
  watch,
} from "./task.ts";

/** Threads for tasks of one kind. @template M the module with the tasks: `typeof` its namespace */
export type ThreadKind<M = unknown> = {
  /** The module, whose tasks are each made by `workerStream` or `workerTask`. */
  readonly entry: URL;
  /** Tasks that run and wait; each of the running ones has a thread, or its share of one. */
  readonly queue: QueueLimits;
  /** For tasks that mostly wait; they end together when one of them is stuck. */
  readonly tasksPerThread?: number;
  readonly heap?: ResourceLimits;
  /** A thread ends when it is blocked for this long and its task does not report being alive; absent, 60. */
  readonly stuckAfterSeconds?: number;
  /** Leaving early ends the thread at once, with its requests and queries, instead of telling the task to stop. */
  readonly endsThread?: true;
  /** For its type. */
  readonly tasks?: M;
};

type StreamOptions = {
  /** Pieces for the task, fetched as it takes them. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Answers the task's calls. */
  readonly answer?: Answer;
};

type TaskOf<W> = W extends WorkerTask<infer T, infer _I, infer _R> ? T : never;
type ItemOf<W> = W extends WorkerTask<infer _T, infer I, infer _R> ? I : never;
type ResultOf<W> = W extends WorkerTask<infer _T, infer _I, infer R> ? R : never;

/** A task, or what makes it once there is a thread: nothing large is held while it waits. */
type Given<T> = T | (() => Promise<T>);

export type WorkerThreads<M> = {
  /**
   * The items of a task, in order, and its result. It starts with the first request for an item, and ends with
   * its asker.
   * @throws QueueFull; TaskStuck; the signal's reason; errors of `input`; Refusals of the task, and its other
   * errors without their class
   */
  readonly stream: <N extends keyof M & string>(
    name: N,
    task: Given<TaskOf<M[N]>>,
    asker: Asker,
    options?: StreamOptions,
  ) => AsyncGenerator<ItemOf<M[N]>, ResultOf<M[N]>>;
  /** The result of a task, whose items `onItem` gets as they come. @throws like `stream` */
  readonly run: <N extends keyof M & string>(
    name: N,
    task: Given<TaskOf<M[N]>>,
    asker: Asker,
    onItem?: (item: ItemOf<M[N]>) => void,
  ) => Promise<ResultOf<M[N]>>;
  /** Ends what still runs. */
  readonly close: () => Promise<void>;
};

/** A task was ended because it made no progress. */
export class TaskStuck extends Error {
  override readonly name = "TaskStuck";

  constructor(task: string, seconds: number, cause: unknown) {
    super(`${task} made no progress for ${seconds} s and was ended`, { cause });
  }
}

export type Threads<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends ThreadKind<infer M>
    ? WorkerThreads<M>
    : never;
};

/** Opens the threads of a table; none runs before there is a task. Closing ends what still runs. */
export function openThreads<Table extends Readonly<Record<string, ThreadKind>>>(
  table: Table,
  start: ThreadStart,
) {
  const opened = Object.entries(table).map(
    ([name, kind]) => [name, createWorkerThreads(kind, start)] as const,
  );
  return {
    threads: Object.fromEntries(opened) as unknown as Threads<Table>,
    close: async (): Promise<void> => {
      await Promise.all(opened.map(([, { close }]) => close()));
    },
  };
}

/** Priority below the main thread's (nice(2)): reading a million events does not slow answers. */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;

type Task = object | (() => Promise<object>);

/** Threads for work that must not block other requests. They are started on demand. */
export function createWorkerThreads<M>(kind: ThreadKind<M>, start: ThreadStart): WorkerThreads<M> {
  const { entry, queue, tasksPerThread = 1, heap } = kind;
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: Math.ceil(queue.running / tasksPerThread),
    concurrentTasksPerWorker: tasksPerThread,
    idleTimeout: IDLE_TIMEOUT_MS,
    filename: entry.href,
    workerData: start,
    niceIncrement: NICE,
    ...(heap && { resourceLimits: heap }),
    // Otherwise a worker blocks its thread between tasks before its messages are sent.
    atomics: "disabled",
  });
  // Tasks wait here, because those in the pool's own queue are lost when a thread is ended.
  const parts = { kind, pool, queue: createFairQueue(queue) };
  const stream = (...message: [string, Task, Asker, StreamOptions?]) => streamOf(parts, ...message);
  const run = async (
    name: string,
    task: Task,
    asker: Asker,
    onItem: (item: unknown) => void = () => {},
  ): Promise<unknown> => {
    const items = stream(name, task, asker);
    for (;;) {
      const { done, value } = await items.next();
      if (done) return value;
      onItem(value);
    }
  };
  // The types come from the module of the tasks.
  return { stream, run, close: () => pool.destroy() } as WorkerThreads<M>;
}

async function* streamOf(
  { kind, pool, queue }: { kind: ThreadKind; pool: Piscina; queue: FairQueue },
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

/** Resolves when the task has ended, with its outcome in the channel. */
async function performIn(
  pool: Piscina,
  { name, ...message }: Omit<ThreadTask<object>, "pulse"> & { readonly name: string },
  { stuckAfterSeconds = 60 }: ThreadKind,
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
  { send, end }: ReturnType<typeof openChannel<unknown, unknown, Uint8Array, void>>,
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
