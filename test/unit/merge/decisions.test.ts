import { describe, expect, test } from "vitest";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import {
  checkDecisions,
  contradictionText,
} from "#services/domain/merge/decisions/check-decisions.ts";
import { findAmbiguousPairs } from "#services/domain/merge/grouping/ambiguous-pairs.ts";
import { groupEvents } from "#services/domain/merge/grouping/group-events.ts";
import type { Origin } from "#services/domain/merge/origins.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { originsOf } from "../../support/origins-of.ts";
import type { BruteRules, IdDecision } from "./brute-force.ts";
import { noonPlus, origin } from "./scenario.ts";
import { groupingRules, steeredGroups } from "./steered.ts";

const THRESHOLDS = thresholdsOf(16, 50);

function same(...ids: string[]): IdDecision {
  return { type: "same", ids };
}

function different(...ids: string[]): IdDecision {
  return { type: "different", ids };
}

function groups(
  events: readonly Origin[],
  decisions: readonly IdDecision[],
  given: Partial<BruteRules> = {},
) {
  return steeredGroups(events, { thresholds: THRESHOLDS, decisions, ...given });
}

function ambiguous(events: readonly Origin[], decisions: readonly IdDecision[]) {
  const rules = groupingRules(events, { thresholds: THRESHOLDS, decisions });
  const origins = originsOf(events);
  return findAmbiguousPairs(origins, rules, groupEvents(origins, rules), 1000).pairs;
}

/** Of the catalogue that the first letter of an event's id names. */
function asked({ type, ids }: IdDecision): MergeDecision {
  return { type, events: ids.map((id) => ({ catalogue_id: id.charAt(0), event_id: id })) };
}

describe("a decision", () => {
  test("a decision keeps apart what is 0 s and 0 km apart", () => {
    const events = [origin("a"), origin("b"), origin("c", { time: noonPlus(1) })];
    expect(groups(events, [different("a", "b")])).toEqual([["a", "c"], ["b"]]);
    expect(groups(events, [different("a", "b", "c")])).toEqual([["a"], ["b"], ["c"]]);
  });

  test("a decision joins what is a day and a continent apart", () => {
    const events = [origin("a"), origin("b", { time: noonPlus(86_400), longitude: 90 })];
    expect(groups(events, [same("a", "b")])).toEqual([["a", "b"]]);
  });

  test("a decision that joins is made before what is nearer", () => {
    const events = [origin("a1"), origin("b"), origin("a2", { time: noonPlus(15) })];
    expect(groups(events, [])).toEqual([["a1", "b"], ["a2"]]);
    expect(groups(events, [same("a2", "b")])).toEqual([["a1"], ["b", "a2"]]);
  });

  test("a decision holds by way of others", () => {
    const events = [origin("a"), origin("b", { time: noonPlus(500) }), origin("c")];
    expect(groups(events, [same("a", "b"), different("b", "c")])).toEqual([["a", "b"], ["c"]]);
    expect(groups(events, [same("a", "b"), same("b", "c")])).toEqual([["a", "c", "b"]]);
  });

  test("a decision leaves out no event that is near to only one of those that it puts together", () => {
    const events = [
      origin("a"),
      origin("b", { time: noonPlus(30) }),
      origin("c", { time: noonPlus(40) }),
    ];
    expect(groups(events, [])).toEqual([["a"], ["b", "c"]]);
    expect(groups(events, [same("a", "b")])).toEqual([["a", "b", "c"]]);
    const between = origin("d", { time: noonPlus(50) });
    expect(groups([...events, between], [same("a", "b")])).toEqual([["a", "b", "c"], ["d"]]);
    expect(groups(events, [same("a", "b"), different("a", "c")])).toEqual([["a", "b"], ["c"]]);
  });

  test("a decision over a gap in time does not change which pair is the nearest", () => {
    const events = [
      origin("a"),
      origin("c1", { time: noonPlus(10) }),
      origin("b", { time: noonPlus(86_400) }),
      origin("c2", { time: noonPlus(86_401) }),
    ];
    expect(groups(events, [same("a", "b")], { linkage: "nearest" })).toEqual([
      ["a", "b", "c2"],
      ["c1"],
    ]);
  });

  test("a decision answers the question whether a pair is ambiguous, also by way of others", () => {
    const events = [
      origin("a"),
      origin("b", { time: noonPlus(20) }),
      origin("c", { time: noonPlus(20) }),
    ];
    expect(ambiguous(events, [])).toHaveLength(2);
    expect(ambiguous(events, [different("a", "b")])).toMatchObject([{ first: 0, second: 2 }]);
    expect(ambiguous(events, [different("a", "b"), same("b", "c")])).toEqual([]);
    const apart = [origin("a", { magnitude: 3 }), origin("b", { magnitude: 6 })];
    expect(ambiguous(apart, [])).toHaveLength(1);
    expect(ambiguous(apart, [same("a", "b")])).toEqual([]);
  });
});

describe("decisions contradict each other", () => {
  function contradiction(...decisions: IdDecision[]): string | null {
    const found = checkDecisions(decisions.map(asked));
    return found && contradictionText(found, (index) => `decisions[${index}]`);
  }

  test("decisions contradict each other not where they only say more", () => {
    expect(contradiction(same("a", "b"), same("b", "c"), same("a", "c"))).toBeNull();
    expect(contradiction(same("a", "b"), different("a", "c"), different("a1", "a2"))).toBeNull();
    expect(contradiction(different("a", "b"), different("a", "b"))).toBeNull();
  });

  test("decisions contradict each other where a pair is both, in any order", () => {
    const text =
      "event a of catalogue a and event b of catalogue b would be one event by decisions[0], but decisions[1] keeps them apart";
    expect(contradiction(same("a", "b"), different("a", "b"))).toBe(text);
    expect(contradiction(different("a", "b"), same("a", "b"))).toContain("decisions[0] keeps them");
  });

  test("decisions contradict each other by way of others, which are named with the pair", () => {
    expect(
      contradiction(
        same("a", "b"),
        same("x", "y"),
        different("d", "a"),
        same("b", "c"),
        same("c", "d"),
      ),
    ).toMatch(
      /event [ad] .* event [ad] .*decisions\[0\].*decisions\[3\].*decisions\[4\].* but decisions\[2\] /,
    );
  });

  test("decisions contradict each other where a group would have two events of one source", () => {
    expect(contradiction(same("a1", "b"), same("b", "a2"))).toBe(
      "event a1 of catalogue a and event a2 of catalogue a would be one event by decisions[0], decisions[1], but both are of one source",
    );
    expect(contradiction(same("a1", "a2"))).toMatch(/decisions\[0\], but both are of one source/);
  });

  test("decisions contradict each other also among 100,000", () => {
    const pairs = Array.from({ length: 50_000 }, (_, i) => same(`a${i}`, `b${i}`));
    const apart = Array.from({ length: 49_998 }, (_, i) => different(`a${i}`, `b${i + 1}`));
    const { length } = [...pairs, ...apart];
    expect(contradiction(...pairs, ...apart, same("b7", "c"))).toBeNull();
    expect(contradiction(...pairs, ...apart, same("b7", "c"), same("c", "a9"))).toBe(
      `event a7 of catalogue a and event a9 of catalogue a would be one event by decisions[7], decisions[${length}], decisions[${length + 1}], but both are of one source`,
    );
  });
});
