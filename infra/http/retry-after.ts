const SECOND = 1_000;

/**
 * How long `Retry-After` asks to wait, in seconds or until a date, at most `longestMs`; null when it says
 * nothing that can be read.
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
