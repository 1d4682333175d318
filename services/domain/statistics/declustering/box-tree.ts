/** Values of each event along one axis. */
type Axis = Float64Array;

/** A binary tree over spans of a list of events, each node with the box that holds its events. */
export type BoxTree = {
  /** In the tree's order: the events of a node lie side by side. */
  readonly events: Int32Array;
  /** Of each node, the span of its events. */
  readonly firsts: readonly number[];
  readonly ends: readonly number[];
  /** The right child of an inner node; the left one follows it. 0 for leaves, since the root is nobody's child. */
  readonly rights: readonly number[];
  /** Of each node, the least and the greatest value on each axis. */
  readonly boxes: readonly number[];
};

const LEAF = 12;

/** Halves the events again and again, along the axis on which they reach furthest in proportion to all. */
export function buildBoxTree(axes: readonly Axis[], length: number): BoxTree {
  const extents = axes.map((axis) => extentOf(axis) || 1);
  const events = Int32Array.from({ length }, (_, i) => i);
  const boxes: number[] = [];
  const firsts: number[] = [];
  const ends: number[] = [];
  const rights: number[] = [];

  function build(first: number, end: number): number {
    const node = firsts.length;
    firsts.push(first);
    ends.push(end);
    rights.push(0);
    const box = axes.map((axis) => rangeOf(axis, events, first, end));
    boxes.push(...box.flat());
    if (end - first <= LEAF) return node;
    const widths = box.map(([least, greatest], i) => (greatest - least) / (extents[i] ?? 1));
    const widest = axes[widths.indexOf(Math.max(...widths))];
    if (widest === undefined) throw new RangeError("a tree has axes");
    const middle = (first + end) >>> 1;
    partition(events, widest, { first, end, middle });
    build(first, middle);
    rights[node] = build(middle, end);
    return node;
  }

  if (length > 0) build(0, length);
  return { events, firsts, ends, rights, boxes };
}

function rangeOf(axis: Axis, events: Int32Array, first: number, end: number): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = first; i < end; i += 1) {
    const value = axis[events[i] ?? 0] ?? 0;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function extentOf(values: Axis): number {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return greatest - least;
}

type Span = { readonly first: number; readonly end: number; readonly middle: number };

/** Orders a span so that values before `middle` are at most those from it on. */
function partition(events: Int32Array, axis: Float64Array, { first, end, middle }: Span): void {
  const value = (place: number) => axis[events[place] ?? 0] ?? 0;
  let [low, high] = [first, end - 1];
  while (low < high) {
    const pivot = value((low + high) >>> 1);
    let [i, j] = [low, high];
    while (i <= j) {
      while (value(i) < pivot) i += 1;
      while (value(j) > pivot) j -= 1;
      if (i > j) break;
      const kept = events[i] ?? 0;
      events[i] = events[j] ?? 0;
      events[j] = kept;
      i += 1;
      j -= 1;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
