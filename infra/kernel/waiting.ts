/**
 * Waiting and trying again: back-off, sleep, time limits, wake-ups, work that is repeated or
 * kept running.
 */

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "#infra/process/logger.ts";

/**
 * The wait before try `attempt` (from 0): doubled up to `capMs`, with jitter down to half of it.
 */
export function backoffMs(attempt: number, baseMs: number, capMs: number): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return full * (0.5 + Math.random() / 2);
}

export function createBackoff({ baseMs = 100, capMs = 5_000 } = {}) {
  let attempt = 0;
  return {
    /** Milliseconds to wait before the next try. */
    next: () => backoffMs(attempt++, baseMs, capMs),
    /** Call after a success: the next wait is short again. */
    reset(): void {
      attempt = 0;
    },
  };
}

/** Waits `ms`; returns early, without an error, when `signal` aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when `signal` aborts, or has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

const SECOND = 1_000;

/** The wait asked for, in seconds or until a date, at most `longestMs`; null when unreadable. */
export function retryAfterMs(
  header: string | null | undefined,
  nowMs: number,
  longestMs: number,
): number | null {
  if (header === undefined || header === null) return null;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - nowMs;
  return Number.isNaN(wait) ? null : Math.min(longestMs, Math.max(0, wait));
}

/** Resolves when some work has ended, however, or when its time is over. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => resolve();
  work.then(end, end);
  await promise;
  clearTimeout(timer);
}

export type WakeUp = ReturnType<typeof createWakeUp>;

/** Wakes waiting callers, and callers that are about to wait. */
export function createWakeUp() {
  const waiting = new Set<() => void>();
  let version = 0;
  return {
    wake(): void {
      version += 1;
      for (const resolve of [...waiting]) resolve();
    },
    /** Changes with every `wake`. Take it before looking for work, so that none is missed. */
    version: () => version,
    /** Resolves after `ms`, at a wake since `version`, or when `signal` aborts. */
    wait(since: number, ms: number, signal: AbortSignal): Promise<void> {
      if (since !== version || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        }
        const timer = setTimeout(done, ms);
        waiting.add(done);
        signal.addEventListener("abort", done);
      });
    },
  };
}

/** Runs `work` now and every `everyMs`, until closed; after a failure the next run tries again. */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeating = (async () => {
    while (!signal.aborted) {
      await work().catch(onFailure);
      await sleep(everyMs, signal);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await repeating;
    },
  };
}

type SuperviseOptions = {
  /** Ends the work, and the wait between two tries. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** The work's name in the log. */
  readonly name: string;
  /** Faults that no retry can heal; they are thrown. */
  readonly isFatal?: (error: unknown) => boolean;
  /** Milliseconds before the first retry, and the longest wait between two. */
  readonly backoff?: { readonly baseMs: number; readonly capMs: number };
};

/**
 * Keeps `work` running until `signal` aborts: whenever it returns or throws, it is restarted after a
 * jittered back-off with a cap, which is short again once the work has called `progressed`.
 */
export async function supervise(
  work: (progressed: () => void) => Promise<void>,
  { signal, logger, name, isFatal = () => false, backoff: waits }: SuperviseOptions,
): Promise<void> {
  const backoff = createBackoff({ baseMs: 100, capMs: 10_000, ...waits });
  while (!signal.aborted) {
    try {
      await work(backoff.reset);
    } catch (error) {
      if (isFatal(error)) throw error;
      if (!signal.aborted) logger.warn({ err: error, work: name }, "interrupted, tried again");
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}
