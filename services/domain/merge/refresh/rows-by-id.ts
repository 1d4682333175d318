import type { TextColumn } from "../columns.ts";

const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/**
 * A function that gives the row of an id, −1 for none. As a `Map`, the ids of a million events would be 100 MB of
 * the garbage-collected heap; this is 8 MB beside the column.
 * @param ids different ones, in `length` rows
 */
export function rowsById(ids: TextColumn, length: number): (id: string) => number {
  const bits = Math.max(4, Math.ceil(Math.log2(2 * length + 1)));
  const mask = 2 ** bits - 1;
  /** A row plus one; 0 is a free slot. */
  const slots = new Int32Array(2 ** bits);

  function slotOf(id: string): number {
    let slot = hashOf(id) & mask;
    for (let entry = slots[slot]; entry; entry = slots[slot]) {
      if (ids.textOf(entry - 1) === id) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  for (let row = 0; row < length; row += 1) slots[slotOf(ids.textOf(row) ?? "")] = row + 1;
  return (id) => (slots[slotOf(id)] ?? 0) - 1;
}

function hashOf(id: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), FNV_PRIME);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85eb_ca6b) >>> 0;
}
