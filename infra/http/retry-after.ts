const SECOND = 1_000;

/**
 * The wait that `Retry-After` asks for, in seconds or until a date, at most `longestMs`; null when
 * it is unreadable.
 */
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
