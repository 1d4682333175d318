import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isShownLine, isShownText } from "#contracts/shown-text.ts";
import { testRows } from "../support/test-rows.ts";

const codes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));

const CONTROLS = [...codes(0x00, 0x1f), ...codes(0x7f, 0x9f)];
const DIRECTIONS = [
  "\u061c",
  "\u200e",
  "\u200f",
  ...codes(0x202a, 0x202e),
  ...codes(0x2066, 0x2069),
];
const LINE_BREAKS = ["\n", "\r", "\u0085", "\u2028", "\u2029"];

describe("a name", () => {
  test("a name holds no control, no line break and no mark that turns its direction", () => {
    for (const character of [...CONTROLS, ...DIRECTIONS, ...LINE_BREAKS]) {
      expect(isShownLine(`a${character}b`)).toBe(false);
    }
  });

  testRows(
    "a name may be of any script",
    [
      "Ōtautahi",
      "地震 目録",
      "שלום עולם",
      "فهرس الزلازل",
      "👩‍🚀 Zürich–Genève",
      "می‌خواهم",
      "a\u00a0b\u00adc",
    ],
    (name) => {
      expect(isShownLine(name)).toBe(true);
    },
  );

  testRows(
    "a name holds something that can be seen",
    ["\u200b", "\ufeff", "\u3164\u115f", " \u00ad \u2060", "\u{e0041}\u{e0042}"],
    (name) => {
      expect(isShownLine(name)).toBe(false);
      expect(isShownLine(`${name}a`)).toBe(true);
    },
  );

  test("a name holds no half of a character", () => {
    expect(isShownLine("a\ud800b")).toBe(false);
  });
});

test("a longer text may have lines and tabs, and nothing else that a name may not", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, (given) => {
      expect(isShownText(given)).toBe(isShownLine(given.replaceAll(/[\t\r\n]/g, "")));
    }),
  );
  expect(isShownText("one\r\ntwo\n\tthree")).toBe(true);
});
