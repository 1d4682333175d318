import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

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
