import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../support/runs.ts";
import { FIXTURES, fixture, readJson } from "./read-json.ts";

/** Pieces of text that mean something to a reader of JSON. */
const SPLINTERS = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "\n",
  "\u001e",
  "\ufeff",
  "\ud800",
  "\0",
  "NaN",
  "1e999",
  '"events":[',
  '"features":[',
  '{"type":"Feature",',
  '"__proto__":{},',
  '"coordinates":',
  "//",
  "[".repeat(70),
] as const;

const texts = FIXTURES.map(fixture);

const splice = fc.record({
  at: fc.nat(),
  remove: fc.oneof(fc.constant(0), fc.nat({ max: 40 }), fc.nat({ max: 2000 })),
  insert: fc.oneof(
    fc.constantFrom(...SPLINTERS),
    fc.string({ unit: "binary", maxLength: 5 }),
    fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat({ max: 300 }))
      .map(([text, from, length]) => text.slice(from % text.length).slice(0, length)),
  ),
});

const mutated = fc
  .tuple(fc.constantFrom(...texts), fc.array(splice, { minLength: 1, maxLength: 6 }))
  .map(([text, splices]) =>
    splices.reduce((before, { at, remove, insert }) => {
      const place = at % (before.length + 1);
      return before.slice(0, place) + insert + before.slice(place + remove);
    }, text),
  );

describe("any text", () => {
  test("any text is read without an exception, the same in pieces, and told in order", () => {
    fc.assert(
      fc.property(mutated, fc.nat(), (text, cut) => {
        const read = readJson(text);
        const place = cut % (text.length + 1);
        expect(readJson(text.slice(0, place), text.slice(place))).toEqual(read);

        const lines = text.split("\n").length;
        for (const { line, message } of [...read.errors, ...read.warnings]) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
          expect(message).not.toBe("");
        }
        for (const row of read.rows) {
          expect(Object.keys(row).every((name) => read.headers.includes(name))).toBe(true);
          expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
        }
        expect(JSON.stringify(read)).not.toContain('"__proto__":');
      }),
      { numRuns: runs(2_000), seed: 20_210_304 },
    );
  });
});
