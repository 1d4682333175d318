import fc from "fast-check";
import { expect, test } from "vitest";
import { createWindowPart, type WindowParts } from "#services/domain/import/window-part.ts";

const HOUR_MS = 3_600_000;
const anyTimes = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
/** Events of a window by their times, in batches in order of time; some come to it from run to run. */
const anyRuns = fc.array(fc.record({ added: anyTimes, batches: fc.integer({ min: 1, max: 5 }) }), {
  minLength: 3,
  maxLength: 12,
});

test("in any three runs all of a window was read, each event once and a third at a time", () => {
  fc.assert(
    fc.property(anyTimes, anyRuns, (first, runs) => {
      const window = [...first];
      let parts: WindowParts = { done: 0, toMs: 0 };
      /** Events, by their places, that runs have read since all of them had been. */
      let read = new Set<number>();
      let inARow = 0;
      for (const { added, batches } of runs) {
        // New events are read since they are new.
        for (const time of added) read.add(window.push(time) - 1);
        const part = createWindowPart(parts, window.length);
        const size = Math.ceil(400 / batches);
        let count = 0;
        for (let from = 0; from <= 400; from += size) {
          const places = window.flatMap((time, i) =>
            time >= from && time < from + size ? [i] : [],
          );
          part.extend(places.map((place) => window[place] ?? 0));
          for (const place of places) {
            if (!part.has(window[place] ?? 0)) continue;
            count += 1;
            read.add(place);
          }
        }
        inARow += 1;
        parts = part.after();
        expect(parts.done).toBe(part.isLast() ? 0 : inARow);
        expect(inARow).toBeLessThanOrEqual(3);
        const distinct = new Set(window).size;
        const together = window.length - distinct;
        if (inARow < 3)
          expect(count).toBeLessThanOrEqual(Math.max(50, window.length / 3 + 1) + together);
        if (!part.isLast()) continue;
        expect(read.size).toBe(window.length);
        read = new Set();
        inARow = 0;
      }
    }),
  );
});

test("a window of few events is read whole by each run", () => {
  const part = createWindowPart({ done: 0, toMs: 0 }, 50);
  part.extend(Array.from({ length: 50 }, (_, i) => i * HOUR_MS));
  expect([part.isLast(), part.has(0), part.has(49 * HOUR_MS)]).toEqual([true, true, true]);
});
