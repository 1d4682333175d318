import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  difference,
  magnitudeLines,
  originLines,
} from "#services/console/features/bulletin/solution-lines.ts";
import { SMALL_BULLETIN } from "../../support/bulletins/phases-bulletin.ts";

describe("the origins of a bulletin", () => {
  test("say what differs from the preferred one, whatever zones their times have", () => {
    const [first, second] = originLines(SMALL_BULLETIN);
    expect(second).toMatchObject({
      number: 2,
      isPreferred: true,
      time: "2024-05-07T08:24:10.000001Z",
      later: null,
      away: null,
      deeper: null,
    });
    expect(first).toMatchObject({ number: 1, isPreferred: false, later: -1.500001, deeper: 7 });
    // 0.1° of latitude are 11.1 km, 0.2° of longitude at 38.55° 17.4 km.
    expect(first?.away).toBeCloseTo(20.6, 1);
  });

  test("have the preferred one by the service's rule where the bulletin names none", () => {
    const { preferredOriginID: _, origin: [first, second] = [], ...rest } = SMALL_BULLETIN;
    if (!first || !second) throw new Error("there are two origins");
    const preferred = (origin: Bulletin["origin"], further: Partial<Bulletin> = {}) =>
      originLines({ ...rest, origin, ...further } as Bulletin).map(
        ({ isPreferred }) => isPreferred,
      );
    expect(preferred([first, second])).toEqual([true, false]);
    const reviewed = { ...second, evaluationStatus: "reviewed" } as const;
    expect(preferred([first, reviewed])).toEqual([false, true]);
    const later = {
      ...first,
      evaluationStatus: "final",
      creationInfo: { creationTime: "2024-06-01" },
    };
    expect(preferred([later, reviewed] as Bulletin["origin"])).toEqual([true, false]);
    // A centroid is no hypocentre.
    const momentTensor = [{ publicID: "smi:local/tensor", derivedOriginID: first.publicID }];
    const focalMechanism = [{ publicID: "smi:local/mechanism", momentTensor }];
    expect(preferred([first, second], { focalMechanism })).toEqual([false, true]);
    expect(preferred([first, second], { preferredOriginID: "smi:local/nowhere" })).toEqual([
      true,
      false,
    ]);
  });
});

describe("the magnitudes of a bulletin", () => {
  test("have the best type of the preferred origin's preferred where the bulletin names none", () => {
    const { preferredMagnitudeID: _, magnitude = [], ...rest } = SMALL_BULLETIN;
    const preferred = (bulletin: Bulletin) =>
      magnitudeLines(bulletin).map(({ isPreferred }) => isPreferred);
    expect(preferred({ ...rest, magnitude })).toEqual([true, false, false]);
    // Of no origin that is there: then all of them.
    const strays = magnitude.map(({ originID: _, ...one }) => one);
    expect(preferred({ ...rest, magnitude: strays })).toEqual([false, true, false]);
    // What was a row names the one that the row had.
    const own = { ...rest, publicID: "smi:local.catalogue/event/1", magnitude };
    expect(preferred(own)).toEqual([true, false, false]);
    const [origin] = rest.origin ?? [];
    const ofRow = { ...origin, publicID: "smi:local.catalogue/origin/00ab" } as typeof origin & {};
    const wasRow = { ...own, origin: [...(rest.origin ?? []), ofRow] };
    expect(preferred(wasRow)).toEqual([false, false, false]);
  });
});

test("differences have their sign, and none where they round to nothing", () => {
  expect([0.126, -2, 0.001, -0.001, null].map((value) => difference(value, 2))).toEqual([
    "+0.13",
    "−2.00",
    "0.00",
    "0.00",
    "–",
  ]);
});
