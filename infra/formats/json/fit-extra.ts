import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** Limit of `extra`, in bytes of UTF-8 JSON: posting an event with more is refused. */
const MAX_EXTRA_BYTES = 64 * 1024;

/** Serialising a value takes at most six times its text: `1e20` becomes 21 digits. */
const SMALL_TEXT = MAX_EXTRA_BYTES / 6 - 1024;

/** Removes the largest members of an oversized `extra`; `length` is that of the event's text. */
export function fitExtra(row: JsonObject, length: number, warn: (message: string) => void): void {
  const extra = row["extra"];
  if (length < SMALL_TEXT || typeof extra !== "object" || extra === null) return;
  const members = Object.entries(extra).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(JSON.stringify({ [name]: value })),
  }));
  let total = members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_EXTRA_BYTES) return;
  const excess = new Set<string>();
  for (const { name, bytes } of members.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= MAX_EXTRA_BYTES) break;
    excess.add(name);
    total -= bytes;
    warn(
      `${name.slice(0, 60)} is left out: with it, extra is larger than ${MAX_EXTRA_BYTES} bytes`,
    );
  }
  row["extra"] = Object.fromEntries(Object.entries(extra).filter(([name]) => !excess.has(name)));
}
