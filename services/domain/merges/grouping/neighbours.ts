import { KM_PER_DEGREE } from "#contracts/units.ts";
import { at, microsBetween, type OrderedOrigins } from "./origins.ts";
import type { PairMeasure } from "./thresholds.ts";

const NONE = -1;

export type VisitPair = (
  earlier: number,
  later: number,
  micros: number,
  kilometres: number,
) => void;

/** Up to this many events in the time window are compared one by one, measurably faster than by cells. */
const FEW = 16;

/**
 * Sweeps over the events in order of time and visits every pair, by rank, of events of different
 * sources within both their thresholds, grouped by the later event. `done` is called after the pairs of
 * each event and ends the sweep by returning false. If many events are in the time window they are
 * looked up by cell. A cell lists its events from the latest backwards, so a search stops where the
 * window ends and nothing needs to be removed: O(N + visited pairs) if few events in a cell are out
 * of reach.
 */
export function sweepNeighbours(
  events: OrderedOrigins,
  measure: PairMeasure,
  visit: VisitPair,
  done: (rank: number) => boolean,
): void {
  const { length, latitude, longitude, cosine, source } = events;
  const { widest, reachOf, kilometresWithin } = measure;
  const grid = createSphereGrid(widest.kilometres);
  const cells: number[] = [];
  let lists: CellLists | undefined;
  let windowStart = 0;
  let start = 0;
  let listed = 0;

  function tryPair(earlier: number, rank: number): void {
    if (at(source, earlier) === at(source, rank)) return;
    const micros = microsBetween(events, earlier, rank);
    const kilometres = kilometresWithin(earlier, rank, micros);
    if (kilometres < Number.POSITIVE_INFINITY) visit(earlier, rank, micros, kilometres);
  }

  function tryCell({ latest, previous, isIn }: CellLists, cell: number, rank: number): void {
    for (let earlier = latest(cell); earlier >= start; earlier = previous(earlier)) {
      if (isIn(earlier, cell)) tryPair(earlier, rank);
    }
  }

  function tryCells(rank: number): void {
    lists ??= createCellLists(length);
    for (listed = Math.max(listed, windowStart); listed < rank; listed++) {
      lists.add(grid.cellOf(at(latitude, listed), at(longitude, listed)), listed);
    }
    grid.cellsAround(at(latitude, rank), at(longitude, rank), at(cosine, rank), cells);
    for (const cell of cells) tryCell(lists, cell, rank);
  }

  for (let rank = 0; rank < length; rank++) {
    while (microsBetween(events, windowStart, rank) > widest.micros) windowStart++;
    const reach = reachOf(rank);
    start = reach === widest.micros ? windowStart : firstWithin(events, windowStart, rank, reach);
    if (rank - start > FEW) tryCells(rank);
    else for (let earlier = start; earlier < rank; earlier++) tryPair(earlier, rank);
    if (!done(rank)) return;
  }
}

/** The first rank from `low` on that is no more than `micros` before `rank`. */
function firstWithin(events: OrderedOrigins, low: number, rank: number, micros: number): number {
  let [first, end] = [low, rank];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (microsBetween(events, middle, rank) > micros) first = middle + 1;
    else end = middle;
  }
  return first;
}

type CellLists = ReturnType<typeof createCellLists>;

/** Lists of ranks in a hash table by cell: memory grows with the events, not with the cells. */
function createCellLists(length: number) {
  const bits = Math.max(4, Math.ceil(Math.log2(length + 1)));
  const latest = new Int32Array(2 ** bits).fill(NONE);
  const previous = new Int32Array(length);
  const cells = new Float64Array(length);

  /** Fibonacci hashing of both halves of the cell's number. */
  function slotOf(cell: number): number {
    const high = Math.imul(Math.floor(cell / 2 ** 22), 0x85eb_ca6b);
    return Math.imul(high ^ cell, 0x9e37_79b1) >>> (32 - bits);
  }

  return {
    add(cell: number, rank: number): void {
      const slot = slotOf(cell);
      previous[rank] = at(latest, slot);
      cells[rank] = cell;
      latest[slot] = rank;
    },
    /** The latest rank in the list for `cell`, which few other cells share; −1 for none. */
    latest: (cell: number) => at(latest, slotOf(cell)),
    /** The next earlier rank in the list of `rank`; −1 for none. */
    previous: (rank: number) => at(previous, rank),
    isIn: (rank: number, cell: number) => at(cells, rank) === cell,
  };
}

/** Degrees, 11 m: keeps cell numbers within the safe integers. */
const MIN_HEIGHT = 1e-4;
/**
 * Relative and absolute tolerance of the search, degrees: far above rounding errors and far below a
 * cell.
 */
const SLACK = 1e-9;
const COLUMN_LIMIT = 2 ** 22;
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Cells of about the size of `reachKm`: bands of equal height in latitude, each cut into columns
 * about as wide as high, fewer towards the poles. Every place within reach of another is in one of
 * the cells around it, also across the antimeridian (columns wrap) and over a pole (all columns).
 */
function createSphereGrid(reachKm: number) {
  const reach = (reachKm / KM_PER_DEGREE) * (1 + SLACK) + SLACK;
  const height = Math.max(reach, MIN_HEIGHT);
  const lastBand = Math.ceil(180 / height) - 1;
  const sinReach = Math.sin(reach * RADIANS_PER_DEGREE);

  function bandOf(latitude: number): number {
    return Math.max(0, Math.min(lastBand, Math.floor((latitude + 90) / height)));
  }

  /** Number of columns by the band's longest parallel, so that no column is too narrow there. */
  function columnsOf(band: number): number {
    const south = band * height - 90;
    const nearest = south > 0 ? south : Math.min(0, south + height);
    return Math.max(1, Math.floor((360 * Math.cos(nearest * RADIANS_PER_DEGREE)) / height));
  }

  /** Half the extent in longitude, degrees, of the circle within reach; 180 when it contains a pole. */
  function halfWidth(latitude: number, cosine: number): number {
    if (Math.abs(latitude) + reach >= 90) return 180;
    const angle = Math.asin(Math.min(1, sinReach / cosine)) / RADIANS_PER_DEGREE;
    return angle * (1 + SLACK) + SLACK;
  }

  return {
    /** Number of the cell that contains a place. */
    cellOf(latitude: number, longitude: number): number {
      const band = bandOf(latitude);
      const columns = columnsOf(band);
      const column = Math.floor(((longitude + 180) / 360) * columns);
      return band * COLUMN_LIMIT + Math.min(columns - 1, column);
    },
    /** Writes the numbers of all cells that may contain places within reach, each once, into `cells`. */
    cellsAround(latitude: number, longitude: number, cosine: number, cells: number[]): void {
      cells.length = 0;
      const half = halfWidth(latitude, cosine);
      const north = bandOf(latitude + reach);
      for (let band = bandOf(latitude - reach); band <= north; band++) {
        const columns = columnsOf(band);
        const isRing = 2 * half + 360 / columns >= 360;
        const west = isRing ? 0 : Math.floor(((longitude - half + 180) / 360) * columns);
        const east = isRing ? columns - 1 : Math.floor(((longitude + half + 180) / 360) * columns);
        for (let column = west; column <= east; column++) {
          cells.push(band * COLUMN_LIMIT + ((column + columns) % columns));
        }
      }
    },
  };
}
