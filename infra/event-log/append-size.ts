import { TooLarge } from "./errors.ts";

/** Limit of an append in bytes, counted by `eventBytes`. */
export const MAX_APPEND_BYTES = 1024 * 1024;

/**
 * Bytes of an event that count towards the limit of an append: data, metadata, and the type in
 * UTF-16, as in EventStoreDB. All adapters count alike, so an append fits all logs or none.
 */
export function eventBytes(type: string, dataBytes: number, metadataBytes: number): number {
  return dataBytes + metadataBytes + 2 * type.length;
}

/**
 * @param sizes bytes of each event of an append
 * @throws TooLarge when their sum exceeds MAX_APPEND_BYTES; RangeError without events
 */
export function requireAppendSize(sizes: readonly number[]): void {
  if (sizes.length === 0) throw new RangeError("an append holds at least one event");
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_APPEND_BYTES) throw new TooLarge(bytes, MAX_APPEND_BYTES);
}
