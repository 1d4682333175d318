import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { type Channel, ChannelClosed, openChannel } from "./channel.ts";
import { newPulse, watch } from "./pulse.ts";
import type { GivenTask } from "./task.ts";
import {
  type RunOptions,
  type StreamOptions,
  TaskStuck,
  type WorkerThreads,
  type WorkerThreadsOptions,
} from "./worker-threads.ts";

/** Priority below the main thread's (nice(2)): reading a million events does not slow answers. */
const NICE = 10;
const IDLE_TIMEOUT_MS = 30_000;

/** Threads for work that must not block other requests. They are started on demand. */
export function createWorkerThreads<M>(given: WorkerThreadsOptions): WorkerThreads<M> {
  const { entry, stuckAfterSeconds, ...options } = given;
  const pool = new Piscina({
    minThreads: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    ...options,
    filename: entry.href,
    niceIncrement: NICE,
    // Otherwise a worker blocks its thread between tasks before its messages are sent.
    atomics: "disabled",
  });
  // Tasks wait here, because those in the pool's own queue are lost when a thread is ended.
  const slots = createRequestSlots(options.maxThreads * (options.concurrentTasksPerWorker ?? 1));

  /** Resolves when the task has ended, with its outcome in the channel. */
  async function perform(
    name: string,
    given: Omit<GivenTask<object>, "pulse">,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const pulse = newPulse();
    const watchdog = watch(pulse, stuckAfterSeconds, (thread) => {
      void pool.threads.find(({ threadId }) => threadId === thread)?.terminate();
    });
    try {
      await pool.run(
        { ...given, pulse },
        { name, transferList: [given.port], ...(signal && { signal }) },
      );
    } catch (error) {
      if (watchdog.hasBitten()) throw new TaskStuck(name, stuckAfterSeconds, error);
      throw error;
    } finally {
      watchdog.stop();
    }
  }

  async function* stream(
    name: string,
    task: object,
    { signal, input = nothing(), answer, endsThread = false }: StreamOptions = {},
  ): AsyncGenerator<unknown, unknown> {
    signal?.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    const channel = openChannel<unknown, unknown, Uint8Array, void>(port1, 1, answer);
    const leaving = new AbortController();
    const either = AbortSignal.any(signal ? [signal, leaving.signal] : [leaving.signal]);
    const given = { task, port: port2 };
    const ended = slots.run(() => perform(name, given, endsThread ? either : signal), either);
    ended.catch(channel.close);
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
      broken.signal.throwIfAborted();
      signal?.throwIfAborted();
      // The reason why the channel was closed without an end.
      if (error instanceof ChannelClosed) await ended;
      throw error;
    } finally {
      channel.close();
      if (!hasEnded) leaving.abort();
      await fed;
      if (hasEnded || endsThread) await ended.catch(() => undefined);
    }
  }

  async function run(name: string, task: object, options?: RunOptions): Promise<unknown> {
    const items = stream(name, task, options);
    for (;;) {
      const { done, value } = await items.next();
      if (done) return value;
    }
  }

  // The types come from the module of the tasks.
  return { stream, run, close: () => pool.close() } as WorkerThreads<M>;
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
