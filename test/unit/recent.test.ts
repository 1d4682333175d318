import { expect, test } from "vitest";
import { createRecent } from "#infra/kernel/recent.ts";

test("the values kept last are there, as many as their weights allow", () => {
  const recent = createRecent<string>(10);
  recent.keep("a", "A", 4);
  recent.keep("b", "B", 4);
  recent.keep("a", "A");
  recent.keep("c", "C", 4);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual(["A", undefined, "C"]);
  recent.keep("d", "D", 11);
  expect(["a", "c", "d"].map((key) => recent.get(key))).toEqual([undefined, undefined, undefined]);
  recent.keep("e", "E", 10);
  expect(recent.get("e")).toBe("E");
});
