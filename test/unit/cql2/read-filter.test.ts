import { expect, test } from "vitest";
import { type FilterLanguage, readFilter } from "#contracts/cql2/filter.ts";
import type { Expression } from "#contracts/query/expression.ts";

const depth = (operator: "=" | "<" | ">" | "<=" | ">=", value: number): Expression => ({
  kind: "compare",
  property: "depth",
  operator,
  value,
});
const region = (value: string): Expression => ({
  kind: "compare",
  property: "region",
  operator: "=",
  value,
});
const time = (operator: "=" | "<" | ">" | "<=" | ">=", value: string): Expression => ({
  kind: "compare",
  property: "time",
  operator,
  value,
});

test.each<[text: string, meant: Expression]>([
  ["true", { all: [] }],
  ["FALSE", { any: [] }],
  ["depth=-1.5E+1", depth("=", -15)],
  ["depth = +.5", depth("=", 0.5)],
  ["depth = 1.", depth("=", 1)],
  ["depth < ( - (5))", depth("<", -5)],
  ["5 < depth", depth(">", 5)],
  ["((depth)) > (5)", depth(">", 5)],
  ['"depth" = 1', depth("=", 1)],
  ["\tdepth\n=\u00a01 ", depth("=", 1)],
  ["region = 'it''s'", region("it's")],
  ["region = 'it\\'s'", region("it's")],
  ["region = 'a\\tb\\n\\r\\a\\b\\v\\f\\\\'", region("a\tb\n\r\u0007\b\v\f\\")],
  ["region = '日本 \u{1f30b}'", region("日本 \u{1f30b}")],
  ["region like 'a\\%\\_\\\\%'", { kind: "like", property: "region", pattern: "a\\%\\_\\%" }],
  [
    "region NOT ILIKE 'a%'",
    { kind: "like", property: "region", pattern: "a%", ignoresCase: true, isNot: true },
  ],
  [
    "depth = 1 or depth = 2 and not depth = 3",
    {
      any: [
        depth("=", 1),
        { all: [depth("=", 2), { ...depth("=", 3), operator: "<>" } as Expression] },
      ],
    },
  ],
  [
    "time = DATE('2020-02-29')",
    {
      all: [time(">=", "2020-02-29T00:00:00Z"), time("<=", "2020-02-29T23:59:59.999999Z")],
    },
  ],
  ["time > DATE('2020-02-29')", time(">", "2020-02-29T23:59:59.999999Z")],
  ["time > TIMESTAMP('2020-02-29T01:00:00+01:00')", time(">", "2020-02-29T00:00:00Z")],
  ["time >= '2020-02-29T00:00:00Z'", time(">=", "2020-02-29T00:00:00Z")],
  ["time >= '2020-02-29T'", time(">=", "2020-02-29T00:00:00Z")],
  ["T_AFTER(time, INTERVAL('..','2020-01-31'))", time(">", "2020-01-31T23:59:59.999999Z")],
  [
    "S_INTERSECTS(geometry, BBOX(170,-10,-170,10))",
    {
      ...{ kind: "box", west: 170, south: -10, east: -170, north: 10 },
    },
  ],
  [
    "S_INTERSECTS(BBOX(0,0,-2000,1,1,0), geometry)",
    {
      all: [{ kind: "box", west: 0, south: 0, east: 1, north: 1 }, depth("<=", 2), depth(">=", 0)],
    },
  ],
  [
    "S_INTERSECTS(geometry, POINT Z (1 2 3))",
    {
      kind: "shape",
      shape: { polygons: [], lines: [], points: [[1, 2]] },
    },
  ],
  [
    "S_INTERSECTS(geometry, MULTIPOINT((1 2), 3 4))",
    {
      kind: "shape",
      shape: {
        polygons: [],
        lines: [],
        points: [
          [1, 2],
          [3, 4],
        ],
      },
    },
  ],
])("%j is read", (text, meant) => {
  expect(readFilter(text, "cql2-text")).toEqual(meant);
  expect(readFilter(text, "cql-text")).toEqual(meant);
});

