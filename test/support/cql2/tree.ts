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
export type Instant = { readonly date: string } | { readonly timestamp: string };
export type Literal = number | string | Instant;
export type Temporal = "time" | Instant | readonly [End, End];
/** `time` is the property, `..` an open end, else a date or a timestamp. */
export type End = string;
export type Spatial = { readonly bbox: readonly number[] } | Geometry;
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
export type Place = readonly [longitude: number, latitude: number];

export const RELATIONS = [
  ...["t_after", "t_before", "t_contains", "t_disjoint", "t_during", "t_equals"],
  ...["t_finishedBy", "t_finishes", "t_intersects", "t_meets", "t_metBy", "t_overlappedBy"],
  ...["t_overlaps", "t_startedBy", "t_starts"],
] as const;
export type Relation = string;

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
  "%",
  "_%",
  "",
  "%%",
  "\\%\\_",
  "a_b%",
  "a\\_b\\%",
  "%a%",
  "M%",
  "it_s",
  "_\\\\%",
  "__",
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
