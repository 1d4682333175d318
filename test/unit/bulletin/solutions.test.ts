import { describe, expect, test } from "vitest";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import {
  deletedBetween,
  solutionChanges,
  withoutSolution,
  withPreferred,
} from "#services/domain/bulletins/view.ts";
import { GIVEN } from "./given-bulletin.ts";

const view = createBulletinView(Date.UTC(2026, 0, 1));
const id = (name: string) => `smi:org.example/${name}`;
const remove = (kind: "origin" | "magnitude" | "focalMechanism", name: string, cascade = false) =>
  withoutSolution(GIVEN, { kind, publicID: id(name) }, cascade, view);

describe("preferring", () => {
  test("moves the ids, and the row follows", () => {
    const after = withPreferred(GIVEN, { originID: id("o2"), magnitudeID: id("m2") });
    expect(after).toEqual({
      ...GIVEN,
      preferredOriginID: id("o2"),
      preferredMagnitudeID: id("m2"),
    });
    expect(view.row(after)).toMatchObject({ latitude: -41, depth: null, magnitude: 4 });
  });

  test("null leaves the choice to the rules", () => {
    const { preferredOriginID: _, ...rest } = GIVEN;
    expect(withPreferred(GIVEN, { originID: null })).toEqual(rest);
  });

  test("an id that is not there is refused, also one of another kind", () => {
    expect(() => withPreferred(GIVEN, { originID: id("m1") })).toThrow(/no origin with the id/);
  });

  test("what was said of the row in spite of the former solution no longer holds", () => {
    const text = JSON.stringify({ magnitude: null, region: null });
    const foreign = [{ ns: "urn:earthquake-catalogue:1.0", name: "attributes", text }];
    const after = withPreferred({ ...GIVEN, foreign }, { magnitudeID: id("m2") });
    expect(after.foreign?.[0]?.text).toBe('{"region":null}');
    expect(view.row(after)).toMatchObject({ magnitude: 4, region: null });
  });
});

describe("deleting a solution", () => {
  test("takes a magnitude that nothing needs", () => {
    const bulletin = remove("magnitude", "m2");
    expect(deletedBetween(GIVEN, bulletin)).toEqual([{ kind: "magnitude", publicID: id("m2") }]);
    expect(bulletin).toEqual({ ...GIVEN, magnitude: GIVEN.magnitude?.slice(0, 1) });
  });

  test("is refused while it is preferred, shown or referred to", () => {
    expect(() => remove("origin", "o1")).toThrow("The origin is preferred");
    expect(() => remove("magnitude", "m1")).toThrow("The magnitude is preferred");
    expect(() => remove("focalMechanism", "f1")).toThrow("The focalMechanism is preferred");
    expect(() => remove("origin", "o2")).toThrow("The origin is referred to");
    expect(() => remove("origin", "o9")).toThrow("The event has no such origin");
  });

  test("with what is nothing without it; picks stay", () => {
    const bulletin = remove("origin", "o1", true);
    expect(deletedBetween(GIVEN, bulletin)).toEqual([
      { kind: "magnitude", publicID: id("m1") },
      { kind: "stationMagnitude", publicID: id("s1") },
      { kind: "origin", publicID: id("o1") },
    ]);
    expect(bulletin).toEqual({
      publicID: GIVEN.publicID,
      description: GIVEN.description,
      pick: GIVEN.pick,
      origin: GIVEN.origin?.slice(1),
      magnitude: GIVEN.magnitude?.slice(1),
      focalMechanism: GIVEN.focalMechanism,
    });
  });

  test("the last origin stays", () => {
    const one = { ...GIVEN, origin: GIVEN.origin?.slice(0, 1) ?? [] };
    const target = { kind: "origin", publicID: id("o1") } as const;
    expect(() => withoutSolution(one, target, true, view)).toThrow(/only origin/);
  });
});

describe("the difference of two bulletins", () => {
  test("names the arrival whose residual changed", () => {
    const [first, ...others] = GIVEN.origin ?? [];
    if (first === undefined) throw new Error("no origin");
    const arrival = (first.arrival ?? []).map((one) => ({ ...one, timeResidual: 0.5 }));
    const after = { ...GIVEN, origin: [{ ...first, arrival }, ...others] };
    expect(solutionChanges(GIVEN, after)).toEqual({
      solutions: [
        { kind: "arrival", publicID: id("a1"), change: "updated", members: ["timeResidual"] },
      ],
    });
  });

  test("tells what came, went and is preferred now", () => {
    const after = withPreferred(remove("magnitude", "m2"), { originID: id("o2") });
    expect(solutionChanges(GIVEN, after).solutions).toEqual([
      {
        kind: "event",
        publicID: GIVEN.publicID,
        change: "updated",
        members: ["preferredOriginID"],
      },
      { kind: "magnitude", publicID: id("m2"), change: "removed" },
    ]);
    expect(solutionChanges(after, GIVEN).solutions).toContainEqual({
      kind: "magnitude",
      publicID: id("m2"),
      change: "added",
    });
  });

  test("of equal ids is told in their order, of many the first thousand", () => {
    const origins = (GIVEN.origin ?? []).slice(1);
    const many = { ...GIVEN, origin: Array.from({ length: 1500 }, () => origins).flat() };
    const { solutions, solutionsTruncated } = solutionChanges({ ...GIVEN, origin: origins }, many);
    expect(solutions).toHaveLength(1000);
    expect(solutionsTruncated).toBe(true);
    expect(solutionChanges(many, many)).toEqual({ solutions: [] });
  });
});
