import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Linkage } from "#contracts/merge/merge-config.ts";
import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { groupByBruteForce, sortedGroups } from "./brute-force.ts";
import { type Clusters, clusteredEvents, clusters, shuffled } from "./clusters.ts";
import { groupIds, idsOf } from "./scenario.ts";

describe.each(Linkage.options)("grouping by %s linkage", (linkage) => {
  test("equals brute force on clustered catalogues of 300 events", () => {
    fc.assert(
      fc.property(clusters, (given) => {
        const events = clusteredEvents(given, 300);
        const groups = groupIds(events, given.seconds, given.kilometres, linkage);
        const thresholds = thresholdsOf(given.seconds, given.kilometres);
        expect(sortedGroups(groups)).toEqual(groupByBruteForce(events, { thresholds, linkage }));
      }),
      { numRuns: runs(150) },
    );
  });

  test("does not depend on the order of events or sources", () => {
    fc.assert(
      fc.property(clusters, (given) => {
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
      fc.property(clusters, (given) => {
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
      fc.property(clusters, (given) => {
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

function areNear(a: Origin, b: Origin, { seconds, kilometres }: Clusters): boolean {
  const micros = Math.abs(Number(timeToMicros(a.time) - timeToMicros(b.time)));
  return micros <= seconds * 1e6 && greatCircleKm(a, b) <= kilometres;
}

function areAllNear(group: readonly Origin[], given: Clusters): boolean {
  return group.every((a) => group.every((b) => areNear(a, b, given)));
}

/** Whether each event can be reached from each other by steps within the thresholds. */
function areLinked(group: readonly Origin[], given: Clusters): boolean {
  const reached = new Set(group.slice(0, 1));
  for (const from of reached) {
    for (const to of group) if (areNear(from, to, given)) reached.add(to);
  }
  return reached.size === group.length;
}
