import type { Linkage } from "#contracts/merge-config.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { greatCircleKm } from "#services/domain/merge/great-circle.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { nearness, type Thresholds } from "#services/domain/merge/thresholds.ts";

/** The rules of merging word for word, over all pairs: the oracle of the grouping. Groups as sorted ids. */
export function groupByBruteForce(
  events: readonly Origin[],
  thresholds: Thresholds,
  linkage: Linkage,
): string[][] {
  const dated = events
    .map((event) => ({ ...event, micros: Number(timeToMicros(event.time)) }))
    .sort((a, b) => a.micros - b.micros || (a.id < b.id ? -1 : 1));
  type Dated = (typeof dated)[number];

  const micros = (a: Dated, b: Dated) => Math.abs(a.micros - b.micros);
  const isCandidate = (a: Dated, b: Dated) =>
    a.source !== b.source &&
    micros(a, b) <= thresholds.micros &&
    greatCircleKm(a, b) <= thresholds.kilometres;

  // Pairs are made in order of time and id; the sort is stable.
  const candidates = dated
    .flatMap((a, i) => dated.slice(i + 1).map((b) => ({ a, b })))
    .filter(({ a, b }) => isCandidate(a, b))
    .map(({ a, b }) => ({ a, b, near: nearness(micros(a, b), greatCircleKm(a, b), thresholds) }))
    .sort((one, other) => one.near - other.near);

  const groups = new Map(dated.map((event) => [event.id, [event]]));
  for (const { a, b } of candidates) {
    const ofA = groups.get(a.id) ?? [];
    const ofB = groups.get(b.id) ?? [];
    const union = [...ofA, ...ofB];
    const hasOneOfEach = new Set(union.map(({ source }) => source)).size === union.length;
    const isAllNear = ofA.every((one) => ofB.every((other) => isCandidate(one, other)));
    if (ofA === ofB || !hasOneOfEach || (linkage === "complete" && !isAllNear)) continue;
    for (const { id } of union) groups.set(id, union);
  }
  return sortedGroups([...new Set(groups.values())].map((group) => group.map(({ id }) => id)));
}

/** Groups and their members in the order of ids, to compare partitions. */
export function sortedGroups(groups: readonly (readonly string[])[]): string[][] {
  return groups
    .map((group) => group.toSorted())
    .sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
}
