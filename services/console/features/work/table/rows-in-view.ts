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
