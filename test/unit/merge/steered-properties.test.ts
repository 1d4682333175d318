import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Linkage } from "#contracts/merges/config.ts";
import { checkDecisions } from "#services/domain/merges/decisions.ts";
import { groupEvents } from "#services/domain/merges/grouping/group-events.ts";
import { type Origin, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import {
  type BruteRules,
  candidatesAmong,
  groupByBruteForce,
  type IdDecision,
  sortedGroups,
} from "../../support/merge/brute-force.ts";
import { originsOf } from "../../support/origins-of.ts";
import { runs } from "../../support/runs.ts";
import { type Clusters, clusteredEvents, clusters, shuffled } from "./clusters.ts";
import { idsOf } from "./scenario.ts";
import { agree, agreeingDecisions, anyDecision, steeredGroups, windows } from "./steered.ts";

const EVENTS = 120;
const DECISIONS = 30;

const steered = fc.record({ given: clusters, windows, decided: fc.constantFrom(0, DECISIONS) });
type Steered = typeof steered extends fc.Arbitrary<infer S> ? S : never;

function scene(
  { given, windows: own, decided }: Steered,
  linkage: Linkage,
): { events: Origin[]; rules: BruteRules } {
  const events = clusteredEvents(given, EVENTS);
  const decisions = agreeingDecisions(events, decided, randomOf(given.seed + 2));
  const thresholds = thresholdsOf(given.seconds, given.kilometres);
  return { events, rules: { thresholds, linkage, windows: own, decisions } };
}

describe.each(Linkage.options)("steered grouping by %s linkage", (linkage) => {
  test("equals brute force with any windows and decisions", () => {
    fc.assert(
      fc.property(steered, (given) => {
        const { events, rules } = scene(given, linkage);
        expect(sortedGroups(steeredGroups(events, rules))).toEqual(
          groupByBruteForce(events, rules),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  test("does not depend on the order of events, sources or decisions", () => {
    fc.assert(
      fc.property(steered, (given) => {
        const { events, rules } = scene(given, linkage);
        const random = randomOf(given.given.seed + 1);
        const renamed = (source: number) => given.given.sources - 1 - source;
        const others = shuffled(events, random).map((event) => ({
          ...event,
          source: renamed(event.source),
        }));
        const again = {
          ...rules,
          windows: given.windows.map(({ sources, ...window }) => ({
            ...window,
            ...(sources && { sources: sources.map((label) => String(renamed(Number(label)))) }),
          })),
          decisions: shuffled(rules.decisions ?? [], random).map((decision) => ({
            ...decision,
            ids: shuffled(decision.ids, random),
          })),
        };
        expect(steeredGroups(others, again)).toEqual(steeredGroups(events, rules));
      }),
      { numRuns: runs(100) },
    );
  });

  test("of whole components of the pairs gives the groups that grouping all gives", () => {
    fc.assert(
      fc.property(steered, (given) => {
        const { events, rules } = scene(given, linkage);
        const random = randomOf(given.given.seed + 3);
        const component = componentsOf(events, rules);
        const isChosen = new Map(
          [...new Set(component.values())].map((one) => [one, random() < 0.5]),
        );
        const isIn = (id: string) => isChosen.get(component.get(id) ?? "") === true;
        const groups = steeredGroups(
          events.filter(({ id }) => isIn(id)),
          rules,
        );
        expect(groups).toEqual(
          steeredGroups(events, rules).filter((group) => group.every((id) => isIn(id))),
        );
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

  test("keeps what was decided, however often events are relocated at random", () => {
    fc.assert(
      fc.property(clusters, (given) => {
        const thresholds = thresholdsOf(16, 50);
        const random = randomOf(given.seed);
        let events = clusteredEvents(given, EVENTS);
        const decisions = agreeingDecisions(events, DECISIONS, random);
        for (let relocation = 0; relocation < 100; relocation++) {
          events = relocated(events, given, random);
          expect(undone(steeredGroups(events, { thresholds, linkage, decisions }), decisions)).toBe(
            0,
          );
        }
      }),
      { numRuns: runs(10) },
    );
  });
});

test("decisions contradict each other where closing them over all others says so", () => {
  fc.assert(
    fc.property(clusters, (given) => {
      const events = clusteredEvents(given, 20);
      const random = randomOf(given.seed);
      const sourceOf = new Map(events.map(({ id, source }) => [id, String(source)]));
      const asked = ({ type, ids }: IdDecision) => ({
        type,
        events: ids.map((id) => ({ catalogue_id: sourceOf.get(id) ?? "", event_id: id })),
      });
      const decisions: IdDecision[] = [];
      for (let i = 0; i < 15; i++) {
        decisions.push(anyDecision(events, random));
        const contradiction = checkDecisions(decisions.map(asked));
        expect(contradiction === null).toBe(agree(events, decisions));
        if (contradiction === null) continue;
        const { same, different, pair } = contradiction;
        const named = [...same, ...(different === null ? [] : [different])];
        const blamed = named.flatMap((index) => decisions[index] ?? []);
        expect(agree(events, blamed)).toBe(false);
        const ids = new Set(blamed.flatMap((one) => one.ids));
        expect(pair.every(({ event_id }) => ids.has(event_id))).toBe(true);
        return;
      }
    }),
    { numRuns: runs(300) },
  );
});

/** The name of the component of each event: pairs that may be one, and pairs that decisions make one, join. */
function componentsOf(events: readonly Origin[], rules: BruteRules): Map<string, string> {
  const component = new Map(events.map(({ id }) => [id, id]));
  const join = (a: string, b: string) => {
    const [from, to] = [component.get(a) ?? a, component.get(b) ?? b];
    for (const [id, name] of component) if (name === from) component.set(id, to);
  };
  for (const { a, b } of candidatesAmong(events, rules)) join(a.id, b.id);
  for (const { type, ids } of rules.decisions ?? []) {
    if (type === "same") for (const id of ids) join(ids[0] ?? id, id);
  }
  return component;
}

function relocated(events: readonly Origin[], { span }: Clusters, random: () => number): Origin[] {
  return events.map((event) => {
    if (random() < 0.8) return event;
    const other = events[Math.floor(random() * events.length)] ?? event;
    const { latitude, longitude } = other;
    const time = random() < 0.5 ? other.time : event.time;
    return span < 10 ? { ...event, latitude, longitude } : { ...event, latitude, longitude, time };
  });
}

/** How many decisions the groups are against. */
function undone(groups: readonly (readonly string[])[], decisions: readonly IdDecision[]): number {
  const groupOf = new Map(groups.flatMap((ids, group) => ids.map((id) => [id, group])));
  return decisions.filter(({ type, ids }) => {
    const own = new Set(ids.map((id) => groupOf.get(id)));
    return own.size !== (type === "same" ? 1 : ids.length);
  }).length;
}
