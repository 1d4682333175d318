import fc from "fast-check";

/** A filter, apart from how it is written. Texts are values, patterns are as `LIKE` takes them. */
export type Tree =
  | { readonly kind: "not"; readonly of: Tree }
  | { readonly kind: "and" | "or"; readonly of: readonly Tree[] }
  | { readonly kind: "constant"; readonly is: boolean }
  | {
      readonly kind: "compare";
      readonly property: string;
      readonly operator: Comparison;
      readonly literal: Literal;
      /** Whether the literal stands first. */
      readonly isTurned: boolean;
    }
  | (Told & { readonly kind: "like"; readonly pattern: string })
  | (Told & { readonly kind: "between"; readonly low: Literal; readonly high: Literal })
  | (Told & { readonly kind: "in"; readonly list: readonly Literal[] })
  | (Told & { readonly kind: "null" })
  | {
      readonly kind: "temporal";
      readonly relation: Relation;
      readonly operands: readonly [Temporal, Temporal];
    }
  | { readonly kind: "spatial"; readonly area: Spatial; readonly isTurned: boolean };

type Told = { readonly property: string; readonly isNot: boolean };

export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";
type Instant = { readonly date: string } | { readonly timestamp: string };
export type Literal = number | string | Instant;
export type Temporal = "time" | Instant | readonly [End, End];
/** `time` is the property, `..` an open end, else a date or a timestamp. */
type End = string;
type Spatial = { readonly bbox: readonly number[] } | Geometry;
export type Geometry =
  | { readonly type: "Point"; readonly coordinates: Place }
  | { readonly type: "MultiPoint" | "LineString"; readonly coordinates: readonly Place[] }
  | {
      readonly type: "MultiLineString" | "Polygon";
      readonly coordinates: readonly (readonly Place[])[];
    }
  | {
      readonly type: "MultiPolygon";
      readonly coordinates: readonly (readonly (readonly Place[])[])[];
    }
  | { readonly type: "GeometryCollection"; readonly geometries: readonly Geometry[] };
type Place = readonly [longitude: number, latitude: number];

export const RELATIONS = [
  ...["t_after", "t_before", "t_contains", "t_disjoint", "t_during", "t_equals"],
  ...["t_finishedBy", "t_finishes", "t_intersects", "t_meets", "t_metBy", "t_overlappedBy"],
  ...["t_overlaps", "t_startedBy", "t_starts"],
] as const;
type Relation = string;

/** Values of which many are those of events, so that a filter selects some. */
export const VALUES = {
  magnitude: [-0.5, 0, 2.5, 4.5, 4.500001, 7],
  depth: [-1, 0, 10, 33.3, 610],
  used_station_count: [0, 4, 12, 100],
  region: ["Māori Bay", "a_b%", "a b", "it's", "back\\slash", "A B", "日本", "\u{1f30b} volcano"],
  event_type: ["earthquake", "quarry blast", "explosion"],
  magnitude_type: ["ML", "Mw", "mb", "mB"],
} as const;
const NUMBERS = ["magnitude", "depth", "used_station_count"] as const;
const TEXTS = ["region", "event_type", "magnitude_type"] as const;
export const TIMES = [
  "2019-12-31T23:59:59.999999Z",
  "2020-01-01T00:00:00Z",
  "2020-01-01T12:30:15.5Z",
  "2020-02-29T23:59:59.999999Z",
  "2020-03-01T00:00:00.000001Z",
  "2021-06-15T06:00:00.123Z",
];
const DATES = ["2019-12-31", "2020-01-01", "2020-02-29", "2020-03-01", "2021-06-15", "2022-01-01"];
const PATTERNS = [
  ...["%", "_%", "", "%%", "\\%\\_", "a_b%", "a\\_b\\%", "%a%", "M%", "it_s", "_\\\\%", "__"],
];

