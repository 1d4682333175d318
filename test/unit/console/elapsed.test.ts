import fc from "fast-check";
import { expect, test } from "vitest";
import { duration } from "#services/console/ui/text/duration.ts";
import { elapsed } from "#services/console/ui/text/format.ts";

test("a time that something takes reads back as its whole seconds", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(999), (seconds, rest) => {
      const parts = elapsed(seconds * 1_000 + rest).split(":");
      expect(parts.reduce((sum, part) => sum * 60 + Number(part), 0)).toBe(seconds);
      expect(parts.length).toBe(seconds < 3_600 ? 2 : 3);
      expect(parts.slice(1).every((part) => part.length === 2)).toBe(true);
    }),
  );
});

test("clocks that differ make no negative time", () => {
  expect(elapsed(-5_000)).toBe("0:00");
});

test("a duration is told in the largest unit of which there is one", () => {
  expect(duration(4.169)).toBe("4.17 seconds");
  expect(duration(166_224)).toBe("1.92 days");
  expect(duration(2 * 365.25 * 86_400)).toBe("2 years");
});
