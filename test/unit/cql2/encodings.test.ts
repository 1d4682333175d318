import fc from "fast-check";
import { expect, test } from "vitest";
import { type FilterLanguage, readFilter } from "#contracts/cql2/filter.ts";
import { CQL2_LIMITS, Cql2Fault } from "#contracts/cql2/predicates.ts";
import { anyTree, jsonOf, tasteOf, textOf } from "../../support/cql2.ts";
import { runs } from "../../support/runs.ts";

const taste = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });

test("text and JSON of a filter say the same, however the text is written", () => {
  fc.assert(
    fc.property(anyTree, taste, (tree, choices) => {
      const json = JSON.stringify(jsonOf(tree));
      const text = textOf(tree, tasteOf(choices));
      fc.pre(Math.max(json.length, text.length) <= CQL2_LIMITS.characters);
      expect(readFilter(text, "cql2-text")).toEqual(readFilter(json, "cql2-json"));
    }),
    { numRuns: runs(2000, 1 / 20) },
  );
});

function fault(text: string, language: FilterLanguage): string {
  try {
    readFilter(text, language);
    return "";
  } catch (error) {
    if (!(error instanceof Cql2Fault)) throw error;
    return error.message;
  }
}

test("a filter that was cut or changed is read or refused, and nothing else", () => {
  const change = fc.record({
    at: fc.nat({ max: 10_000 }),
    cut: fc.nat({ max: 20 }),
    put: fc.oneof(
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.constantFrom("'", "(", ")", "\\"),
    ),
  });
  fc.assert(
    fc.property(anyTree, taste, fc.array(change, { maxLength: 3 }), (tree, choices, changes) => {
      for (const [language, written] of [
        ["cql2-text", textOf(tree, tasteOf(choices))],
        ["cql2-json", JSON.stringify(jsonOf(tree))],
      ] as const) {
        const hostile = changes.reduce((text, { at, cut, put }) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + put + text.slice(place + cut);
        }, written);
        fault(hostile, language);
      }
    }),
    { numRuns: runs(2000, 1 / 20) },
  );
});

test("any JSON is read or refused, and nothing else", () => {
  const name = fc.constantFrom("op", "args", "property", "interval", "bbox", "type", "coordinates");
  const value = fc.constantFrom(..."and not in = t_after s_intersects Point time".split(" "));
  const json = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 2 }),
      value,
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(name, fc.oneof(value, tie("node")), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(json, (node) => void fault(JSON.stringify(node), "cql2-json")),
    { numRuns: runs(5000, 1 / 20) },
  );
});

const times = (count: number, text: string) => text.repeat(count);

test.each<[what: string, text: string, language: FilterLanguage, message: RegExp]>([
  ["brackets", `${times(3000, "(")}true${times(3000, ")")}`, "cql2-text", /at most 50 levels/],
  ["negations", `${times(2000, "NOT ")}true`, "cql2-text", /at most 50 levels/],
  ["signs", `depth = ${times(3000, "-(")}1${times(3000, ")")}`, "cql2-text", /at most 50 levels/],
  [
    "nested collections",
    `s_intersects(geometry,${times(400, "GEOMETRYCOLLECTION(")}`,
    "cql2-text",
    /at most 50 levels/,
  ],
  [
    "negations",
    times(500, '{"op":"not","args":[') + times(500, "]}"),
    "cql2-json",
    /not JSON|levels/,
  ],
  ["lists", times(5000, "[") + times(5000, "]"), "cql2-json", /expected here/],
  [
    "lists in place of a name",
    `{"op":"s_intersects","args":[{"property":"geometry"},{"type":${times(16_000, "[")}${times(16_000, "]")}}]}`,
    "cql2-json",
    /there is no geometry of that type/,
  ],
  ["conditions", Array(101).fill("depth=1").join(" or "), "cql2-text", /at most 100 conditions/],
  ["characters", `region='${times(33_000, "x")}'`, "cql2-text", /at most 32768 characters/],
  [
    "places",
    `s_intersects(geometry,MULTIPOINT(${Array(501).fill("1 1").join()}))`,
    "cql2-text",
    /at most 500 places/,
  ],
])("too many %s are refused", (_what, text, language, message) => {
  expect(fault(text, language)).toMatch(message);
});