const operator = fc.constantFrom<Comparison[]>("=", "<>", "<", "<=", ">", ">=");
const instant: fc.Arbitrary<Instant> = fc.oneof(
  fc.constantFrom(...DATES).map((date) => ({ date })),
  fc.constantFrom(...TIMES).map((timestamp) => ({ timestamp })),
);
const scalar = fc.oneof(
  fc.constantFrom(...NUMBERS).chain((property) =>
    fc.record({
      property: fc.constant(property),
      literal: fc.constantFrom<number[]>(...VALUES[property]),
    }),
  ),
  fc.constantFrom(...TEXTS).chain((property) =>
    fc.record({
      property: fc.constant(property),
      literal: fc.constantFrom<string[]>(...VALUES[property]),
    }),
  ),
  fc.record({ property: fc.constant("time"), literal: instant }),
) as fc.Arbitrary<{ property: string; literal: Literal }>;
const literals = scalar.chain(({ property, literal }) =>
  fc.record({
    property: fc.constant(property),
    list: fc
      .array(literalOf(property), { minLength: 1, maxLength: 4 })
      .map((list) => [literal, ...list]),
  }),
);

function literalOf(property: string): fc.Arbitrary<Literal> {
  if (property === "time") return instant;
  return fc.constantFrom<Literal[]>(...VALUES[property as keyof typeof VALUES]);
}

const start = fc.constantFrom("time", "..", ...DATES, ...TIMES);
const isOrdered = ([from, to]: readonly [End, End]) =>
  from === "time" ||
  to === "time" ||
  from === ".." ||
  to === ".." ||
  from.slice(0, 10) < to.slice(0, 10);
const temporal: fc.Arbitrary<Temporal> = fc.oneof(
  fc.constant("time" as const),
  instant,
  fc.tuple(start, start).filter(isOrdered),
);

const degree = fc.integer({ min: -4, max: 4 }).map((tens) => tens * 10);
const place: fc.Arbitrary<Place> = fc.tuple(degree, degree);
/** A frame, so that holes and edges count. */
const polygon = fc
  .tuple(degree, degree, fc.integer({ min: 1, max: 4 }), fc.boolean())
  .map(([west, south, size, hasHole]) => {
    const outer = square(west, south, size * 10);
    return hasHole && size > 2 ? [outer, square(west + 10, south + 10, (size - 2) * 10)] : [outer];
  });

function square(west: number, south: number, size: number): Place[] {
  const [east, north] = [west + size, Math.min(90, south + size)];
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/** Along a parallel or a meridian, on which a place can lie exactly. */
const line: fc.Arbitrary<Place[]> = fc.tuple(degree, degree, degree).map(([x, y, z]): Place[] =>
  x < y
    ? [
        [x, z],
        [y, z],
      ]
    : [
        [z, x],
        [z, y],
        [z, y + 10],
      ],
);
const simple: fc.Arbitrary<Geometry> = fc.oneof(
  fc.record({ type: fc.constant("Point" as const), coordinates: place }),
  fc.record({ type: fc.constant("MultiPoint" as const), coordinates: some(place) }),
  fc.record({ type: fc.constant("LineString" as const), coordinates: line }),
  fc.record({ type: fc.constant("MultiLineString" as const), coordinates: some(line) }),
  fc.record({ type: fc.constant("Polygon" as const), coordinates: polygon }),
  fc.record({ type: fc.constant("MultiPolygon" as const), coordinates: some(polygon) }),
);
const box = fc.tuple(degree, degree, degree, degree).map(([west, south, east, north]) => ({
  bbox: [west * 4, Math.min(south, north), east * 4, Math.max(south, north)],
}));
const spatial: fc.Arbitrary<Spatial> = fc.oneof(
  simple,
  fc.record({ type: fc.constant("GeometryCollection" as const), geometries: some(simple) }),
  box,
);

function some<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(item, { minLength: 1, maxLength: 3 });
}

