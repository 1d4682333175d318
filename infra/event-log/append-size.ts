import { TooLarge } from "./errors.ts";
import { MAX_APPEND_BYTES } from "./event-log.ts";

/**
 * What an event counts of an append's limit, in bytes: data, metadata, and the type in UTF-16, as
 * EventStoreDB counts it. Every adapter counts the same, so that no append fits one log alone.
 */
export function eventBytes(type: string, dataBytes: number, metadataBytes: number): number {
  return dataBytes + metadataBytes + 2 * type.length;
}

/**
 * @param sizes what each event of an append counts
 * @throws TooLarge when they exceed MAX_APPEND_BYTES together; RangeError when there is none
 */
export function requireAppendSize(sizes: readonly number[]): void {
  if (sizes.length === 0) throw new RangeError("an append holds at least one event");
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_APPEND_BYTES) throw new TooLarge(bytes, MAX_APPEND_BYTES);
}