type Levels = readonly (readonly [opens: string, closes: string])[];

/** What opens a level of a filter, and what closes it; some levels are no CQL2. */
const TEXT_LEVELS: Levels = [
  ..."( -( +( t_after( date( interval( bbox( casei( POLYGON( MULTIPOINT( POINT(".split(" "),
  ...["depth in (", "depth in (1, ", "depth between (", "depth = (", "true and ("],
  ...["t_after(time, ", "s_intersects(geometry, ", "GEOMETRYCOLLECTION(", "interval('..', "],
].map((opens) => [opens, ")"] as const);
const JSON_LEVELS: Levels = [
  ...["and", "not", "=", "in", "between", "like", "isNull", "t_after", "s_intersects", "casei", "+"]
    .flatMap((op) => [`{"op":"${op}","args":[`, `{"op":"${op}","args":[{"property":"depth"},`])
    .map((opens) => [opens, "]}"] as const),
  ...["op", "args", "property", "date", "timestamp", "interval", "bbox", "type", "coordinates"].map(
    (name) => [`{"${name}":`, "}"] as const,
  ),
  ['{"type":"GeometryCollection","geometries":[', "]}"],
  ['{"op":"s_intersects","args":[{"property":"geometry"},{"type":', "}]}"],
  ["[", "]"],
];

test.each<[language: FilterLanguage, levels: Levels, core: string]>([
  ["cql2-text", [...TEXT_LEVELS, ["not ", ""]], "true"],
  ["cql2-json", JSON_LEVELS, "true"],
])(
  "%s that is nested in any way thousands of levels deep is read or refused, and nothing else",
  (language, levels, core) => {
    const nesting = fc.array(fc.constantFrom(...levels), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(nesting, nesting, fc.nat({ max: 3 }), (outer, inner, few) => {
        const [opens, closes] = [inner.map(([open]) => open), inner.map(([, close]) => close)];
        const room = CQL2_LIMITS.characters - 1_000;
        const deep = Math.floor(room / [...opens, ...closes].join("").length);
        const around = Array(few).fill(outer).flat();
        const text = [
          ...around.map(([open]) => open),
          opens.join("").repeat(deep),
          core,
          closes.toReversed().join("").repeat(deep),
          ...around.map(([, close]) => close).toReversed(),
        ].join("");
        fc.pre(text.length <= CQL2_LIMITS.characters);
        fault(text, language);
      }),
      { numRuns: runs(1000, 1 / 20) },
    );
  },
);

test.each<[open: string, close: string, core: string]>([
  ["(", ")", "true"],
  ["not ", "", "true"],
  ["t_after(", ")", "time"],
  ["s_intersects(", ")", "geometry"],
])(
  "the text %s may stand around a part of a filter up to the last level and no further",
  (open, close, core) => {
    const nested = (levels: number) =>
      fault(open.repeat(levels) + core + close.repeat(levels), "cql2-text");
    expect(nested(CQL2_LIMITS.depth)).not.toMatch(/levels/);
    expect(nested(CQL2_LIMITS.depth + 1)).toMatch(/at most 50 levels/);
  },
);

test("a long text is a filter, other repetitions are none", () => {
  const long = [
    `region='${times(16_000, "''")}'`,
    `region like '${times(16_000, "\\\\")}'`,
    Array(3000).fill("depth=1").join(" or "),
    times(32_000, " "),
    times(32_000, "1"),
    times(32_000, "'"),
    times(16_000, '""'),
  ];
  const isRefused = (language: FilterLanguage) => long.map((text) => fault(text, language) !== "");
  expect(isRefused("cql2-text")).toEqual([false, false, true, true, true, true, true]);
  expect(isRefused("cql2-json")).toEqual(long.map(() => true));
});
