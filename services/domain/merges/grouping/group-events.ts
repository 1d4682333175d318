/** Which events are one earthquake: pairs by their places, linked into groups. One file: the search for neighbours knows what linking needs. */

import type { Linkage } from "#contracts/merges/config.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import {
  areWithin,
  at,
  createPairMeasure,
  inTimeOrder,
  microsBetween,
  type OrderedOrigins,
  type Origins,
  type PairMeasure,
  type PairThresholds,
} from "./thresholds.ts";

/** Most candidate pairs held at once: 16 bytes each, and as much again during sorting. */
const MAX_CANDIDATES = 10_000_000;

/** Goes up when the same rules and decisions may make other groups than before: then refreshes group all events. */
export const GROUPING_RULES = 2;

/** Which events are the same earthquake. */
export type GroupingRules = PairThresholds & {
  /** Default `complete`. */
  readonly linkage?: Linkage;
  readonly decisions?: RowDecisions;
};

/**
 * Groups the events that are the same earthquake. What decisions call the same is together whatever the
 * thresholds are; then candidate pairs are taken nearest first, and their groups are joined if the linkage
 * allows it and no decision keeps them apart, with at most one event of each source. The order of rows and
 * sources does not matter. O(N log N + candidates). A gap in time that no pair spans splits the events
 * into independent runs, so candidates are processed run by run; those of runs that decisions join are
 * taken together at the end.
 * @throws TooManyCandidates when one run, or all joined ones, have more than `maxCandidates`
 */
export function groupEvents(
  origins: Origins,
  rules: GroupingRules,
  maxCandidates = MAX_CANDIDATES,
): Grouping {
  const events = inTimeOrder(origins);
  const measure = createPairMeasure(events, rules);
  const decided = decidedPairs(rules.decisions, events.rows);
  const { linkage = "complete" } = rules;
  const groups = createLinkedGroups(events, { linkage, measure, decided });
  for (const [first = 0, ...others] of decided?.same ?? []) {
    for (const other of others) groups.unite(first, other);
  }
  const isJoined = joinedRuns(events, measure, decided?.same ?? []);
  const endsRun = createRunEnds(events, measure);
  const ofRun = createCandidates(maxCandidates);
  const ofJoined = createCandidates(maxCandidates);
  sweepNeighbours(
    events,
    measure,
    (earlier, later, micros, kilometres) => {
      const candidates = isJoined?.(later) ? ofJoined : ofRun;
      candidates.add(earlier, later, measure.nearnessOf(earlier, later, micros, kilometres));
    },
    (rank) => {
      if (endsRun(rank) && ofRun.length > 0) ofRun.takeNearestFirst(groups.join);
      return true;
    },
  );
  ofJoined.takeNearestFirst(groups.join);
  return groupingOf(events, groups);
}

/** A group's members are adjacent in order of rank; groups are ordered by leader. */
function groupingOf({ length, rows }: OrderedOrigins, groups: LinkedGroups): Grouping {
  const places = sizesByLeader(length, groups);
  const starts = new Int32Array(length + 1);
  let count = 0;
  let filled = 0;
  for (let rank = 0; rank < length; rank++) {
    const size = at(places, rank);
    if (size === 0) continue;
    places[rank] = filled;
    filled += size;
    starts[++count] = filled;
  }
  const members = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    const leader = groups.leaderOf(rank);
    const place = at(places, leader);
    members[place] = at(rows, rank);
    places[leader] = place + 1;
  }
  return { count, starts: starts.subarray(0, count + 1), members };
}

/** The size of each event's group if the event is its first member, else 0. */
function sizesByLeader(length: number, groups: LinkedGroups): Int32Array {
  const sizes = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) {
    const leader = groups.leaderOf(rank);
    sizes[leader] = at(sizes, leader) + 1;
  }
  return sizes;
}

/**
 * A function that says whether an event's run has a group that reaches into another run; null where there is
 * none such.
 * @param groups ranks that are together whatever is between them
 */
function joinedRuns(
  events: OrderedOrigins,
  measure: PairMeasure,
  groups: readonly (readonly number[])[],
): ((rank: number) => boolean) | null {
  if (groups.length === 0) return null;
  const runs = runsByRank(events, measure);
  const joined = new Set<number>();
  for (const group of groups) {
    const ofGroup = new Set(group.map((rank) => at(runs, rank)));
    if (ofGroup.size > 1) for (const run of ofGroup) joined.add(run);
  }
  return joined.size === 0 ? null : (rank) => joined.has(at(runs, rank));
}

function runsByRank(events: OrderedOrigins, measure: PairMeasure): Int32Array {
  const endsRun = createRunEnds(events, measure);
  const runs = new Int32Array(events.length);
  let run = 0;
  for (let rank = 0; rank < runs.length; rank++) {
    runs[rank] = run;
    if (endsRun(rank)) run++;
  }
  return runs;
}

/**
 * A function that says whether a run ends with an event: whether no pair joins those up to it with later ones.
 * To be called for every rank, in order.
 */
