import { expect, test } from "vitest";
import { createMemory, createRecent } from "#infra/kernel/recent.ts";

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

test("a memory makes a value once for all who ask, again after a failure, and when it was dropped", async () => {
  const made: string[] = [];
  const memory = createMemory<string>(10, (value) => value.length);
  const make = (value: string) => async () => {
    made.push(value);
    if (value === "") throw new Error("nothing");
    return value;
  };
  await Promise.all([memory("a", make("aaaaaa")), memory("a", make("aaaaaa"))]);
  expect(made).toEqual(["aaaaaa"]);
  await expect(memory("b", make(""))).rejects.toThrow("nothing");
  await memory("b", make("bbbbbb"));
  await memory("a", make("aaaaaa"));
  expect(made).toEqual(["aaaaaa", "", "bbbbbb", "aaaaaa"]);
  await expect(memory.known("a")).resolves.toBe("aaaaaa");
  expect(memory.known("b")).toBeUndefined();
});
