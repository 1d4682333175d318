const SECOND = 1_000;
/** An agency that asks for more is asked again after this. */
const LONGEST_MS = 120 * SECOND;

/** How long `Retry-After` asks to wait, at most two minutes; null when it says nothing that can be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - nowMs;
  return Number.isNaN(wait) ? null : Math.min(LONGEST_MS, Math.max(0, wait));
}
