import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Linkage } from "#contracts/merge-config.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { greatCircleKm } from "#services/domain/merge/great-circle.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { groupByBruteForce, sortedGroups } from "./brute-force.ts";
import { groupIds, idsOf, noonPlus } from "./scenario.ts";

/** Where spatial tests go wrong: the date line, both poles, the equator, and an ordinary place. */
const CENTRES = [
  [0, 180],
  [-17, -179.9],
  [89.8, 0],
  [-90, 0],
  [0, 0],
  [-41, 174],
] as const;

const scenario = fc.record({
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
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

function clusteredEvents({ seed, sources, span, spread, step }: Scenario, count: number): Origin[] {
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
    };
  });
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

describe.each(Linkage.options)("grouping by %s linkage", (linkage) => {
  test("equals brute force on clustered catalogues of 300 events", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const events = clusteredEvents(given, 300);
        const groups = groupIds(events, given.seconds, given.kilometres, linkage);
        const thresholds = thresholdsOf(given.seconds, given.kilometres);
        expect(sortedGroups(groups)).toEqual(groupByBruteForce(events, thresholds, linkage));
      }),
      { numRuns: runs(150) },
    );
  });

  test("does not depend on the order of events or sources", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const events = clusteredEvents(given, 200);
        const renamed = shuffled(events, randomOf(given.seed + 1)).map((event) => ({
          ...event,
          source: given.sources - 1 - event.source,
        }));
        expect(groupIds(renamed, given.seconds, given.kilometres, linkage)).toEqual(
          groupIds(events, given.seconds, given.kilometres, linkage),
        );
      }),
      { numRuns: runs(100) },
    );
  });

  test("parts the events: each in one group, one of each source, as near as the linkage says", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const events = clusteredEvents(given, 200);
        const byId = new Map(events.map((event) => [event.id, event]));
        const groups = groupIds(events, given.seconds, given.kilometres, linkage).map((ids) =>
          ids.flatMap((id) => byId.get(id) ?? []),
        );
        const surplus = groups.reduce((sum, group) => sum + group.length - 1, 0);
        expect(groups.length + surplus).toBe(events.length);
        expect(new Set(groups.flat()).size).toBe(events.length);
        for (const group of groups) {
          expect(new Set(group.map(({ source }) => source)).size).toBe(group.length);
          const isNear = linkage === "complete" ? areAllNear : areLinked;
          expect(isNear(group, given)).toBe(true);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test("puts each event of a catalogue together with its copy and nothing else", () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const catalogue = clusteredEvents(given, 200).map((event) => ({ ...event, source: 0 }));
        const copy = catalogue.map((event) => ({ ...event, source: 1, id: `${event.id} copy` }));
        const events = [...catalogue, ...copy];
        const thresholds = thresholdsOf(given.seconds, given.kilometres);
        const groups = idsOf(events, groupEvents(originsOf(events), { thresholds, linkage }));
        expect(sortedGroups(groups)).toEqual(
          sortedGroups(catalogue.map(({ id }) => [id, `${id} copy`])),
        );
      }),
      { numRuns: runs(100) },
    );
  });
});

function areNear(a: Origin, b: Origin, { seconds, kilometres }: Scenario): boolean {
  const micros = Math.abs(Number(timeToMicros(a.time) - timeToMicros(b.time)));
  return micros <= seconds * 1e6 && greatCircleKm(a, b) <= kilometres;
}

function areAllNear(group: readonly Origin[], given: Scenario): boolean {
  return group.every((a) => group.every((b) => areNear(a, b, given)));
}

/** Whether each event can be reached from each other by steps within the thresholds. */
function areLinked(group: readonly Origin[], given: Scenario): boolean {
  const reached = new Set(group.slice(0, 1));
  for (const from of reached) {
    for (const to of group) if (areNear(from, to, given)) reached.add(to);
  }
  return reached.size === group.length;
}
