import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type { Linkage, MergeWindow } from "#contracts/merges/config.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import {
  nearness,
  type Origin,
  type Thresholds,
  thresholdsOf,
  widened,
} from "#services/domain/merges/grouping/thresholds.ts";

/** A decision about events by their ids. */
export type IdDecision = {
  readonly type: "same" | "different";
  readonly ids: readonly string[];
};

export type BruteRules = {
  readonly thresholds: Thresholds;
  readonly linkage?: Linkage;
  /** Labels of sources are their indexes. */
  readonly windows?: readonly MergeWindow[];
  readonly decisions?: readonly IdDecision[];
};

type Dated = Origin & { readonly micros: number };

/** The rules of merging word for word, over all pairs: the oracle of the grouping. Groups as sorted ids. */
export function groupByBruteForce(events: readonly Origin[], rules: BruteRules): string[][] {
  const { linkage = "complete", decisions = [] } = rules;
  const dated = inOrder(events);
  const groups = new Map(dated.map((event) => [event.id, [event]]));
  const unite = (union: readonly Dated[]) => {
    for (const { id } of union) groups.set(id, [...union]);
  };
  for (const { ids } of decisions.filter(({ type }) => type === "same")) {
    unite([...new Set(ids.flatMap((id) => groups.get(id) ?? []))]);
  }
  // What decisions have put together counts as one member, which is wherever one of its events is.
  const together = new Map(groups);
  const isNear = (one: Dated, other: Dated): boolean =>
    (together.get(one.id) ?? []).some((x) =>
      (together.get(other.id) ?? []).some((y) => isCandidate(x, y, rules)),
    );
  for (const { a, b } of candidatesAmong(dated, rules)) {
    const [ofA, ofB] = [groups.get(a.id) ?? [], groups.get(b.id) ?? []];
    const union = [...ofA, ...ofB];
    const ids = union.map(({ id }) => id);
    const hasOneOfEach = new Set(union.map(({ source }) => source)).size === union.length;
    const isAllNear = ofA.every((one) => ofB.every((other) => isNear(one, other)));
    const isForbidden = decisions.some(
      (decision) =>
        decision.type === "different" && decision.ids.filter((id) => ids.includes(id)).length > 1,
    );
    if (ofA.some(({ id }) => id === b.id) || !hasOneOfEach || isForbidden) continue;
    if (linkage === "nearest" || isAllNear) unite(union);
  }
  const distinct = new Set([...groups.values()].map((group) => group.map(({ id }) => id).join()));
  return sortedGroups([...distinct].map((ids) => ids.split(",")));
}

/** Pairs that may be one earthquake, nearest first: made in order of time and id, and the sort is stable. */
export function candidatesAmong(
  events: readonly Origin[],
  rules: BruteRules,
): { readonly a: Origin; readonly b: Origin }[] {
  const dated = inOrder(events);
  return dated
    .flatMap((a, i) => dated.slice(i + 1).map((b) => ({ a, b })))
    .filter(({ a, b }) => isCandidate(a, b, rules))
    .map(({ a, b }) => ({ a, b, near: nearnessOf(a, b, rules) }))
    .sort((one, other) => one.near - other.near);
}

/** Whether both thresholds of a pair, `factor` times, hold. */
export function isCandidate(a: Origin, b: Origin, rules: BruteRules, factor = 1): boolean {
  const own = thresholdsOfPair(a, b, rules);
  if (own === null || a.source === b.source) return false;
  const { micros, kilometres } = widened(own, factor);
  return microsApart(a, b) <= micros && greatCircleKm(a, b) <= kilometres;
}

export function microsApart(a: Origin, b: Origin): number {
  return Math.abs(Number(timeToMicros(a.time) - timeToMicros(b.time)));
}

function nearnessOf(a: Origin, b: Origin, rules: BruteRules): number {
  const own = thresholdsOfPair(a, b, rules) ?? rules.thresholds;
  return nearness(microsApart(a, b), greatCircleKm(a, b), own);
}

function thresholdsOfPair(a: Origin, b: Origin, rules: BruteRules): Thresholds | null {
  const window = rules.windows?.find((one) => holds(one, a) && holds(one, b));
  if (window === undefined) return rules.thresholds;
  const { timeThreshold, distanceThreshold } = window;
  if (timeThreshold === null || distanceThreshold === null) return null;
  return thresholdsOf(timeThreshold, distanceThreshold);
}

function holds({ sources, from, to, minMagnitude }: MergeWindow, event: Origin): boolean {
  const time = timeToMicros(event.time);
  if (sources !== undefined && !sources.includes(String(event.source))) return false;
  if (from !== undefined && time < timeToMicros(from)) return false;
  if (to !== undefined && time >= timeToMicros(to)) return false;
  return minMagnitude === undefined || (event.magnitude ?? Number.NaN) >= minMagnitude;
}

function inOrder(events: readonly Origin[]): Dated[] {
  return events
    .map((event) => ({ ...event, micros: Number(timeToMicros(event.time)) }))
    .sort((a, b) => a.micros - b.micros || (a.id < b.id ? -1 : 1));
}

/** Groups and their members in the order of ids, to compare partitions. */
export function sortedGroups(groups: readonly (readonly string[])[]): string[][] {
  return groups
    .map((group) => group.toSorted())
    .sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
}
