import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MergeStrategy } from "#contracts/merge/merge-config.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { ATTRIBUTE_GROUPS } from "#services/domain/merge/attribute-groups.ts";
import type { GroupMember } from "#services/domain/merge/group-member.ts";
import { mergeGroup } from "#services/domain/merge/merge-group.ts";
import type { MergeRules } from "#services/domain/merge/merge-rules.ts";
import { runs } from "../../support/runs.ts";
import { member, noonPlus, rules } from "./scenario.ts";

type Prefer = NonNullable<MergeRules["prefer"]>;

function merged(members: readonly GroupMember[], prefer: Prefer, given: Partial<MergeRules> = {}) {
  return mergeGroup(members, { ...rules("quality"), prefer, ...given });
}

function gaveOf({ record }: { record: SeismicEventRecord }) {
  return record.source_events?.map(({ source, gave }) => [source, gave]);
}

describe("a group of attributes that is preferred by itself", () => {
  // A has the best score, B is later, C has the most attributes.
  const isc = member("a", {
    used_station_count: 31,
    agency_id: "ISC",
    magnitude: 5,
    magnitude_type: "mb",
    magnitude_station_count: 1,
    depth: 10,
    extra: { note: "a", method_id: "smi:a.b/c", magnitude_method_id: "smi:a.b/m" },
  });
  const neic = member("b", {
    time: noonPlus(2),
    agency_id: "NEIC",
    magnitude: 5.2,
    magnitude_type: "Mww",
    magnitude_station_count: 9,
    extra: { note: "b", earth_model_id: "smi:a.b/d" },
  });
  const local = member("c", {
    agency_id: "Local",
    magnitude_type: "ML",
    depth: 12,
    region: "Cook Strait",
    azimuthal_gap: 300,
    focal_mechanisms: [{ nodalPlanes: {} }],
  });
  const all = [isc, neic, local];

  test("is that of the first agency of a list that a member has, case ignored", () => {
    const one = merged(all, { location: ["JMA", "local", "NEIC"], magnitude: ["NEIC"] });
    expect(one.record).toMatchObject({ depth: 12, agency_id: "Local", magnitude: 5.2 });
    expect(gaveOf(one)).toEqual([
      ["A", []],
      ["C", ["location", "mechanism"]],
      ["B", ["magnitude"]],
    ]);
    expect(one.reason).toMatch(
      /^higher quality score: .*; location of C: agency local; magnitude of B: agency NEIC$/,
    );
    expect(one.chosen).toBe(0);
  });

  test("is that of the first source of a list that a member is of, case ignored, whatever its agency", () => {
    const one = merged(all, { location: ["source:absent", "Source: b", "local"] });
    expect(one.record).toMatchObject({ time: neic.record.time, agency_id: "NEIC" });
    expect(one.reason).toContain("; location of B: source b");
  });

  test("is that of the merge's strategy where no member is of the agencies", () => {
    const one = merged(all, { location: ["JMA"], magnitude: ["JMA"] });
    expect(one.record).toMatchObject({ depth: 10, agency_id: "ISC", magnitude: 5 });
    expect(one.reason).toContain("; location of A: of nothing preferred, higher quality score");
  });

  test("is that of another strategy", () => {
    const one = merged(all, { location: "newest", magnitude: "average" });
    expect(one.record).toMatchObject({ time: noonPlus(2), depth: null, magnitude: 5.2 });
    expect(one.reason).toContain("; magnitude of B: better type of magnitude: Mww against mb");
  });

  test("is of a member that has any", () => {
    const one = merged(all, { magnitude: ["Local"], mechanism: ["ISC"] });
    expect(one.record.magnitude).toBe(5);
    expect(one.record.focal_mechanisms).toEqual(local.record.focal_mechanisms);
    expect(one.reason).toContain("; mechanism of C: of nothing preferred");
    expect(merged([isc, neic], { mechanism: "newest" }).record.focal_mechanisms).toBeNull();
  });

  test("may be a mean, which is of no member", () => {
    const one = merged(all, { location: "average", magnitude: ["NEIC"] });
    expect(one.givers).toEqual({ location: null, magnitude: "b", mechanism: "c" });
    expect(one.record.time).not.toBe(isc.record.time);
    expect(one.reason).toContain("; location: mean of 3 events");
  });

  test("brings what extra says of it, and whose the magnitude is", () => {
    const one = merged(all, { location: ["NEIC"] });
    expect(one.record.extra).toEqual({
      note: "a",
      earth_model_id: "smi:a.b/d",
      magnitude_method_id: "smi:a.b/m",
      magnitude_agency_id: "ISC",
    });
    const other = merged(all, { magnitude: ["NEIC"] });
    expect(other.record.extra).toEqual({
      note: "a",
      method_id: "smi:a.b/c",
      magnitude_agency_id: "NEIC",
    });
  });

  test("a magnitude of few or unknown stations is taken only where there is no other", () => {
    const of = (least: number, members = all) =>
      mergeGroup(members, { ...rules("quality"), minMagnitudeStations: least });
    expect(of(1).record).toMatchObject({ magnitude: 5, depth: 10 });
    expect(of(2).record).toMatchObject({ magnitude: 5.2, magnitude_type: "Mww", depth: 10 });
    expect(of(2).reason).toContain("; magnitude of B: at least 2 stations");
    expect(of(10).record.magnitude).toBe(5);
    expect(of(10).reason).toContain("; magnitude of A: none of at least 10 stations, higher");
    const unknown = { ...isc, record: { ...isc.record, magnitude_station_count: null } };
    expect(of(1, [unknown, neic]).record.magnitude).toBe(5.2);
    expect(of(1, [unknown]).record.magnitude).toBe(5);
    expect(of(1, [unknown]).record.source_events?.[0]).not.toHaveProperty("gave");
  });

  test("is told of no member where nothing is preferred", () => {
    const { record } = mergeGroup(all, rules("quality"));
    for (const one of record.source_events ?? []) expect(one).not.toHaveProperty("gave");
  });
});