const isNot = fc.boolean();
const told = fc.record({
  property: fc.constantFrom("time", "geometry", ...NUMBERS, ...TEXTS),
  isNot,
});
const predicate: fc.Arbitrary<Tree> = fc.oneof(
  fc
    .tuple(scalar, operator, fc.boolean())
    .map(([of, is, isTurned]): Tree => ({ kind: "compare", ...of, operator: is, isTurned })),
  fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...PATTERNS), isNot)
    .map(([property, pattern, not]): Tree => ({ kind: "like", property, pattern, isNot: not })),
  fc.tuple(literals, isNot).map(
    ([
      {
        property,
        list: [low = 0, high = low],
      },
      not,
    ]): Tree => ({
      ...{ kind: "between", property, isNot: not },
      low,
      high,
    }),
  ),
  fc.tuple(literals, isNot).map(([of, not]): Tree => ({ kind: "in", ...of, isNot: not })),
  told.map((of): Tree => ({ kind: "null", ...of })),
  fc
    .tuple(fc.constantFrom(...RELATIONS), temporal, temporal)
    .map(([relation, a, b]): Tree => ({ kind: "temporal", relation, operands: [a, b] })),
  fc
    .tuple(spatial, fc.boolean())
    .map(([area, isTurned]): Tree => ({ kind: "spatial", area, isTurned })),
  fc.boolean().map((is): Tree => ({ kind: "constant", is })),
);

/** Any filter of the classes that the service declares. */
export const anyTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    predicate,
    tie("tree").map((of): Tree => ({ kind: "not", of })),
    fc
      .tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tie("tree"), { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, of]): Tree => ({ kind, of })),
  ),
})).tree;

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

/** How a text is written, where the grammar leaves a choice; drawn one after the other. */
type Taste = () => boolean;

/** CQL2 Text of a filter. */
export function textOf(tree: Tree, taste: Taste): string {
  const word = (keyword: string) => (taste() ? keyword.toUpperCase() : keyword.toLowerCase());
  const name = (property: string) => (taste() ? `"${property}"` : property);
  const not = (isNot: boolean) => (isNot ? `${word("not")} ` : "");
  const inner = (of: Tree) => `(${textOf(of, taste)})`;
  switch (tree.kind) {
    case "not":
      return `${word("not")} ${inner(tree.of)}`;
    case "and":
    case "or":
      return tree.of.map(inner).join(` ${word(tree.kind)} `);
    case "constant":
      return word(String(tree.is));
    case "compare": {
      const { operator, property, literal, isTurned } = tree;
      const [left, right] = [name(property), literalText(literal, taste)];
      return isTurned ? `${right}${turned(operator)} ${left}` : `${left} ${operator}${right}`;
    }
    case "like":
      return `${name(tree.property)} ${not(tree.isNot)}${word("like")} ${quoted(tree.pattern, taste)}`;
    case "between": {
      const [low, high] = [tree.low, tree.high].map((literal) => literalText(literal, taste));
      return `${name(tree.property)} ${not(tree.isNot)}${word("between")} ${low} ${word("and")} ${high}`;
    }
    case "in": {
      const list = tree.list.map((literal) => literalText(literal, taste)).join(", ");
      return `${name(tree.property)} ${not(tree.isNot)}${word("in")} (${list})`;
    }
    case "null":
      return `${name(tree.property)} ${word("is")} ${not(tree.isNot)}${word("null")}`;
    case "temporal":
      return `${word(tree.relation)}(${tree.operands.map((of) => temporalText(of, taste)).join(",")})`;
    case "spatial": {
      const operands = [name("geometry"), spatialText(tree.area, taste)];
      return `${word("s_intersects")}(${(tree.isTurned ? operands.reverse() : operands).join(" , ")})`;
    }
  }
}

