import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../support/runs.ts";
import { type Read, readPieces } from "./read-delimited.ts";
import { VARIANTS } from "./variants.ts";

const TEXTS = VARIANTS.map((variant) => variant.text);
const MARKS = [
  '"',
  '""',
  ",",
  "\t",
  ";",
  "|",
  " ",
  "\r",
  "\n",
  "\r\n",
  "#",
  "\0",
  "'",
  "[",
  "{",
  "-9",
  "nan",
  "\ud800",
  "\ufeff",
];

/** Changes text at a place; `amount` is what is cut, doubled or taken from elsewhere. */
type Mutation = { readonly kind: number; readonly at: number; readonly amount: number };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.integer({ min: 0, max: 4 }),
  at: fc.nat(),
  amount: fc.nat({ max: 60 }),
});

function mutate(text: string, { kind, at: anywhere, amount }: Mutation): string {
  const at = anywhere % (text.length + 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  switch (kind) {
    case 0:
      return (
        head +
        String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << (amount % 16))) +
        tail.slice(1)
      );
    case 1:
      return head + tail.slice(amount);
    case 2:
      return head + tail.slice(0, amount) + tail;
    case 3:
      return head + (MARKS[amount % MARKS.length] ?? "") + tail;
    default:
      return head + (TEXTS[amount % TEXTS.length] ?? "").slice(anywhere % 100) + tail;
  }
}

function expectWellFormed({ rows, lines, errors, warnings, headers, format }: Read, text: string) {
  const lineCount = text.split(/\r\n|\r|\n/).length;
  expect(lines).toHaveLength(rows.length);
  expect(["csv", "txt"]).toContain(format);
  expect(new Set(headers).size).toBe(headers.length);
  for (const line of lines) expect(line >= 1 && line <= lineCount).toBe(true);
  for (const note of [...errors, ...warnings]) {
    const line = Number.parseInt(note, 10);
    expect(line >= 1 && line <= lineCount).toBe(true);
  }
  expect([...lines].sort((a, b) => a - b)).toEqual(lines);
  const known = new Set([...headers, "extra", "magnitude"]);
  for (const row of rows) {
    expect(Object.keys(row).filter((key) => !known.has(key))).toEqual([]);
    expect(JSON.parse(JSON.stringify(row))).toEqual(withoutNegativeZero(row));
  }
}

/** JSON does not tell the zeros apart. */
function withoutNegativeZero(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, Object.is(value, -0) ? 0 : value]),
  );
}

describe("the delimited reader on mutated files", () => {
  it("answers well-formed, and the same for every way of cutting the text", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TEXTS),
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        (original, mutations, cut) => {
          const text = mutations.reduce(mutate, original);
          const whole = readPieces([text]);
          expectWellFormed(whole, text);
          const at = cut % (text.length + 1);
          expect(readPieces([text.slice(0, at), text.slice(at)])).toEqual(whole);
        },
      ),
      { numRuns: runs(2_000), seed: 20_240_101 },
    );
  });
});
