import fc from "fast-check";
import { expect, test } from "vitest";
import { spansOfMoved } from "#services/domain/import/spans-of-moved.ts";

const MARGIN_MS = 2_000;

test("each event that moved lies within one span, with room for rounded times", () => {
  const anyTimes = fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 300 });
  fc.assert(
    fc.property(anyTimes, anyTimes, (moved, others) => {
      const spans = spansOfMoved(moved, [...moved, ...others]);
      for (const time of moved) {
        const around = spans.filter(
          ({ from, to }) => from + MARGIN_MS <= time && time <= to - MARGIN_MS,
        );
        expect(around).toHaveLength(1);
      }
      expect(spans.length).toBeLessThanOrEqual(Math.min(40, moved.length));
      for (const [i, span] of spans.entries()) {
        expect(span.from).toBeGreaterThan(spans[i - 1]?.to ?? Number.NEGATIVE_INFINITY);
      }
    }),
  );
});

test("events with few others between them are asked for at once, others by themselves", () => {
  const HOUR = 3_600_000;
  const listed = Array.from({ length: 1_000 }, (_, i) => i * HOUR);
  const spans = spansOfMoved([500 * HOUR, 10 * HOUR, 15 * HOUR], listed);
  expect(spans).toEqual([
    { from: 10 * HOUR - MARGIN_MS, to: 15 * HOUR + MARGIN_MS },
    { from: 500 * HOUR - MARGIN_MS, to: 500 * HOUR + MARGIN_MS },
  ]);
  expect(spansOfMoved([], listed)).toEqual([]);
});

test("where much moved, the widest gaps alone are left out", () => {
  const listed = Array.from({ length: 100_000 }, (_, i) => i * 60_000);
  const moved = listed.filter((_, i) => i % 100 === 0 && (i < 40_000 || i > 60_000));
  const spans = spansOfMoved(moved, listed);
  expect(spans).toHaveLength(40);
  const isInGap = ({ from, to }: { from: number; to: number }) =>
    from <= 50_000 * 60_000 && to >= 50_000 * 60_000;
  expect(spans.some(isInGap)).toBe(false);
});
