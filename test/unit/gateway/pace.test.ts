import fc from "fast-check";
import { expect, test } from "vitest";
import { createPace } from "#services/gateway/capacity/pace.ts";

const LIMITS = { windowMs: 60, leastBytes: 100 };

type Tick = { readonly afterMs: number; readonly bytes: number; readonly rests: boolean };

const ticks = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 40 }),
    bytes: fc.nat(90),
    rests: fc.nat(9).map((n) => n === 0),
  }),
  { maxLength: 40 },
);

/** Whether less than the least came since the last look that is a window or more ago, without a rest. */
function expected(past: readonly Tick[]): boolean {
  const since = past.slice(past.findLastIndex(({ rests }) => rests) + 1);
  let age = 0;
  let bytes = 0;
  for (const tick of since.toReversed()) {
    if (age >= LIMITS.windowMs) return bytes < LIMITS.leastBytes;
    age += tick.afterMs;
    bytes += tick.bytes;
  }
  return false;
}

test("a transfer is too slow exactly where a whole window brought less than the least", () => {
  fc.assert(
    fc.property(ticks, (all) => {
      const pace = createPace(LIMITS);
      let atMs = 0;
      let bytes = 0;
      for (const [i, tick] of all.entries()) {
        atMs += tick.afterMs;
        bytes += tick.bytes;
        if (tick.rests) pace.rest();
        else expect(pace.isTooSlow(atMs, bytes)).toBe(expected(all.slice(0, i + 1)));
      }
    }),
  );
});
