import fc from "fast-check";
import type { MergeWindow } from "#contracts/merges/config.ts";
import { type GroupingRules, groupEvents } from "#services/domain/merges/grouping/group-events.ts";
import { type Origin, windowsOf } from "#services/domain/merges/grouping/thresholds.ts";
import type { BruteRules, IdDecision } from "../../support/merge/brute-force.ts";
import { originsOf } from "../../support/origins-of.ts";
import { idsOf, noonPlus } from "./scenario.ts";

const thresholds = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      timeThreshold: fc.constantFrom(0, 1, 8, 60, 300),
      distanceThreshold: fc.constantFrom(0, 5, 30, 200, 800),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ timeThreshold: null, distanceThreshold: null }) },
);
const bounds = fc.record(
  {
    sources: fc.subarray(["0", "1", "2", "3"], { minLength: 1 }),
    from: fc.constantFrom(0, 2, 40, 2000).map(noonPlus),
    to: fc.constantFrom(3, 60, 2500).map(noonPlus),
    minMagnitude: fc.constantFrom(0, 2.5, 5),
  },
  { requiredKeys: [] },
);

/** Few windows that overlap. */
export const windows: fc.Arbitrary<MergeWindow[]> = fc.array(
  fc.tuple(bounds, thresholds).map(([bound, own]) => ({ ...bound, ...own })),
  { maxLength: 4 },
);

/** The rules of an oracle, for the rows of these events. */
export function groupingRules(events: readonly Origin[], rules: BruteRules): GroupingRules {
  const { windows: configured, decisions = [], ...others } = rules;
  const labels = Array.from({ length: 10 }, (_, source) => String(source));
  const rowOf = new Map(events.map(({ id }, row) => [id, row]));
  const rowsOf = (type: IdDecision["type"]) =>
    decisions
      .filter((one) => one.type === type)
      .map(({ ids }) => ids.flatMap((id) => rowOf.get(id) ?? []));
  return {
    ...others,
    windows: windowsOf(configured, labels),
    decisions: { same: rowsOf("same"), different: rowsOf("different") },
  };
}

export function steeredGroups(events: readonly Origin[], rules: BruteRules): string[][] {
  return idsOf(events, groupEvents(originsOf(events), groupingRules(events, rules)));
}

/** As many decisions that agree with each other, about events that are near in the order of `events`, or anywhere. */
export function agreeingDecisions(
  events: readonly Origin[],
  count: number,
  random: () => number,
): IdDecision[] {
  const decisions: IdDecision[] = [];
  for (let i = 0; i < count; i++) {
    const decision = anyDecision(events, random);
    if (agree(events, [...decisions, decision])) decisions.push(decision);
  }
  return decisions;
}

export function anyDecision(events: readonly Origin[], random: () => number): IdDecision {
  const size = random() < 0.7 ? 2 : 3;
  const start = Math.floor(random() * events.length);
  const reach = random() < 0.5 ? 10 : events.length;
  const ids = new Set<string>();
  while (ids.size < size) {
    ids.add(events[(start + Math.floor(random() * reach)) % events.length]?.id ?? "");
  }
  return { type: random() < 0.5 ? "same" : "different", ids: [...ids] };
}

/** Whether no two events are both the same and different, and none the same as another of its source. */
export function agree(events: readonly Origin[], decisions: readonly IdDecision[]): boolean {
  const sourceOf = new Map(events.map(({ id, source }) => [id, source]));
  const groups = new Map(events.map(({ id }) => [id, new Set([id])]));
  for (const { ids } of decisions.filter(({ type }) => type === "same")) {
    const union = new Set(ids.flatMap((id) => [...(groups.get(id) ?? [])]));
    for (const id of union) groups.set(id, union);
  }
  const haveOneOfEach = [...new Set(groups.values())].every(
    (group) => new Set([...group].map((id) => sourceOf.get(id))).size === group.size,
  );
  const areApart = decisions
    .filter(({ type }) => type === "different")
    .every(({ ids }) => new Set(ids.map((id) => groups.get(id))).size === ids.length);
  return haveOneOfEach && areApart;
}
