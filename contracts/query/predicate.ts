import { unknownCase } from "../cases.ts";
import { greatCircleKm, isBetweenMeridians } from "../geometry/globe.ts";
import { containsPlace, shapeIndex } from "../geometry/shape-index.ts";
import type { BulletinCounts } from "../seismic-event/bulletin-counts.ts";
import type { SeismicEvent } from "../seismic-event/seismic-event.ts";
import { compareTimes } from "../seismic-event/time.ts";
import type { Condition, Expression, Held, Operator, Property } from "./expression.ts";

/** What filters look at; units as in the event's record. */
export type FilteredEvent = Pick<SeismicEvent, Property> & {
  readonly focal_mechanisms: unknown;
  /** Absent without a bulletin. */
  readonly bulletin_counts?: BulletinCounts | undefined;
};

export type EventPredicate = (event: FilteredEvent) => boolean;

/** Whether an event satisfies an expression, as a condition in SQL does; null where every event does. */
export function predicateOf(expression: Expression): EventPredicate | null {
  if ("any" in expression) {
    const tests = expression.any.map(predicateOf);
    const isEvery = tests.includes(null);
    return isEvery ? null : (event) => tests.some((test) => test?.(event));
  }
  if ("all" in expression) {
    const tests = expression.all.map(predicateOf).filter((test) => test !== null);
    return tests.length === 0 ? null : (event) => tests.every((test) => test(event));
  }
  const test = testOf(expression);
  const isNegated = "isNot" in expression && expression.isNot;
  return (event) => (isNegated ? test(event) === false : test(event) === true);
}

/** Null of an attribute that is not known, as in SQL. */
type Test = (event: FilteredEvent) => boolean | null;

function testOf(condition: Condition): Test {
  switch (condition.kind) {
    case "compare":
      return compared(condition);
    case "oneOf":
      return oneOf(condition);
    case "like":
      return like(condition);
    case "isNull":
      return (event) => event[condition.property] === null;
    case "box":
      return withinBox(condition);
    case "circle":
      return withinCircle(condition);
    case "shape":
      return withinShape(condition);
    case "has":
      return (event) => condition.held.every((held) => holds(event, held));
    case "count":
      return (event) => NUMBER_OF[condition.of](event) >= condition.atLeast;
    default:
      return unknownCase(condition);
  }
}

function known(property: Property, test: (value: number | string) => boolean): Test {
  return ({ [property]: value }) => (value === null ? null : test(value));
}

const OPERATORS: Readonly<Record<Operator, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<>": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function compared({ property, operator, value }: Extract<Condition, { kind: "compare" }>): Test {
  const isRight = OPERATORS[operator];
  const order = property === "time" ? compareTimes : compareTexts;
  return known(property, (is) =>
    isRight(
      typeof is === "string" || typeof value === "string"
        ? order(String(is), String(value))
        : is - value,
    ),
  );
}

/** By code points, as the bytes of UTF-8 are ordered. */
function compareTexts(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

function oneOf({ property, values, ignoresCase }: Extract<Condition, { kind: "oneOf" }>): Test {
  if (property === "time") {
    return known(property, (is) =>
      values.some((value) => compareTimes(String(is), String(value)) === 0),
    );
  }
  const wanted: ReadonlySet<unknown> = new Set(values);
  return known(property, (is) => wanted.has(ignoresCase ? String(is).toLowerCase() : is));
}

function like({ property, pattern, ignoresCase }: Extract<Condition, { kind: "like" }>): Test {
  const folded = (text: string) => (ignoresCase ? text.toLowerCase() : text);
  const isLike = likePattern(folded(pattern));
  return known(property, (value) => isLike(folded(String(value))));
}

function withinBox({
  south = -90,
  north = 90,
  west,
  east,
}: Extract<Condition, { kind: "box" }>): Test {
  const isOpen = west === undefined && east === undefined;
  const [from, to] = [west ?? -180, east ?? 180];
  return ({ latitude, longitude }) =>
    latitude >= south &&
    latitude <= north &&
    (isOpen || isBetweenMeridians(from, to, latitude, longitude));
}

function withinCircle({
  minKm = 0,
  maxKm = Number.POSITIVE_INFINITY,
  ...centre
}: Extract<Condition, { kind: "circle" }>): Test {
  return (event) => {
    const distanceKm = greatCircleKm(centre, event);
    return distanceKm >= minKm && distanceKm <= maxKm;
  };
}

function withinShape({ shape }: Extract<Condition, { kind: "shape" }>): Test {
  const index = shapeIndex(shape);
  return ({ longitude, latitude }) => containsPlace(index, longitude, latitude);
}

function holds({ focal_mechanisms: ofRow, bulletin_counts: counts }: FilteredEvent, held: Held) {
  if (held === "bulletin") return counts !== undefined;
  if (held === "focal_mechanisms" && ofRow !== null) return true;
  return counts !== undefined && counts[held] > 0;
}

const NUMBER_OF: Readonly<Record<"origins" | "magnitudes", (event: FilteredEvent) => number>> = {
  origins: ({ bulletin_counts: counts }) => counts?.origins ?? 1,
  magnitudes: ({ bulletin_counts: counts, magnitude }) =>
    counts?.magnitudes ?? (magnitude === null ? 0 : 1),
};

const MANY = Symbol("any text");
const ONE = Symbol("any character");

/**
 * Whether a text is as a pattern of SQL's `like` says, without an operation that grows faster than text times
 * pattern. A character is a code point.
 */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = (pattern.match(/\\?./gsu) ?? []).map((part) => {
    if (part === "%") return MANY;
    return part === "_" ? ONE : part.replace(/^\\(?=.)/su, "");
  });
  return (text) => isLike(parts, [...text]);
}

function isLike(parts: readonly (string | symbol)[], text: readonly string[]): boolean {
  let [part, at] = [0, 0];
  // Where the last MANY stands, and the end of what it takes so far.
  let [many, taken] = [-1, 0];
  while (at < text.length) {
    if (parts[part] === MANY) {
      [many, taken] = [part, at];
      part += 1;
    } else if (part < parts.length && (parts[part] === ONE || parts[part] === text[at])) {
      [part, at] = [part + 1, at + 1];
    } else if (many >= 0) {
      taken += 1;
      [part, at] = [many + 1, taken];
    } else return false;
  }
  return parts.slice(part).every((left) => left === MANY);
}
