import { describe, expect, it } from "vitest";
import { readPieces, readText } from "./read-delimited.ts";
import { VARIANTS } from "./variants.ts";

describe("the delimited reader", () => {
  it.each(VARIANTS)("reads $title", (variant) => {
    const { rows, errors, warnings, headers, format } = readText(variant.text, variant.options);
    expect(rows).toEqual(variant.rows);
    expect(errors).toEqual(variant.errors ?? []);
    expect(warnings).toEqual(variant.warnings ?? []);
    expect(headers).toEqual(variant.headers);
    expect(format).toBe(variant.format);
  });

  it.each(VARIANTS)("tells the same wherever the text is cut: $title", ({ text, options }) => {
    const whole = readText(text, options);
    expect(readPieces(text, options)).toEqual(whole);
    for (let at = 1; at < text.length; at++) {
      expect(readPieces([text.slice(0, at), text.slice(at)], options)).toEqual(whole);
    }
  });

  it("tells the lines on which rows begin", () => {
    const read = readText('# c\ntime,lat,lon,place\n\n1,2,3,"a\r\nb\n"\n4,5,6,c\n# d\n7,8,9,d');
    expect(read.lines).toEqual([4, 7, 9]);
  });
});
