import { describe, expect, test } from "vitest";
import { commentsOf } from "#services/console/features/bulletin/comments.ts";
import { magnitudeLines, originLines } from "#services/console/features/bulletin/solution-lines.ts";
import {
  difference,
  lastOf,
  makersOf,
  sourceOf,
} from "#services/console/features/bulletin/texts.ts";
import { SHOWN, SMALL_BULLETIN } from "./small-bulletin.ts";

describe("the origins of a bulletin", () => {
  test("say what differs from the preferred one, whatever zones their times have", () => {
    const [first, second] = originLines(SMALL_BULLETIN, SHOWN);
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

  test("have the one at the row's time and place preferred where the bulletin names none", () => {
    const { preferredOriginID: _, ...unnamed } = SMALL_BULLETIN;
    for (const bulletin of [unnamed, { ...unnamed, preferredOriginID: "smi:local/nowhere" }]) {
      expect(originLines(bulletin, SHOWN).map(({ isPreferred }) => isPreferred)).toEqual([
        false,
        true,
      ]);
    }
    const elsewhere = originLines(unnamed, { ...SHOWN, latitude: 1 });
    expect(elsewhere.map(({ isPreferred, later }) => [isPreferred, later])).toEqual([
      [false, null],
      [false, null],
    ]);
  });

  test("keep a time that is none, and a depth that is not known, without a difference", () => {
    const [origin] = SMALL_BULLETIN.origin ?? [];
    if (!origin) throw new Error("there is an origin");
    const { depth: _, ...flat } = origin;
    const other = { ...flat, publicID: "smi:local/origin/3", time: { value: "soon" } };
    const bulletin = { ...SMALL_BULLETIN, origin: [...(SMALL_BULLETIN.origin ?? []), other] };
    expect(originLines(bulletin, SHOWN)[2]).toMatchObject({
      time: null,
      later: null,
      deeper: null,
    });
  });
});

describe("the magnitudes of a bulletin", () => {
  test("say how much larger they are than the preferred one, and of which origin", () => {
    const lines = magnitudeLines(SMALL_BULLETIN, SHOWN);
    expect(lines.map(({ isPreferred }) => isPreferred)).toEqual([true, false, false]);
    expect(lines.map(({ originNumber }) => originNumber)).toEqual([2, null, null]);
    expect(lines[0]?.larger).toBeNull();
    expect(lines[1]?.larger).toBeCloseTo(0.5, 9);
    expect(lines[2]?.larger).toBeCloseTo(-0.1, 9);
  });

  test("have the one with the row's value and type preferred where the bulletin names none", () => {
    const { preferredMagnitudeID: _, ...unnamed } = SMALL_BULLETIN;
    const shown = { ...SHOWN, magnitude: 1.9, magnitude_type: "Mw" };
    const lines = magnitudeLines(unnamed, shown);
    expect(lines.map(({ isPreferred }) => isPreferred)).toEqual([false, true, false]);
  });
});

test("comments say what they are about, the event's own first", () => {
  expect(commentsOf(SMALL_BULLETIN)).toEqual([
    { text: "Felt in the town.", of: "", author: "A. Reader", time: null },
    { text: "By hand.", of: "Origin 1", author: "", time: null },
  ]);
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

test("makers are told by agency and author, methods by the end of their id", () => {
  const creationInfo = { agencyID: "WEL", author: "A. Reader" };
  expect([sourceOf({ creationInfo }), makersOf({ creationInfo })]).toEqual([
    "WEL",
    "WEL, A. Reader",
  ]);
  expect([sourceOf({}), makersOf({})]).toEqual(["–", ""]);
  expect([lastOf("smi:org.example/loc/LOCSAT"), lastOf("smi:a#b/"), lastOf(undefined)]).toEqual([
    "LOCSAT",
    "b",
    "",
  ]);
});
