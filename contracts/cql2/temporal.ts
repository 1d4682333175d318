import type { Expression, Operator } from "../query/expression.ts";
import { compareTimes } from "../seismic-event/origin-time.ts";
import { TURNED } from "./comparisons.ts";
import { Cql2Fault } from "./cql2-fault.ts";
import { type Instant, instantOf, timeIs } from "./instants.ts";
import type { IntervalEnd, Operand } from "./operand.ts";
import { queryableOf } from "./queryables.ts";

/** The time of an event, a time that is written, or an open end. */
type End = "time" | Instant | typeof BEFORE_ALL | typeof AFTER_ALL;
const BEFORE_ALL = Number.NEGATIVE_INFINITY;
const AFTER_ALL = Number.POSITIVE_INFINITY;

type Interval = { readonly start: End; readonly end: End };
type Relation = (a: Interval, b: Interval) => Expression;

const all = (...conditions: Expression[]): Expression => ({ all: conditions });

/**
 * OGC 21-065r2, tables 7 and 8, after OWL-Time. An instant is an interval whose ends coincide, so that the
 * relations of intervals may be asked of an origin time.
 */
const RELATIONS = new Map<string, Relation>(
  Object.entries({
    t_after: (a, b) => stands(a.start, ">", b.end),
    t_before: (a, b) => stands(a.end, "<", b.start),
    t_disjoint: (a, b) => ({ any: [stands(a.end, "<", b.start), stands(a.start, ">", b.end)] }),
    t_intersects: (a, b) => all(stands(a.end, ">=", b.start), stands(a.start, "<=", b.end)),
    t_equals: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, "=", b.end)),
    t_contains: (a, b) => all(stands(a.start, "<", b.start), stands(a.end, ">", b.end)),
    t_during: (a, b) => all(stands(a.start, ">", b.start), stands(a.end, "<", b.end)),
    t_finishedby: (a, b) => all(stands(a.start, "<", b.start), stands(a.end, "=", b.end)),
    t_finishes: (a, b) => all(stands(a.start, ">", b.start), stands(a.end, "=", b.end)),
    t_meets: (a, b) => stands(a.end, "=", b.start),
    t_metby: (a, b) => stands(a.start, "=", b.end),
    t_overlappedby: (a, b) =>
      all(stands(a.start, ">", b.start), stands(a.start, "<", b.end), stands(a.end, ">", b.end)),
    t_overlaps: (a, b) =>
      all(stands(a.start, "<", b.start), stands(a.end, ">", b.start), stands(a.end, "<", b.end)),
    t_startedby: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, ">", b.end)),
    t_starts: (a, b) => all(stands(a.start, "=", b.start), stands(a.end, "<", b.end)),
  } satisfies Record<string, Relation>),
);

/** Null for a name that is none of a temporal function, in lower case. */
export function temporalRelation(name: string): ((a: Operand, b: Operand) => Expression) | null {
  const relation = RELATIONS.get(name);
  return relation === undefined ? null : (a, b) => relation(intervalOf(a), intervalOf(b));
}

/** @throws Cql2Fault */
function intervalOf(operand: Operand): Interval {
  if (operand.kind !== "interval") {
    const end = operand.kind === "property" ? timeOf(operand) : instantOf(operand);
    return { start: end, end };
  }
  const [first, last] = operand.ends;
  const interval = {
    start: endOf(first, BEFORE_ALL, ({ first: at }) => at),
    end: endOf(last, AFTER_ALL, ({ last: at }) => at),
  };
  const { start, end } = interval;
  if (start !== "time" && end !== "time" && order(start, end) > 0) {
    throw new Cql2Fault("the interval ends before it starts", operand.at);
  }
  return interval;
}

/** An interval of dates goes from the beginning of the first to the end of the last. */
function endOf(end: IntervalEnd, open: End, momentOf: (instant: Instant) => string): End {
  if (end.kind === "property") return timeOf(end);
  if (end.value === "..") return open;
  const moment = momentOf(instantOf(end));
  return { first: moment, last: moment };
}

function timeOf(property: IntervalEnd & { readonly kind: "property" }): End {
  if (queryableOf(property).kind === "time") return "time";
  throw new Cql2Fault(`"${property.name}" is no time`, property.at);
}

function stands(a: End, operator: Operator, b: End): Expression {
  if (a === "time" && typeof b === "object") return timeIs(operator, b);
  if (b === "time" && typeof a === "object") return timeIs(TURNED[operator], a);
  const difference = order(a, b);
  const holds = {
    "=": difference === 0,
    "<>": difference !== 0,
    "<": difference < 0,
    "<=": difference <= 0,
    ">": difference > 0,
    ">=": difference >= 0,
  };
  return holds[operator] ? { all: [] } : { any: [] };
}

/** Where one end of a pair is known to be earlier; a date and a time of that day coincide. */
function order(a: End, b: End): number {
  if (typeof a === "object" && typeof b === "object") {
    if (compareTimes(a.last, b.first) < 0) return -1;
    return compareTimes(a.first, b.last) > 0 ? 1 : 0;
  }
  const [rankA, rankB] = [a, b].map((end) => (typeof end === "number" ? Math.sign(end) : 0));
  return (rankA ?? 0) - (rankB ?? 0);
}
