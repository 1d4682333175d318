/** Times of grouping two catalogues: `node test/bench/parts/merge-grouping.ts`. */

import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { findAmbiguousPairs } from "#services/domain/merge/grouping/ambiguous-pairs.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import { countDuplicateGroups, membersOf } from "#services/domain/merge/grouping/grouping.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import type { Origins } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { inTimeOrder } from "#services/domain/merge/time-order.ts";
import { catalogueAndCopy, sortByTime } from "../merge-material.ts";

const ROUNDS = 5;
const SIZES = [125_000, 250_000, 500_000];
const THRESHOLDS = thresholdsOf(16, 50);

function best(name: string, work: () => unknown): number {
  work();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  process.stdout.write(
    `${name.padEnd(58)} ${shortest.toFixed(0).padStart(6)} – ${longest.toFixed(0)} ms\n`,
  );
  return shortest;
}

function report(size: number, origins: Origins): number {
  const label = `2 × ${size}`;
  const sorting = best(`${label}: sort by time`, () => sortByTime(origins));
  best(`${label}: bring into time order`, () => inTimeOrder(origins));
  const grouping = best(`${label}: group`, () => groupEvents(origins, { thresholds: THRESHOLDS }));
  const groups = groupEvents(origins, { thresholds: THRESHOLDS });
  best(`${label}: ambiguous pairs, all looked for`, () =>
    findAmbiguousPairs(origins, { thresholds: THRESHOLDS }, groups, Number.MAX_SAFE_INTEGER),
  );
  process.stdout.write(
    `${label}: ${groups.count} groups, ${countDuplicateGroups(groups)} of more than one; grouping is ${(grouping / sorting).toFixed(2)} sorts\n`,
  );
  return grouping;
}

function reportStrategy(origins: Origins): void {
  const groups = groupEvents(origins, { thresholds: THRESHOLDS });
  const rules = { strategy: "quality", priority: "", thresholds: THRESHOLDS } as const;
  const records = Array.from({ length: origins.length }, (_, row) =>
    emptyRecord({
      time: "2020-01-01T00:00:00Z",
      latitude: origins.latitude[row] ?? 0,
      longitude: origins.longitude[row] ?? 0,
    }),
  );
  best(`merge the ${groups.count} groups by quality`, () => {
    for (let g = 0; g < groups.count; g++) {
      const members = Array.from(membersOf(groups, g), (row) => ({
        record: records[row] ?? emptyRecord({ time: "", latitude: 0, longitude: 0 }),
        catalogueId: "a",
        eventId: origins.ids.textOf(row) ?? "",
        source: "A",
        sourceOrder: origins.source[row] ?? 0,
      }));
      mergeGroup(members, rules);
    }
  });
}

let smaller = 0;
for (const size of SIZES) {
  const origins = catalogueAndCopy(size);
  const grouping = report(size, origins);
  if (smaller > 0) {
    process.stdout.write(`twice the events cost ${(grouping / smaller).toFixed(2)} times\n`);
  }
  smaller = grouping;
  if (size === SIZES.at(-1)) reportStrategy(origins);
}
