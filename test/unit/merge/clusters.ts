import fc from "fast-check";
import type { Origin } from "#services/domain/merges/grouping/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { noonPlus } from "./scenario.ts";

/** Where spatial tests go wrong: the date line, both poles, the equator, and an ordinary place. */
const CENTRES = [
  [0, 180],
  [-17, -179.9],
  [89.8, 0],
  [-90, 0],
  [0, 0],
  [-41, 174],
] as const;

export const clusters = fc.record({
  seed: fc.integer(),
  sources: fc.integer({ min: 2, max: 5 }),
  /** Seconds over which the events are spread: many in a time window, or few. */
  span: fc.constantFrom(5, 100, 5000),
  /** Degrees. */
  spread: fc.constantFrom(0.1, 1, 5),
  /** Coarse steps make exact ties and events at the same time and place. */
  step: fc.constantFrom(0.001, 0.5),
  seconds: fc.constantFrom(0, 0.5, 2, 16, 60),
  kilometres: fc.constantFrom(0, 5, 50, 400),
});
export type Clusters = typeof clusters extends fc.Arbitrary<infer S> ? S : never;

/** Events around few places; a fifth have no magnitude. */
export function clusteredEvents(
  { seed, sources, span, spread, step }: Clusters,
  count: number,
): Origin[] {
  const random = randomOf(seed);
  const stepped = (size: number) => Math.round((random() * size) / step) * step;
  return Array.from({ length: count }, (_, i) => {
    const [latitude, longitude] = CENTRES[Math.floor(random() * CENTRES.length)] ?? [0, 0];
    const east = longitude + stepped(Math.abs(latitude) > 85 ? 360 : spread) - spread / 2;
    return {
      source: Math.floor(random() * sources),
      id: `event ${i}`,
      time: noonPlus(stepped(span)),
      latitude: Math.max(-90, Math.min(90, latitude + stepped(spread) - spread / 2)),
      longitude: ((((east + 180) % 360) + 360) % 360) - 180,
      magnitude: random() < 0.2 ? null : Math.round(random() * 60) / 10,
    };
  });
}

export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
