import { describe, expect, test } from "vitest";
import { causeOf } from "#services/console/features/event/history-changes.ts";
import { changedLines } from "#services/console/ui/text/changed-lines.ts";

type Change = Parameters<typeof causeOf>[0];
type Event = Parameters<typeof changedLines>[0];

const EVENT = {
  time: "2016-11-13T11:02:56.346Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 1.999672212,
  magnitude_uncertainty: 0.203217674,
  region: null,
} as Event;

describe("what a version changed of an event", () => {
  test("is told as people read it, and nothing else of the event", () => {
    const after = { ...EVENT, magnitude: 2.6, region: "Kaikōura", depth: null } as Event;
    expect(changedLines(EVENT, after)).toEqual([
      { label: "Depth", from: "15.1 km", to: "–" },
      { label: "Region", from: "–", to: "Kaikōura" },
      { label: "Magnitude", from: "2.0", to: "2.6" },
    ]);
    expect(changedLines(EVENT, { ...EVENT })).toEqual([]);
  });

  test("is told by every digit where it lies in those that mean nothing", () => {
    expect(changedLines(EVENT, { ...EVENT, magnitude: 1.999672213 })).toEqual([
      { label: "Magnitude", from: "1.999672212", to: "1.999672213" },
    ]);
  });

  test("names structures that came, went or differ", () => {
    const plane = (strike: number) => [{ nodalPlanes: { nodalPlane1: { strike } } }];
    const label = "Focal mechanisms";
    const lines = (from: unknown, to: unknown) =>
      changedLines(
        { ...EVENT, focal_mechanisms: from } as Event,
        { ...EVENT, focal_mechanisms: to } as Event,
      );
    expect(lines(null, plane(1))).toEqual([{ label, from: "none", to: "given" }]);
    expect(lines(plane(1), plane(2))).toEqual([{ label, from: "as before", to: "others" }]);
    expect(lines(plane(1), undefined)).toEqual([{ label, from: "as before", to: "none" }]);
    expect(lines(null, undefined)).toEqual([]);
  });
});

describe("what made a version", () => {
  const cause = (change: Partial<Change>) =>
    causeOf({
      cause: "edit",
      change: "updated",
      import: null,
      restores: null,
      ...change,
    } as Change);

  test("is told in words", () => {
    expect(cause({})).toBe("Changed by hand");
    expect(cause({ change: "added" })).toBe("Added by hand");
    expect(cause({ change: "added", cause: "created" })).toBe("Added with the catalogue");
    expect(cause({ cause: "import", import: { id: "1", agency: "GeoNet" } })).toBe(
      "Changed by an import from GeoNet",
    );
    expect(cause({ change: "removed", cause: "merge" })).toBe("Removed by a merge");
    expect(cause({ restores: 3 })).toBe("Restored as in version 3");
    expect(cause({ cause: "restore", restores: 3 })).toBe("Catalogue restored to version 3");
  });
});
