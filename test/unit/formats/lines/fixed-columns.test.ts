import { describe, expect, test } from "vitest";
import { columnsOf, FaultyLine, integerIn, numberIn } from "#infra/formats/fixed-columns.ts";

const line = { text: " PDE   13.78 **** 5.5 a  12", number: 7 };

describe("columns of a line", () => {
  test("count from 1, both ends are within, and blanks around the text do not count", () => {
    expect(columnsOf(line, 1, 5)).toBe("PDE");
    expect(columnsOf(line, 23)).toBe("a");
    expect(columnsOf(line, 26, 99)).toBe("12");
    expect(columnsOf(line, 40, 50)).toBe("");
  });

  test("hold numbers, moved by powers of ten without a second rounding", () => {
    expect(numberIn(line, 6, 12)).toBe(13.78);
    expect(numberIn(line, 6, 12, 3)).toBe(13_780);
    expect(numberIn(line, 6, 12, -7)).toBe(13.78e-7);
    expect(integerIn(line, 25, 27)).toBe(12);
  });

  test("hold no number where they are blank, filled with asterisks or beyond the line", () => {
    expect(numberIn(line, 24, 25)).toBeUndefined();
    expect(numberIn(line, 14, 17)).toBeUndefined();
    expect(numberIn(line, 60, 70)).toBeUndefined();
  });

  test("that hold other text make the line faulty", () => {
    expect(() => numberIn(line, 2, 4)).toThrow(
      new FaultyLine(7, 'columns 2 to 4 hold "PDE", no number'),
    );
    expect(() => integerIn(line, 19, 21)).toThrow("columns 19 to 21 hold 5.5, no whole number");
    expect(() => numberIn({ text: "1e999", number: 1 }, 1, 5)).toThrow("no number");
    expect(() => numberIn({ text: "1e-300", number: 1 }, 1, 6)).toThrow("no number");
  });
});