function createRunEnds(
  events: OrderedOrigins,
  { reachOf }: PairMeasure,
): (rank: number) => boolean {
  /** The event that reaches the latest. */
  let furthest = 0;
  return (rank) => {
    const gained = microsBetween(events, furthest, rank) + reachOf(rank) - reachOf(furthest);
    if (gained >= 0) furthest = rank;
    if (rank === events.length - 1) return true;
    return microsBetween(events, furthest, rank + 1) > reachOf(furthest);
  };
}

type LinkedGroups = ReturnType<typeof createLinkedGroups>;

/**
 * Groups of events, with at most one event of each source. With complete linkage every two members
 * of two groups that join are within both thresholds; with nearest linkage it is enough that the pair
 * that joins them is. Events that decisions have put together are one member, which is wherever one of them
 * is, so that no event is left out for being near to only one of them. Initially each event is alone. A group is a ring of its ranks, no longer than the
 * number of sources.
 */
function createLinkedGroups(
  events: OrderedOrigins,
  {
    linkage,
    measure,
    decided,
  }: {
    readonly linkage: Linkage;
    readonly measure: PairMeasure;
    /** Pairs that are kept apart, and events that are one member. */
    readonly decided: DecidedPairs | null;
  },
) {
  const { length, source } = events;
  const leader = new Int32Array(length);
  for (let rank = 0; rank < length; rank++) leader[rank] = rank;
  const next = leader.slice();
  const isComplete = linkage === "complete";

  function isCompatible(a: number, b: number): boolean {
    if (at(source, a) === at(source, b)) return false;
    if (isComplete && !areNear(a, b)) return false;
    return decided === null || !decided.areDifferent(a, b);
  }

  function areNear(a: number, b: number): boolean {
    const [ofA, ofB] = [decided?.togetherWith(a), decided?.togetherWith(b)];
    if (ofA === undefined && ofB === undefined) return areWithin(events, measure, a, b);
    const [all, others] = [ofA ?? [a], ofB ?? [b]];
    // Asked of the first of a member for all of it.
    if (all[0] !== a || others[0] !== b) return true;
    return all.some((one) => others.some((other) => areWithin(events, measure, one, other)));
  }

  function everyInRing(start: number, test: (rank: number) => boolean): boolean {
    let rank = start;
    do {
      if (!test(rank)) return false;
      rank = at(next, rank);
    } while (rank !== start);
    return true;
  }

  function lead(rank: number, newLeader: number): void {
    everyInRing(rank, (member) => {
      leader[member] = newLeader;
      return true;
    });
  }

  function unite(a: number, b: number): void {
    if (at(leader, a) === at(leader, b)) return;
    const newLeader = Math.min(at(leader, a), at(leader, b));
    lead(a, newLeader);
    lead(b, newLeader);
    const afterA = at(next, a);
    next[a] = at(next, b);
    next[b] = afterA;
  }

  return {
    /** Joins the groups of two events, if every pair of their members may be together. */
    join(a: number, b: number): void {
      if (at(leader, a) === at(leader, b)) return;
      if (everyInRing(a, (one) => everyInRing(b, (other) => isCompatible(one, other)))) unite(a, b);
    },
    /** Joins the groups of two events, whatever is between them. */
    unite,
    /** The lowest rank in the group of `rank`. */
    leaderOf: (rank: number) => at(leader, rank),
  };
}

/**
 * A partition of the input rows: group g is `members` from `starts[g]` to `starts[g + 1]`. Members
 * are ordered by time, then id, and groups by their first member.
 */
export type Grouping = {
  readonly count: number;
  readonly starts: Int32Array;
  readonly members: Int32Array;
};

/** The input rows of one group, a view. */
export function membersOf({ starts, members }: Grouping, group: number): Int32Array {
  return members.subarray(at(starts, group), at(starts, group + 1));
}

export function sizeOf({ starts }: Grouping, group: number): number {
  return at(starts, group + 1) - at(starts, group);
}

/** The number of groups with more than one member. */
export function countDuplicateGroups(grouping: Grouping): number {
  let duplicates = 0;
  for (let g = 0; g < grouping.count; g++) if (sizeOf(grouping, g) > 1) duplicates++;
  return duplicates;
}

export function groupByRow(grouping: Grouping): Int32Array {
  const groups = new Int32Array(grouping.members.length);
  for (let g = 0; g < grouping.count; g++) {
    for (const row of membersOf(grouping, g)) groups[row] = g;
  }
  return groups;
}

/** Decisions of people about input rows, free of contradictions (`createDecisionClosure`). */
export type RowDecisions = {
  /** Rows of one earthquake each. */
  readonly same: readonly (readonly number[])[];
  /** Rows of different earthquakes each, by every pair of them. */
  readonly different: readonly (readonly number[])[];
};

type DecidedPairs = ReturnType<typeof pairsByRank>;

/**
 * Decisions by rank; null where there are none.
 * @param rows the input row of each rank
 */
