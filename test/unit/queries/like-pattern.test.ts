import { expect, test } from "vitest";
import { likePattern } from "#contracts/query/like-pattern.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "a pattern of LIKE stands for its texts",
  [
    ["Kaikōura", "Kaikōura", true],
    ["Kaikōura", "kaikōura", false],
    ["Kai%", "Kaikōura", true],
    ["%ō%a", "Kaikōura", true],
    ["Kai", "Kaikōura", false],
    ["_", "🌏", true],
    ["_", "", false],
    ["%", "", true],
    ["100\\%", "100%", true],
    ["100\\%", "100 km", false],
    ["a\\_b", "axb", false],
    ["\\\\%", "\\x", true],
    [".*", "abc", false],
    ["a%b", "a\nb", true],
  ],
  (pattern, text, expected) => {
    expect(likePattern(pattern)(text)).toBe(expected);
  },
);

test("a pattern of many parts is compared at once", () => {
  expect(likePattern("%a".repeat(200))(`${"a".repeat(10_000)}b`)).toBe(false);
});
