import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  energyOfMoment,
  isMomentType,
  magnitudeOfMoment,
  momentOf,
  totalMoment,
} from "#services/domain/statistics/rates/seismic-moment.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { momentGroups } from "../../../support/statistics/moment-groups.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";
import { testRows } from "../../../support/test-rows.ts";

describe("seismic moments", () => {
  it("are 10^(1.5 Mw + 9.1) N·m, the energy 10^(1.5 M + 4.8) J", () => {
    expect(momentOf(6) / 10 ** 18.1).toBeCloseTo(1, 12);
    expect(energyOfMoment(momentOf(5)) / 10 ** 12.3).toBeCloseTo(1, 12);
  });

  it("give their magnitude back", () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 10, noNaN: true }), (mw) => {
        expect(magnitudeOfMoment(momentOf(mw))).toBeCloseTo(mw, 12);
      }),
    );
  });

  testRows(
    "of a type stand for Mw or not",
    [
      ["Mw", true],
      ["mww", true],
      ["Mw(mB)", true],
      ["ML", true],
      ["MLv", true],
      ["M", true],
      ["m", true],
      ["", true],
      [null, true],
      ["mb", false],
      ["mB", false],
      ["Ms", false],
      ["MS_20", false],
      ["Md", false],
      ["Mc", false],
      ["mbLg", false],
      ["Me", false],
    ],
    (type, expected) => {
      expect(isMomentType(type)).toBe(expected);
    },
  );

  it("add up, in any order and however they are grouped", () => {
    const magnitudes = fc.array(fc.double({ min: -3, max: 10, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(magnitudes, fc.nat(), (given, cut) => {
        const whole = totalMoment(momentGroups(given));
        const at = cut % given.length;
        const parts = [given.slice(at), given.slice(0, at)].flatMap((part) => {
          const sum = totalMoment(momentGroups(part));
          return sum === null ? [] : [{ count: sum.n, moment: sum.total, largest: sum.largest }];
        });
        const sum = totalMoment(parts);
        expect(sum?.n).toBe(given.length);
        expect(sum?.largest).toBe(Math.max(...given));
        expect((sum?.total ?? 0) / (whole?.total ?? 0)).toBeCloseTo(1, 13);
        expect(whole?.largestShare).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it("of no events are none", () => {
    expect(totalMoment([])).toBeNull();
  });
});

describe.skipIf(!hasRealData)("the moment of real events", () => {
  it("of GeoNet, all types taken as Mw", () => {
    const total = totalMoment(momentGroups(readQuakesearch("G").map(({ magnitude }) => magnitude)));
    expect(total?.n).toBe(17_397);
    expect((total?.total ?? 0).toExponential(5)).toBe("5.39804e+17");
    expect(total?.mw.toFixed(5)).toBe("5.75482");
    expect((100 * (total?.largestShare ?? 0)).toFixed(4)).toBe("23.0549");
  });
});
