import type { End, Geometry, Instant, Literal, Place, Spatial, Temporal, Tree } from "./tree.ts";

/** What the filters are said of. */
export type Item = Readonly<Record<string, number | string | null>> & {
  readonly time: string;
  readonly longitude: number;
  readonly latitude: number;
};

/** Null is unknown (OGC 21-065r2, table 1). */
type Truth = boolean | null;

/** What a filter says of an item, by the truth tables of the standard. */
export function truthOf(tree: Tree, item: Item): Truth {
  switch (tree.kind) {
    case "not":
      return opposite(truthOf(tree.of, item));
    case "and": {
      const truths = tree.of.map((part) => truthOf(part, item));
      return truths.includes(false) ? false : truths.includes(null) ? null : true;
    }
    case "or": {
      const truths = tree.of.map((part) => truthOf(part, item));
      return truths.includes(true) ? true : truths.includes(null) ? null : false;
    }
    case "constant":
      return tree.is;
    case "compare":
      return compares(item[tree.property] ?? null, tree.operator, tree.literal);
    case "like": {
      const value = item[tree.property] ?? null;
      return said(value === null ? null : likeness(tree.pattern).test(String(value)), tree.isNot);
    }
    case "between": {
      const value = item[tree.property] ?? null;
      const [low, high] = [compares(value, ">=", tree.low), compares(value, "<=", tree.high)];
      return said(low === null || high === null ? null : low && high, tree.isNot);
    }
    case "in": {
      const value = item[tree.property] ?? null;
      const truth =
        value === null ? null : tree.list.some((literal) => compares(value, "=", literal));
      return said(truth, tree.isNot);
    }
    case "null":
      return said(
        tree.property !== "geometry" && (item[tree.property] ?? null) === null,
        tree.isNot,
      );
    case "temporal":
      return related(tree.relation, tree.operands, item.time);
    case "spatial":
      return isIn(tree.area, [item.longitude, item.latitude]);
  }
}

const opposite = (truth: Truth): Truth => (truth === null ? null : !truth);
const said = (truth: Truth, isNot: boolean): Truth => (isNot ? opposite(truth) : truth);

function compares(value: number | string | null, operator: string, literal: Literal): Truth {
  if (value === null) return null;
  const order = orderOf(value, literal);
  const isSo = { "=": order === 0, "<": order < 0, ">": order > 0 };
  if (operator === "<>") return !isSo["="];
  return [...operator].some((sign) => isSo[sign as keyof typeof isSo]);
}

function orderOf(value: number | string, literal: Literal): number {
  if (typeof literal === "number") return Number(value) - literal;
  if (typeof literal === "string")
    return Buffer.compare(Buffer.from(String(value)), Buffer.from(literal));
  return against(momentOf(String(value)), spanOf(literal));
}

/** `_` is one character, whatever its bytes. */
function likeness(pattern: string): RegExp {
  const source = [...pattern.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => {
    if (plain === "%") return ".*";
    return plain === "_" ? "." : RegExp.escape(escaped ?? plain ?? "");
  });
  return new RegExp(`^${source.join("")}$`, "su");
}

/** Microseconds from the first to the last of it. */
type Span = readonly [first: number, last: number];

const DAY_MICROS = 86_400_000_000;

function momentOf(time: string): Span {
  const [, seconds = "", fraction = ""] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(time) ?? [];
  const micros = Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, "0"));
  return [micros, micros];
}

function spanOf(instant: Instant): Span {
  if ("timestamp" in instant) return momentOf(instant.timestamp);
  const [first] = momentOf(`${instant.date}T00:00:00Z`);
  return [first, first + DAY_MICROS - 1];
}

/** Zero where they have a moment in common. */
function against(a: Span, b: Span): number {
  if (a[1] < b[0]) return -1;
  return a[0] > b[1] ? 1 : 0;
}

function endOf(end: End, time: string, side: 0 | 1): Span {
  if (end === "..") return side === 0 ? [-Infinity, -Infinity] : [Infinity, Infinity];
  const span =
    end === "time"
      ? momentOf(time)
      : spanOf(end.includes("T") ? { timestamp: end } : { date: end });
  return [span[side], span[side]];
}

/** The beginning and the end of an operand. */
function intervalOf(operand: Temporal, time: string): readonly [Span, Span] {
  if (operand === "time") return [momentOf(time), momentOf(time)];
  if (!("length" in operand)) return [spanOf(operand), spanOf(operand)];
  return [endOf(operand[0], time, 0), endOf(operand[1], time, 1)];
}

/**
 * OWL-Time's relations, told by where beginnings and ends stand to each other: begin to begin, begin to end, end
 * to begin, end to end; a dot where it does not matter.
 */
const STANDINGS: Readonly<Record<string, string>> = {
  t_after: ".>..",
  t_before: "..<.",
  t_contains: "<..>",
  t_during: ">..<",
  t_equals: "=..=",
  t_finishedBy: "<..=",
  t_finishes: ">..=",
  t_meets: "..=.",
  t_metBy: ".=..",
  t_overlappedBy: "><.>",
  t_overlaps: "<.><",
  t_startedBy: "=..>",
  t_starts: "=..<",
};

function related(
  relation: string,
  [left, right]: readonly [Temporal, Temporal],
  time: string,
): boolean {
  const stands = (name: string) => {
    const [a, b] = [intervalOf(left, time), intervalOf(right, time)];
    const signs = a.flatMap((end) => b.map((other) => "<=>"[against(end, other) + 1]));
    return [...(STANDINGS[name] ?? "")].every((sign, i) => sign === "." || sign === signs[i]);
  };
  const isApart = stands("t_before") || stands("t_after");
  if (relation === "t_disjoint") return isApart;
  return relation === "t_intersects" ? !isApart : stands(relation);
}

/** The lines of the trees are parallel to the axes, their rings are squares. */
function isIn(area: Spatial | Geometry, [x, y]: Place): boolean {
  if ("bbox" in area) {
    const [west = 0, south = 0, east = 0, north = 0] = area.bbox;
    const isBetween = west > east ? x >= west || x <= east : x >= west && x <= east;
    return isBetween && y >= south && y <= north;
  }
  const within = (places: readonly Place[], isStrictly = false) => {
    const [xs, ys] = [places.map(([lon]) => lon), places.map(([, lat]) => lat)];
    const sides = [
      x - Math.min(...xs),
      Math.max(...xs) - x,
      y - Math.min(...ys),
      Math.max(...ys) - y,
    ];
    return sides.every((side) => (isStrictly ? side > 0 : side >= 0));
  };
  const framed = ([outer = [], hole]: readonly (readonly Place[])[]) =>
    within(outer) && (hole === undefined || !within(hole, true));
  switch (area.type) {
    case "Point":
      return within([area.coordinates]);
    case "MultiPoint":
      return area.coordinates.some((place) => within([place]));
    case "LineString":
      return within(area.coordinates);
    case "MultiLineString":
      return area.coordinates.some((line) => within(line));
    case "Polygon":
      return framed(area.coordinates);
    case "MultiPolygon":
      return area.coordinates.some(framed);
    case "GeometryCollection":
      return area.geometries.some((part) => isIn(part, [x, y]));
  }
}