export function decidedPairs(
  decisions: RowDecisions | undefined,
  rows: Int32Array,
): DecidedPairs | null {
  if (decisions === undefined) return null;
  const { same, different } = decisions;
  if (same.length + different.length === 0) return null;
  const rankOf = ranksOf([...same, ...different].flat(), rows);
  const byRank = (groups: readonly (readonly number[])[]) =>
    groups.map((group) => group.map((row) => rankOf.get(row) ?? -1));
  return pairsByRank(byRank(same), byRank(different), rows.length);
}

function ranksOf(wanted: readonly number[], rows: Int32Array): Map<number, number> {
  const isWanted = new Set(wanted);
  const ranks = new Map<number, number>();
  for (let rank = 0; rank < rows.length; rank++) {
    const row = at(rows, rank);
    if (isWanted.has(row)) ranks.set(row, rank);
  }
  return ranks;
}

function pairsByRank(
  same: readonly (readonly number[])[],
  different: readonly (readonly number[])[],
  length: number,
) {
  const namedApart = new Map<number, Set<number>>();
  /** Most pairs are of events of which nothing was said. */
  const isApart = new Uint8Array(length);
  different.forEach((ranks, decision) => {
    for (const rank of ranks) {
      isApart[rank] = 1;
      addTo(namedApart, rank, decision);
    }
  });
  const groups = closedGroups(same);
  const groupApart = new Map<number, Set<number>>();
  for (const [rank, decisions] of namedApart) {
    const group = groups.get(rank)?.[0] ?? rank;
    for (const decision of decisions) addTo(groupApart, group, decision);
  }
  return {
    /** The events of one earthquake each, by rank, as they were given. */
    same,
    /** All that are the same as a rank, itself among them, be it by way of others; undefined for it alone. */
    togetherWith: (rank: number) => groups.get(rank),
    /** Whether a decision keeps two ranks apart by name. */
    areDifferent: (a: number, b: number) =>
      isApart[a] === 1 && isApart[b] === 1 && haveCommon(namedApart.get(a), namedApart.get(b)),
    /** Whether the decisions say, be it by way of others, that two ranks are the same or that they are not. */
    areDecided(a: number, b: number): boolean {
      const [ofA, ofB] = [groups.get(a)?.[0] ?? a, groups.get(b)?.[0] ?? b];
      return ofA === ofB || haveCommon(groupApart.get(ofA), groupApart.get(ofB));
    },
  };
}

/** All ranks that are the same, by each that was named. */
function closedGroups(same: readonly (readonly number[])[]): Map<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const ranks of same) {
    const union = [...new Set(ranks.flatMap((rank) => groups.get(rank) ?? rank))];
    for (const rank of union) groups.set(rank, union);
  }
  return groups;
}

function addTo(sets: Map<number, Set<number>>, key: number, value: number): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

function haveCommon(a: ReadonlySet<number> | undefined, b: ReadonlySet<number> | undefined) {
  if (a === undefined || b === undefined) return false;
  return a.size <= b.size ? !a.isDisjointFrom(b) : !b.isDisjointFrom(a);
}

const FIRST_CAPACITY = 1024;

/**
 * Thrown when the thresholds are so wide and the events so dense that the pairs would not fit in
 * memory.
 */
export class TooManyCandidates extends Error {
  override readonly name = "TooManyCandidates";
  readonly limit: number;

  constructor(limit: number) {
    super(`More than ${limit} pairs of neighbouring events are within the thresholds`);
    this.limit = limit;
  }
}

/** Collects candidate pairs of ranks, at most `limit` at a time. */
function createCandidates(limit: number) {
  let earliers = new Int32Array(FIRST_CAPACITY);
  let laters = new Int32Array(FIRST_CAPACITY);
  let nearnesses = new Float64Array(FIRST_CAPACITY);
  let length = 0;

  function grow(): void {
    const capacity = earliers.length * 2;
    earliers = grown(earliers, new Int32Array(capacity));
    laters = grown(laters, new Int32Array(capacity));
    nearnesses = grown(nearnesses, new Float64Array(capacity));
  }

  function nearestFirst(): Int32Array {
    const order = Int32Array.from({ length }, (_, index) => index);
    return order.sort(
      (a, b) =>
        at(nearnesses, a) - at(nearnesses, b) ||
        at(earliers, a) - at(earliers, b) ||
        at(laters, a) - at(laters, b),
    );
  }

  return {
    get length() {
      return length;
    },
    /** @throws TooManyCandidates */
    add(earlier: number, later: number, nearness: number): void {
      if (length === limit) throw new TooManyCandidates(limit);
      if (length === earliers.length) grow();
      earliers[length] = earlier;
      laters[length] = later;
      nearnesses[length] = nearness;
      length++;
    },
    /** Visits the pairs nearest first, ties by the earlier event, then by the later; then clears them. */
    takeNearestFirst(visit: (earlier: number, later: number) => void): void {
      if (length === 1) visit(at(earliers, 0), at(laters, 0));
      else for (const index of nearestFirst()) visit(at(earliers, index), at(laters, index));
      length = 0;
    },
  };
}

function grown<C extends Int32Array | Float64Array>(from: C, to: C): C {
  to.set(from);
  return to;
}

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