describe("conversions of a merge", () => {
  test("convert the magnitude that was chosen, by the agency that gave it", () => {
    const conversions = [
      {
        name: "ours",
        from: "mb",
        agency: "ISC",
        to: "Mw",
        slope: 1,
        intercept: 0.5,
        sigma: 0.3,
        range: [4, 6] as [number, number],
        reference: "ours",
      },
    ];
    const mb = member("a", { magnitude: 5, magnitude_type: "mb", agency_id: "ISC" });
    const mw = member("b", { magnitude: 4.9, magnitude_type: "Mw", agency_id: "NEIC" });
    const of = (prefer: Prefer) => merged([mb, mw], prefer, { conversions });
    const one = of({ location: ["NEIC"], magnitude: ["ISC"] });
    expect(one.record).toMatchObject({ magnitude: 5.5, magnitude_type: "Mw", agency_id: "NEIC" });
    expect(one.record.extra).toMatchObject({
      converted_from: { magnitude: 5, conversion: "ours" },
    });
    expect(one.reason).toMatch(/; magnitude converted from mb 5 to Mw 5.5 by ours$/);
    // A converted magnitude is no better than the one that it was made of.
    expect(of({ magnitude: "average" }).record.magnitude).toBe(4.9);
    expect(mergeGroup([mb], { ...rules("quality"), conversions }).record.magnitude).toBe(5.5);
  });
});

const AGENCIES = ["ISC", "NEIC", "GCMT", null];
const STRATEGIES: readonly MergeStrategy[] = ["quality", "priority", "newest", "complete"];

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const arbitraryRecord = fc.record({
  time: fc.integer({ min: 0, max: 9 }).map(noonPlus),
  agency_id: fc.constantFrom(...AGENCIES),
  depth: some(fc.integer({ min: 0, max: 30 })),
  used_station_count: some(fc.integer({ min: 0, max: 40 })),
  horizontal_uncertainty: some(fc.integer({ min: 1, max: 9 })),
  magnitude: some(fc.integer({ min: 1, max: 7 })),
  magnitude_type: some(fc.constantFrom("Mw", "mb", "ML")),
  magnitude_uncertainty: some(fc.constantFrom(0.1, 0.2)),
  magnitude_station_count: some(fc.integer({ min: 0, max: 5 })),
  focal_mechanisms: some(fc.integer().map((n) => [{ n }])),
});
const arbitraryMembers = fc
  .array(arbitraryRecord, { minLength: 1, maxLength: 5 })
  .map((records) => records.map((record, i) => member("abcde".charAt(i), record)));
const arbitraryPreference = fc.option(
  fc.oneof(
    fc.constantFrom(...STRATEGIES),
    fc.uniqueArray(fc.constantFrom("isc", "NEIC", "JMA"), { minLength: 1, maxLength: 3 }),
  ),
  { nil: undefined },
);
const arbitraryRules = fc
  .record({
    strategy: fc.constantFrom(...STRATEGIES),
    prefer: fc.record({
      location: arbitraryPreference,
      magnitude: arbitraryPreference,
      mechanism: arbitraryPreference,
    }),
    minMagnitudeStations: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .map(({ strategy, ...given }): MergeRules => ({ ...rules(strategy), ...given }));

describe("whatever is preferred", () => {
  test("every group of attributes comes whole from the member that is said to have given it", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const { record, givers, chosen } = mergeGroup(members, given);
        const groups = Object.keys(ATTRIBUTE_GROUPS) as GivenGroup[];
        for (const group of groups) {
          const giver = members.find(({ eventId }) => eventId === givers[group]);
          const from = giver ?? members[chosen];
          for (const name of ATTRIBUTE_GROUPS[group].names) {
            expect(record[name]).toEqual(from?.record[name]);
          }
        }
        // Nothing is missing that a member has and that was asked for.
        const has = (name: keyof SeismicEventRecord) =>
          members.some((one) => one.record[name] !== null);
        const { prefer, minMagnitudeStations } = given;
        if (prefer?.magnitude !== undefined || minMagnitudeStations !== undefined) {
          expect(record.magnitude !== null).toBe(has("magnitude"));
        }
        expect(record.focal_mechanisms !== null).toBe(has("focal_mechanisms"));
      }),
      { numRuns: runs(1000) },
    );
  });

  test("a magnitude of few stations is never taken where a member has one of enough", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const least = given.minMagnitudeStations ?? 0;
        fc.pre(least > 0);
        const isEnough = ({ magnitude, magnitude_station_count: n }: SeismicEventRecord) =>
          magnitude !== null && (n ?? 0) >= least;
        fc.pre(members.length > 1 && members.some((one) => isEnough(one.record)));
        expect(isEnough(mergeGroup(members, given).record)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  test("the order of the members does not matter", () => {
    fc.assert(
      fc.property(arbitraryMembers, arbitraryRules, (members, given) => {
        const { record, reason } = mergeGroup(members, given);
        const other = mergeGroup(members.toReversed(), given);
        expect(other.record).toEqual(record);
        expect(other.reason).toBe(reason);
      }),
      { numRuns: runs(500) },
    );
  });
});
