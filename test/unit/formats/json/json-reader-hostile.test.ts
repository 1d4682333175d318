import { describe, expect, test } from "vitest";
import { createJsonReader } from "#infra/formats/json/json-reader.ts";
import { atOnce } from "#infra/kernel/steps.ts";
import { readJson } from "./read-json.ts";

const MEGABYTE = 1024 * 1024;
const MILLION = 1_000_000;

/** A reader that counts instead of collecting. */
function countingReader() {
  const counts = { rows: 0, errors: 0, warnings: 0 };
  const reader = createJsonReader({
    row: () => counts.rows++,
    error: () => counts.errors++,
    warning: () => counts.warnings++,
  });
  return { reader, counts };
}

function heapAfter(work: () => void): number {
  work();
  return process.memoryUsage().heapUsed;
}

describe("a hostile file", () => {
  test("a hostile file of a gigabyte in one string is read in bounded memory", () => {
    const piece = "x".repeat(MEGABYTE);
    const { reader, counts } = countingReader();
    reader.write('[{"mag":1},{"mag":2,"place":"');
    const before = process.memoryUsage().heapUsed;
    let highest = 0;
    for (let i = 0; i < 1024; i++) {
      highest = Math.max(
        highest,
        heapAfter(() => reader.write(piece)),
      );
    }
    reader.write('"},{"mag":3}]');
    atOnce(reader.end());
    expect(counts).toEqual({ rows: 2, errors: 1, warnings: 0 });
    expect(highest - before).toBeLessThan(32 * MEGABYTE);
  });

  test.each([
    ["open lists", "[", { rows: 0, errors: 2, warnings: 0 }],
    ["open objects", '{"a":', { rows: 0, errors: 1, warnings: 0 }],
    ["lists in lists, closed", "[]", { rows: 0, errors: 1, warnings: 0 }],
  ])("a hostile file of a million %s is an error, without a deep stack", (_, text, expected) => {
    const { reader, counts } = countingReader();
    reader.write(
      `[${text === "[]" ? "[".repeat(MILLION) + "]".repeat(MILLION) : text.repeat(MILLION)}`,
    );
    atOnce(reader.end());
    expect(counts.rows).toBe(expected.rows);
    expect(counts.errors).toBeGreaterThanOrEqual(expected.errors);
    expect(counts.errors).toBeLessThanOrEqual(3);
  });

  test("a hostile file of a million empty objects tells each of them", () => {
    const { reader, counts } = countingReader();
    reader.write(`[${"{},".repeat(MILLION - 1)}{}]`);
    atOnce(reader.end());
    expect(counts).toEqual({ rows: 0, errors: MILLION, warnings: 0 });
  });

  test("a hostile file of a million brackets that do not match is read in linear time", () => {
    const { reader, counts } = countingReader();
    reader.write(`{"events":[${"[{".repeat(31)}${"]}".repeat(MILLION)}`);
    atOnce(reader.end());
    expect(counts.rows).toBe(0);
    expect(counts.errors).toBeGreaterThan(0);
  });

  test("a hostile file of quotes and backslashes without end is read in linear time", () => {
    const { reader, counts } = countingReader();
    reader.write(`[{"mag":${'"\\'.repeat(MILLION)}\n,NaN,{"mag":1}]`);
    atOnce(reader.end());
    expect(counts).toEqual({ rows: 1, errors: 1, warnings: 0 });
  });

  test("a hostile file sets no prototype, and has no member that would set one elsewhere", () => {
    const text =
      '[{"mag":1,"__proto__":{"polluted":1},"a":{"\\u005f_proto__":{"b":1},"c":2},' +
      '"constructor":{"prototype":{"polluted":1}},"extra":{"__proto__":null,"d":3}}]';
    const { rows, errors, warnings } = readJson(text);
    expect(errors).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(rows[0]?.["extra"])).toBe('{"d":3,"a":{"c":2}}');
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("a hostile file has names that objects have by themselves, which are names like others", () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "length"];
    const members = names.map((name) => `"${name}":"x"`).join(",");
    const { rows } = readJson(`[{"mag":1,${members}}]`);
    expect(rows[0]?.["extra"]).toEqual(Object.fromEntries(names.map((name) => [name, "x"])));
  });

  test("a hostile file of as many shapes as events is read", () => {
    const events = Array.from({ length: 20_000 }, (_, i) => `{"mag":1,"name-${i}":${i}}`);
    const { rows, errors } = readJson(`[${events.join()}]`);
    expect(errors).toEqual([]);
    expect(rows[19_999]?.["extra"]).toEqual({ "name-19999": 19_999 });
  });
});
