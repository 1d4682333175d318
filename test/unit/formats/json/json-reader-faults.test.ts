import { describe, expect, test } from "vitest";
import { MAX_ELEMENT_LENGTH } from "#infra/formats/json/open-element.ts";
import { readJson } from "./read-json.ts";

/** An event of magnitude `m`. */
const e = (m: number) => `{"mag":${m},"place":"x"}`;

describe("what is broken in JSON", () => {
  test.each([
    ["an element that is no object", `[${e(1)},\n5,\n${e(2)}]`, [1, 2], [2]],
    ["an element that does not parse", `[${e(1)},\n{"mag":}\n,${e(2)}]`, [1, 2], [2]],
    ["an object that is not closed", `[${e(1)},\n{"mag":7,\n${e(2)},${e(3)}]`, [1, 2, 3], [2]],
    ["a list that is not closed", `[${e(1)},\n{"mag":7,"a":[1,2},\n${e(2)}]`, [1, 2], [2]],
    ["a brace too many", `[${e(1)},\n{"mag":7}},\n${e(2)}]`, [1, 2], [2]],
    ["a quote that is missing", `[${e(1)},\n{"mag":7,"place":"x},\n${e(2)}]`, [1, 2], [2]],
    ["a comma too many inside", `[\n{"mag":7,},\n${e(2)}]`, [2], [2]],
    ["a comment", `[\n// {"mag":7}\n${e(1)},\n${e(2)}]`, [1, 2], [2]],
    ["a list's end in an object", `{"events":[${e(1)},\n{"mag":7],"n":{"a":1}}`, [1], [2]],
    ["an object without anything of an event", `[${e(1)},\n{"a":1},{}]`, [1], [2, 2]],
    ["a file that ends in an element", `[${e(1)},\n{"mag":7,"pl`, [1], [2, 2]],
    ["a file that ends after an element", `[${e(1)},\n${e(2)}\n`, [1, 2], [3]],
    ["a file that ends in its object", `{"events":[${e(1)}],\n"n`, [1], [1]],
    ["text after the list", `[${e(1)}]\n]`, [1], [2]],
    ["a line that is cut off", `${e(1)}\n{"mag":7,"pl\n${e(2)}\n`, [1, 2], [2]],
    ["a line that is cut off in a list", `${e(1)}\n{"mag":7,"a":[1,\n${e(2)}`, [1, 2], [2]],
    ["a first line that is cut off", `{"mag":7,"pl\n${e(1)}\n${e(2)}`, [1, 2], [1]],
    ["a line that is something else", `${e(1)}\nhello {"mag":7}\n${e(2)}`, [1, 2], [2]],
    ["a file that ends in a line", `${e(1)}\n{"mag":7`, [1], [2]],
  ])("%s is told with its line, and reading goes on", (_, text, magnitudes, lines) => {
    for (const read of [readJson(text), readJson(...text)]) {
      expect(read.rows.map((row) => row["magnitude"])).toEqual(magnitudes);
      expect(read.errors.map(({ line }) => line)).toEqual(lines);
    }
  });

  test.each([
    [
      "a comma too many at the end",
      `[${e(1)},\n]`,
      "nothing stands between a comma and the list's end",
    ],
    ["a comma too many between", `[${e(1)},\n,${e(2)}]`, "nothing stands before this comma"],
    ["a comma that is missing", `[${e(1)}\n${e(2)}]`, "a comma is missing before this event"],
    [
      "a second list",
      `{"events":[${e(1)}],\n"events":[${e(2)}]}`,
      "another list of events begins here",
    ],
  ])("%s is a warning", (_, text, message) => {
    const read = readJson(text);
    expect(read.errors).toEqual([]);
    expect(read.warnings).toEqual([{ line: 2, message }]);
    expect(read.rows.length).toBe(text.split("mag").length - 1);
  });

  test.each([['{"a":1}'], ['{"type":"Topology"}'], ['{"features":{}}'], ['{"events":null}']])(
    "says what was expected in the place of %s",
    (text) => {
      const { rows, errors } = readJson(text);
      expect(rows).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).toMatch(/^is no event: expected a list of events, an object/);
    },
  );

  test.each([[""], [" \n"], ["\ufeff"]])("says that %j holds nothing", (text) => {
    expect(readJson(text).errors).toEqual([{ line: 1, message: "holds no events" }]);
  });

  test("tells an element that is nested too deep, and no other", () => {
    const deep = (levels: number) => `{"mag":7,"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const read = readJson(`[${deep(62)},\n${deep(63)},\n${e(1)}]`);
    expect(read.rows.map((row) => row["magnitude"])).toEqual([7, 1]);
    expect(read.errors).toEqual([{ line: 2, message: "is nested deeper than 64 levels" }]);
  });

  test("tells an element that is too long, and does not hold it", () => {
    const piece = "x".repeat(64 * 1024);
    const pieces = Array.from({ length: MAX_ELEMENT_LENGTH / piece.length }, () => piece);
    const read = readJson(`[${e(1)},\n{"mag":7,"a":"`, ...pieces, `"},\n${e(2)}]`);
    expect(read.rows.map((row) => row["magnitude"])).toEqual([1, 2]);
    expect(read.errors).toEqual([
      { line: 2, message: `is longer than ${MAX_ELEMENT_LENGTH} characters` },
    ]);
  });

  test("passes over a large member before the events without holding it", () => {
    const piece = `"${"x".repeat(64 * 1024)}",`;
    const pieces = Array.from({ length: 100 }, () => piece);
    const read = readJson('{"index":[', ...pieces, `1],"events":[${e(1)}]}`);
    expect(read).toMatchObject({ errors: [], warnings: [] });
    expect(read.rows).toHaveLength(1);
  });
});
