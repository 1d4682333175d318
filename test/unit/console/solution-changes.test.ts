import { expect, test } from "vitest";
import { solutionChanges } from "#services/console/features/event/solution-changes.ts";

test("what a version changed in a bulletin is counted by kind, and the event's own members named", () => {
  const of = (kind: string, change: "added" | "updated" | "removed", members?: string[]) => ({
    kind,
    publicID: "smi:local/one",
    change,
    ...(members && { members }),
  });
  const solutions = [
    of("origin", "added"),
    of("focalMechanism", "updated", ["misfit"]),
    of("focalMechanism", "updated", ["misfit"]),
    of("stationMagnitude", "removed"),
    of("event", "updated", ["preferredOriginID", "comment"]),
  ];
  expect(solutionChanges({ solutions, solutionsTruncated: true })).toBe(
    "+1 origin, ±2 focal mechanisms, −1 station magnitude, preferred origin, comment, more",
  );
  expect(solutionChanges({})).toBeNull();
});