function quoted(text: string, taste: Taste): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", taste() ? "''" : "\\'")}'`;
}

function literalText(literal: Literal, taste: Taste): string {
  if (typeof literal === "string") return quoted(literal, taste);
  if (typeof literal === "object") return instantText(literal, taste);
  if (taste()) return String(literal);
  return taste() ? literal.toExponential() : `${literal < 0 ? "" : "+"}${literal}`;
}

function instantText(instant: Instant, taste: Taste): string {
  const [kind, text] =
    "date" in instant ? ["date", instant.date] : ["timestamp", instant.timestamp];
  return `${taste() ? kind.toUpperCase() : kind}('${text}')`;
}

function temporalText(operand: Temporal, taste: Taste): string {
  if (operand === "time") return operand;
  if (!isInterval(operand)) return instantText(operand, taste);
  const ends = operand.map((end) => (end === "time" ? end : `'${end}'`));
  return `${taste() ? "INTERVAL" : "interval"}(${ends.join(",")})`;
}

const isInterval = (operand: Temporal): operand is readonly [string, string] =>
  Array.isArray(operand);

function spatialText(area: Spatial, taste: Taste): string {
  if ("bbox" in area) return `${taste() ? "BBOX" : "bbox"}(${area.bbox.join(",")})`;
  return wellKnownText(area, taste);
}

function wellKnownText(geometry: Geometry, taste: Taste): string {
  const name = taste() ? geometry.type.toUpperCase() : geometry.type.toLowerCase();
  if (geometry.type === "GeometryCollection") {
    return `${name}(${geometry.geometries.map((part) => wellKnownText(part, taste)).join(", ")})`;
  }
  if (geometry.type === "Point") return `${name}(${geometry.coordinates.join(" ")})`;
  const loose = geometry.type === "MultiPoint" && taste();
  return name + nested(geometry.coordinates, loose);
}

function nested(coordinates: readonly unknown[], loose: boolean): string {
  const items = coordinates.map((item) => {
    if (!Array.isArray(item)) return "";
    if (Array.isArray(item[0])) return nested(item, loose);
    return loose ? `(${item.join(" ")})` : item.join(" ");
  });
  return `(${items.join(",")})`;
}

/** CQL2 JSON of a filter. */
export function jsonOf(tree: Tree): unknown {
  const told = (op: string, isNot: boolean, args: readonly unknown[]) =>
    isNot ? { op: "not", args: [{ op, args }] } : { op, args };
  switch (tree.kind) {
    case "not":
      return { op: "not", args: [jsonOf(tree.of)] };
    case "and":
    case "or":
      return { op: tree.kind, args: tree.of.map(jsonOf) };
    case "constant":
      return tree.is;
    case "compare": {
      const args = [{ property: tree.property }, tree.literal];
      const { operator, isTurned } = tree;
      return isTurned ? { op: turned(operator), args: args.reverse() } : { op: operator, args };
    }
    case "like":
      return told("like", tree.isNot, [{ property: tree.property }, tree.pattern]);
    case "between":
      return told("between", tree.isNot, [{ property: tree.property }, tree.low, tree.high]);
    case "in":
      return told("in", tree.isNot, [{ property: tree.property }, tree.list]);
    case "null":
      return told("isNull", tree.isNot, [{ property: tree.property }]);
    case "temporal":
      return { op: tree.relation, args: tree.operands.map(temporalJson) };
    case "spatial": {
      const args = [{ property: "geometry" }, tree.area];
      return { op: "s_intersects", args: tree.isTurned ? args.reverse() : args };
    }
  }
}

function temporalJson(operand: Temporal): unknown {
  if (operand === "time") return { property: operand };
  if (!isInterval(operand)) return operand;
  return { interval: operand.map((end) => (end === "time" ? { property: end } : end)) };
}

function turned(operator: string): string {
  if (operator.startsWith("<") && operator !== "<>") return operator.replace("<", ">");
  return operator.startsWith(">") ? operator.replace(">", "<") : operator;
}

/** Drawn choices, over and over. */
export function tasteOf(choices: readonly boolean[]): Taste {
  let place = 0;
  return () => choices[place++ % choices.length] ?? true;
}
