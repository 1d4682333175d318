/**
 * A task as its thread runs it, the channel between thread and caller, and the pulse by which a
 * stuck thread is found. Worker threads load this file; it loads no package.
 */

import { type MessagePort, type Transferable, threadId } from "node:worker_threads";
import { type ErrorCode, Refusal } from "#contracts/errors.ts";

/** What a thread gets for a task: its channel, and shared memory in which it shows that it is alive. */
export type ThreadTask<T> = {
  readonly task: T;
  readonly port: MessagePort;
  readonly pulse: SharedArrayBuffer;
};

/** What threads are told at their start, as `workerData`. */
export type ThreadStart = { readonly databaseUrl: string };

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

/**
 * A stream that a thread produces.
 * @param options `ahead`: most items that wait for the caller; `moved` of an item, `movedAtEnd` of the result
 */
export function workerStream<T, I, R>(
  work: Work<T, I, R>,
  options: {
    readonly ahead?: number;
    readonly moved?: Moved<I>;
    readonly movedAtEnd?: Moved<R>;
  } = {},
): WorkerTask<T, I, R> {
  const { ahead = 2, moved, movedAtEnd } = options;
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

/** A refusal keeps its class between threads; other errors arrive as `Error`. */
type Failure =
  | { readonly code: ErrorCode; readonly message: string; readonly details?: readonly unknown[] }
  | { readonly error: unknown };

type Message<T, R> =
  | { readonly item: T }
  | { readonly taken: true }
  | { readonly end: R }
  | { readonly failed: Failure }
  | { readonly call: number; readonly question: unknown }
  | { readonly answer: unknown; readonly to: number }
  | { readonly failed: Failure; readonly to: number };

/** The other end was closed, or its thread has ended. */
export class ChannelClosed extends Error {
  override readonly name = "ChannelClosed";

  constructor() {
    super("the other end of the channel is closed");
  }
}

/** A function of the other thread. @throws its errors; ChannelClosed */
export type Call = <Q, A>(question: Q) => Promise<A>;

/** Answers calls of the other thread; `gone` aborts when the channel is closed. */
export type Answer = (question: never, gone: AbortSignal) => Promise<unknown>;

/**
 * One end of a channel between two threads, for items with back pressure and for calls.
 * @param ahead most items sent that the other end has not taken
 */
export function openChannel<In, InEnd, Out, OutEnd>(
  port: MessagePort,
  ahead: number,
  answer?: Answer,
) {
  const gone = new AbortController();
  const queue: Message<In, InEnd>[] = [];
  const change = createChange();
  let untaken = 0;

  const post = (message: Message<Out, OutEnd>, moved: readonly Transferable[] = []): void =>
    port.postMessage(message, moved);
  const calls = createCalls(post);

  port.on("message", (message: Message<In, InEnd>) => {
    if ("call" in message) return void serve(post, message, answer, gone.signal);
    if ("to" in message) return calls.settle(message);
    if ("taken" in message) untaken -= 1;
    else queue.push(message);
    change.wake();
  });
  port.on("close", () => {
    gone.abort(new ChannelClosed());
    calls.fail(gone.signal.reason);
    change.wake();
  });

  return {
    /**
     * Sends an item and waits while the other end has too many that it has not taken.
     * @returns false when the channel is closed
     */
    async send(item: Out, moved?: readonly Transferable[]): Promise<boolean> {
      post({ item }, moved);
      untaken += 1;
      while (!gone.signal.aborted && untaken >= ahead) await change.next();
      return !gone.signal.aborted;
    },
    /** After the last item. */
    end: (end: OutEnd, moved?: readonly Transferable[]): void => post({ end }, moved),
    /** Instead of an end. */
    fail: (error: unknown): void => postFailure(post, error),
    /** The other end's items, which can be read once, and its end. @throws its error; ChannelClosed */
    received: () => receive(queue, change.next, gone.signal, () => post({ taken: true })),
    call: (<Q, A>(question: Q): Promise<A> => {
      gone.signal.throwIfAborted();
      return calls.ask(question);
    }) satisfies Call,
    close: () => port.close(),
  };
}

async function serve(
  post: (message: Message<never, never>) => void,
  { call: to, question }: { readonly call: number; readonly question: unknown },
  answer: Answer | undefined,
  gone: AbortSignal,
): Promise<void> {
  try {
    post({ answer: await answer?.(question as never, gone), to });
  } catch (error) {
    postFailure(post, error, { to });
  }
}

function createChange() {
  let changed = Promise.withResolvers<void>();
  return {
    next: () => changed.promise,
    wake(): void {
      changed.resolve();
      changed = Promise.withResolvers();
    },
  };
}

async function* receive<In, InEnd>(
  queue: Message<In, InEnd>[],
  changed: () => Promise<void>,
  gone: AbortSignal,
  onTaken: () => void,
): AsyncGenerator<In, InEnd> {
  for (;;) {
    const message = queue.shift();
    if (message === undefined) {
      gone.throwIfAborted();
      await changed();
    } else if ("item" in message) {
      onTaken();
      yield message.item;
    } else if ("end" in message) return message.end;
    else if ("failed" in message) throw errorOf(message.failed);
  }
}

/** Calls to the other end that wait for their answers. */
function createCalls(post: (message: Message<never, never>) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  return {
    ask<Q, A>(question: Q): Promise<A> {
      const answered = Promise.withResolvers<unknown>();
      last += 1;
      waiting.set(last, answered);
      post({ call: last, question });
      return answered.promise as Promise<A>;
    },
    settle(message: Extract<Message<never, never>, { to: number }>): void {
      const answered = waiting.get(message.to);
      waiting.delete(message.to);
      if ("failed" in message) answered?.reject(errorOf(message.failed));
      else answered?.resolve(message.answer);
    },
    fail(reason: unknown): void {
      for (const { reject } of waiting.values()) reject(reason);
    },
  };
}

function postFailure(
  post: (message: Message<never, never>) => void,
  error: unknown,
  to: { readonly to?: number } = {},
): void {
  try {
    post({ failed: failureOf(error), ...to });
  } catch {
    // It has something that cannot be sent, such as a function.
    post({ failed: { error: new Error(String(error)) }, ...to });
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Refusal)) return { error };
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

function errorOf(failure: Failure): unknown {
  if ("error" in failure) return failure.error;
  const { code, message, details } = failure;
  return new Refusal(code, message, details && { details });
}

/** Call it inside computations that block the thread's event loop for long. */
export type Alive = () => void;

/** Indexes in the pulse: the number of beats, and the thread that beats (0: not started). */
const BEATS = 0;
const THREAD = 1;
const BEAT_MS = 250;
const LOOK_MS = 1_000;

/** Shared memory in which a thread shows that it is alive. */
export const newPulse = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

/**
 * Beats while the thread's event loop turns, also while its task waits; an endless loop stops it.
 */
function beat(pulse: SharedArrayBuffer) {
  const beats = new Int32Array(pulse);
  const alive = (): void => {
    Atomics.add(beats, BEATS, 1);
  };
  Atomics.store(beats, THREAD, threadId);
  const timer = setInterval(alive, BEAT_MS);
  return { alive, stop: () => clearInterval(timer) };
}

/** Watches a pulse once it has begun. It counts checks: a suspended process makes none. */
export function watch(
  pulse: SharedArrayBuffer,
  patience: number,
  bite: (threadId: number) => void,
) {
  const beats = new Int32Array(pulse);
  let seen = -1;
  let still = 0;
  let bitten = false;
  const timer = setInterval(() => {
    const thread = Atomics.load(beats, THREAD);
    const now = Atomics.load(beats, BEATS);
    still = thread !== 0 && now === seen ? still + 1 : 0;
    seen = now;
    if (still < patience) return;
    clearInterval(timer);
    bitten = true;
    bite(thread);
  }, LOOK_MS);
  return { hasBitten: () => bitten, stop: () => clearInterval(timer) };
}
