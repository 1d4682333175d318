import { expect, test } from "vitest";
import { viewOfCluster } from "#services/console/features/merge/clusters/cluster-view.ts";
import {
  clustersOfGroups,
  clustersOfPairs,
} from "#services/console/features/merge/clusters/clusters.ts";
import { SCORE_MOST, SCORE_PARTS } from "#services/console/features/merge/clusters/score-parts.ts";
import {
  NEW_FORM,
  type Pair,
  type Preview,
} from "#services/console/features/merge/config/merge-body.ts";

type Group = Preview["groups"][number];
type Member = Group["members"][number];

const event = (id: string, seconds: number, longitude = 173) => ({
  catalogue_id: `of ${id}`,
  event_id: id,
  source_id: null,
  source: id,
  time: `2016-11-13T11:02:${String(seconds).padStart(2, "0")}Z`,
  latitude: -42,
  longitude,
  depth: 10,
  magnitude: 5,
});

const NOTHING = {
  stations: 0,
  gap: 0,
  rms: 0,
  magnitude_uncertainty: 0,
  magnitude_type: 0,
  review: 0,
};

const member = (id: string, seconds: number, parts: Partial<Member["score_parts"]>): Member => ({
  ...event(id, seconds),
  time_difference: 0,
  distance: 0,
  quality_score: Object.values(parts).reduce((sum, part) => sum + part, 0),
  score_parts: { ...NOTHING, ...parts },
  chosen: false,
});

const A = member("a", 12, { stations: 12.25, review: 2 });
const B = { ...member("b", 10, { stations: 20, gap: 5, review: 0.5 }), chosen: true };

const GROUP: Group = { reason: "higher quality score: 25.50 against 14.25", members: [A, B] };

test("the parts of a score make 100 points at most", () => {
  expect(SCORE_PARTS.reduce((sum, { most }) => sum + most, 0)).toBe(SCORE_MOST);
});

test("the kept event comes first, and the parts say what its score is higher for", () => {
  const [cluster] = clustersOfGroups([GROUP], "quality");
  expect(cluster?.members.map(({ event_id, isKept }) => [event_id, isKept])).toEqual([
    ["b", true],
    ["a", false],
  ]);
  expect(cluster?.why).toBe(
    "Kept for its score, 25.5 points against 14.3: stations +7.8, azimuthal gap +5, review −1.5.",
  );
});

test("an event lies later or earlier than the kept one, and so far from it", () => {
  const later = { ...A, time_difference: 2, distance: 3.3, longitude: 173.04 };
  const [cluster] = clustersOfGroups([{ ...GROUP, members: [later, B] }], "quality");
  expect(cluster?.members.map(({ shift }) => shift)).toEqual(["", "2 s later, 3.3 km E"]);
  const [other] = clustersOfGroups(
    [
      {
        ...GROUP,
        members: [
          { ...later, chosen: true },
          { ...B, chosen: false, time_difference: 2, distance: 3.3 },
        ],
      },
    ],
    "newest",
  );
  expect(other?.members[1]?.shift).toBe("2 s earlier, 3.3 km W");
});

test.each([
  [
    "newest",
    "later origin time: 2016-11-13T11:02:12.5Z against 2016-11-13T11:02:10Z",
    "Kept: later origin time: 2016-11-13 11:02:12.5 against 2016-11-13 11:02:10.",
  ],
  ["priority", "source of priority: b", "Kept: source of priority: b."],
  ["average", "mean of 2 events; nearest to it: b", "Mean of 2 events; nearest to it: b."],
] as const)("by the strategy %s the service's reason is told", (strategy, reason, text) => {
  expect(clustersOfGroups([{ ...GROUP, reason }], strategy)[0]?.why).toBe(text);
});

const pairOf = (change: Partial<Pair>): Pair => ({
  first: event("a", 10),
  second: event("b", 12, 173.3),
  time_difference: 2,
  distance: 24.8,
  magnitude_difference: 0,
  ...change,
});

const preview = (pair: Pair, groups: Preview["groups"] = [], duplicateGroups = groups.length) => ({
  eventCount: 1,
  originalEventCount: 2,
  duplicateGroups,
  duplicatesRemoved: 1,
  groups,
  ambiguous: [pair],
  truncated: false,
});

test.each([
  [{ time_difference: 12.25 }, "Stays apart: 12.25 s apart, beyond the threshold of 10 s."],
  [{ distance: 60.04 }, "Stays apart: 60.0 km apart, beyond the threshold of 50 km."],
  [{}, "Stays apart although it is within both thresholds: another event fits one of them better."],
])("a pair that is not one says why: %j", (change, text) => {
  const [cluster] = clustersOfPairs(preview(pairOf(change)), NEW_FORM);
  expect(cluster?.why).toBe(text);
});

test("a pair that becomes one says what is doubtful, also where its group is not listed", () => {
  const pair = pairOf({ magnitude_difference: 1.5 });
  const text = "Becomes one although the magnitudes differ by 1.5.";
  expect(clustersOfPairs(preview(pair, [GROUP]), NEW_FORM)[0]?.why).toBe(text);
  expect(clustersOfPairs(preview(pair, [], 2_000), NEW_FORM)[0]?.why).toBe(text);
});

test("the map shows the middle of a cluster, across the antimeridian too", () => {
  const [cluster] = clustersOfPairs(
    preview(pairOf({ first: event("a", 1, 179.9), second: event("b", 2, -179.7) })),
    NEW_FORM,
  );
  const view = cluster && viewOfCluster(cluster);
  expect(view?.longitude).toBeCloseTo(-179.9, 3);
  expect(view?.latitude).toBeCloseTo(-42, 3);
});