test.each<[text: string, message: string]>([
  ["", "a condition, property or literal is expected, not the end (character 1)"],
  ["depth=1 garbage", 'AND, OR or the end is expected, not "garbage" (character 9)'],
  ["depth=1 AND", "a condition, property or literal is expected, not the end (character 12)"],
  ["THIS IS NOT A FILTER", 'NULL is expected, not "A" (character 13)'],
  ["depth = 5abc", '"5abc" is no number (character 9)'],
  ["depth = 1e999", '"1e999" is too large (character 9)'],
  ["depth ! 1", '"!" has no meaning (character 7)'],
  ["depth = 'x", "a text has no closing quote (character 9)"],
  ["depth = 'x'", "depth is compared with a number (character 9)"],
  ["region = 1", "region is compared with a text (character 10)"],
  ["region = 'a\0'", "a text has no character 0 (character 10)"],
  ["depth = magnitude", "depth is compared with a literal (character 9)"],
  ["depth + 1 > 2", 'AND, OR or the end is expected, not "+" (character 7)'],
  ["casei(region) = 'x'", 'there is no function "casei" (character 1)'],
  ["1 = 1", "one side of a comparison has to be a property (character 5)"],
  ["depth", "a condition is expected here (character 1)"],
  [
    "this_is_not_a_queryable IS NULL",
    'there is no queryable "this_is_not_a_queryable" (character 1)',
  ],
  ["id = 'x'", 'there is no queryable "id" (character 1)'],
  ["__proto__ is null", 'there is no queryable "__proto__" (character 1)'],
  ["depth like '1%'", "LIKE takes a property of texts and a pattern (character 1)"],
  ["region like '\\\\'", "a pattern may not end with a single backslash (character 13)"],
  ["geometry = 1", "geometries are compared by S_INTERSECTS alone (character 1)"],
  ["time = DATE('2022-02-30')", '"2022-02-30" is no such time (character 8)'],
  ["time = TIMESTAMP('2022-02-03')", '"2022-02-03" is no such time (character 8)'],
  ["time = 'noon'", '"noon" is no such time (character 8)'],
  ["t_after(region, DATE('2020-01-01'))", '"region" is no time (character 9)'],
  [
    "t_after(time, INTERVAL('2021-01-01','2020-01-01'))",
    "the interval ends before it starts (character 15)",
  ],
  ["t_after(time)", "two operands are expected (character 1)"],
  ["s_intersects(geometry,POINT(90 180))", "a latitude beyond ±90 (character 23)"],
  [
    "s_intersects(geometry,POINT(1))",
    "a place is a longitude, a latitude and perhaps a height (character 23)",
  ],
  ["s_intersects(geometry,POINT EMPTY)", '"(" is expected, not "EMPTY" (character 29)'],
  ["s_intersects(geometry,POLYGON((0 0,1 0,1 1,0 1)))", "a ring is not closed (character 23)"],
  [
    "s_intersects(geometry,POLYGON((0 0,1 0,0 0)))",
    "a line or ring has at least 4 places (character 23)",
  ],
  [
    "s_intersects(geometry,BBOX(1000000,1000000,2000000,2000000))",
    "1000000,1000000,2000000,2000000 is no box in degrees (character 23)",
  ],
  ["s_intersects(geometry,BBOX(0,0,1))", "a box has 4 or 6 numbers (character 23)"],
  ["s_within(geometry,POINT(1 1))", 'there is no function "s_within" (character 1)'],
])("%j is refused: %s", (text, message) => {
  expect(() => readFilter(text, "cql2-text")).toThrow(message);
});

test.each<[json: string, message: string]>([
  [
    '{"op":"not","args":[{"op":"=","args":[{"property":"x"},1]}]}',
    'there is no queryable "x" (args[0].args[0])',
  ],
  ['{"op":"plus","args":[1,2]}', 'there is no operator "plus" (args)'],
  ['{"op":"="}', "a list is expected (args)"],
  [
    '{"op":"in","args":[{"property":"depth"},[1,"2"]]}',
    "depth is compared with a number (args[1][1])",
  ],
  ['{"op":"between","args":[{"property":"depth"},1]}', "three operands are expected (args)"],
  [
    '{"op":"t_after","args":[{"property":"time"},{"interval":[1,".."]}]}',
    "an end is a text or a property (args[1].interval[0])",
  ],
  ['{"op":"in","args":[{"property":"depth"},[]]}', "the list of IN is empty (args[0])"],
  ["null", "a condition, property or literal is expected here"],
  ["{", "is not JSON"],
])("%s is refused: %s", (json, message) => {
  const language: FilterLanguage = "cql2-json";
  expect(() => readFilter(json, language)).toThrow(message);
});
