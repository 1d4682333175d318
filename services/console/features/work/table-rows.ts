import type { EventColumns } from "../../model/event-columns.ts";
import type { SortColumn } from "../../model/work-state.ts";

/** Behind all numbers. */
const UNKNOWN_KEY = 2 ** 32 - 1;

/**
 * All events in the order of a column; unknown values last both ways, equal ones newest first. A million
 * takes a tenth of a second: what is shown of them is taken out of it (`shownOf`), not sorted anew.
 */
export function ordered(
  columns: EventColumns,
  sort: SortColumn,
  order: "asc" | "desc",
): Uint32Array {
  // Columns are newest first already.
  const rows = new Uint32Array(columns.count);
  if (sort === "time") {
    for (let i = 0; i < rows.length; i++) rows[i] = order === "desc" ? i : rows.length - 1 - i;
    return rows;
  }
  // Each key and its index are a number of 64 bits, little-endian: these are sorted without a comparison in script.
  const pairs = new Uint32Array(2 * rows.length);
  // A copy without −0, which has other bits than 0.
  const values = columns[sort].map((value) => value + 0);
  const bits = new Uint32Array(values.buffer);
  const flip = order === "asc" ? 0 : UNKNOWN_KEY;
  for (let i = 0; i < rows.length; i++) {
    const value = bits[i] ?? 0;
    // Bits of negative numbers fall where the numbers rise.
    const rising = value >>> 31 ? ~value : value | 0x80000000;
    pairs[2 * i] = i;
    pairs[2 * i + 1] = Number.isNaN(values[i]) ? UNKNOWN_KEY : rising ^ flip;
  }
  new BigUint64Array(pairs.buffer).sort();
  for (let n = 0; n < rows.length; n++) rows[n] = pairs[2 * n] ?? 0;
  return rows;
}

/**
 * Those of the ordered events that are shown.
 * @param indexes ascending; null for all
 */
export function shownOf(all: Uint32Array, indexes: Uint32Array | null): Uint32Array {
  if (indexes === null) return all;
  const isShown = new Uint8Array(all.length);
  for (let n = 0; n < indexes.length; n++) isShown[indexes[n] ?? 0] = 1;
  const shown = new Uint32Array(indexes.length);
  let count = 0;
  for (let n = 0; n < all.length; n++) {
    const index = all[n] ?? 0;
    if (isShown[index] === 1) shown[count++] = index;
  }
  return shown;
}

/** Browsers lay out nothing taller than some 17 million pixels; longer tables scroll in larger steps. */
const MAX_HEIGHT = 12_000_000;

export type RowsInView = {
  /** Pixels of the whole table. */
  readonly height: number;
  /** The first row that is drawn, and where it begins, pixels from the top. */
  readonly first: number;
  readonly top: number;
  readonly count: number;
};

/** Rows that are drawn of a long table: those in view. */
export function rowsInView(
  rows: number,
  rowHeight: number,
  viewHeight: number,
  scrolled: number,
): RowsInView {
  const full = rows * rowHeight;
  const height = Math.min(full, MAX_HEIGHT);
  const count = Math.min(rows, Math.ceil(viewHeight / rowHeight) + 1);
  const room = height - viewHeight;
  const inRoom = Math.max(0, Math.min(scrolled, room));
  // At the end of the scrolling stands the last row.
  const offset = room <= 0 ? 0 : (inRoom / room) * (full - viewHeight);
  const first = Math.max(0, Math.min(Math.floor(offset / rowHeight), rows - count));
  return { height, first, top: inRoom - (offset - first * rowHeight), count };
}

/** How far to scroll so that a row is in view; the same place where it is. */
export function scrollTo(
  row: number,
  rows: number,
  rowHeight: number,
  viewHeight: number,
  scrolled: number,
): number {
  const full = rows * rowHeight;
  const height = Math.min(full, MAX_HEIGHT);
  const room = height - viewHeight;
  if (room <= 0) return 0;
  const stretch = (full - viewHeight) / room;
  const offset = scrolled * stretch;
  const top = row * rowHeight;
  if (top < offset) return top / stretch;
  if (top + rowHeight > offset + viewHeight) return (top + rowHeight - viewHeight) / stretch;
  return scrolled;
}
