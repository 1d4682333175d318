import { describe, expect, test } from "vitest";
import { binOf, histogramOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { annualA, annualRate } from "#services/domain/statistics/magnitudes/annual-rate.ts";
import { bValueOf } from "#services/domain/statistics/magnitudes/b-value.ts";
import { excessFrom } from "#services/domain/statistics/magnitudes/excess.ts";
import { lillieforsFits } from "#services/domain/statistics/magnitudes/lilliefors.ts";
import { typeFamily } from "#services/domain/statistics/magnitudes/mixed-types.ts";
import { ksFits } from "#services/domain/statistics/magnitudes/simulated-ks.ts";
import { weichert } from "#services/domain/statistics/magnitudes/weichert.ts";
import { hasRealData } from "../../../support/real-data.ts";
import { magnitudesInTime, magnitudesOf } from "../../../support/statistics/magnitudes.ts";
import { readQuakesearch } from "../../../support/statistics/real-catalogues.ts";
import { risesOf } from "../../../support/statistics/rises-of.ts";
import { testRows } from "../../../support/test-rows.ts";

const OPTIONS = { estimator: "tinti-mulargia", minEvents: 50 } as const;

describe.skipIf(!hasRealData)("results of SeismoStats, statsmodels and NumPy", () => {
  test("a and the annual rate of G", () => {
    const { n, b } = bValueOf(
      excessFrom(histogramOf(magnitudesOf.G(), 0.1), 19),
      "tinti-mulargia",
      0.1,
    );
    const a = annualA(n, { b, mc: 1.9, years: 42.43943 });
    expect(a).toBeCloseTo(3.94398, 6);
    expect(annualRate(4, { a, b })).toBeCloseTo(1.54604, 5);
  });

  test("b of G by Weichert, with the years of completeness", () => {
    const events = readQuakesearch("G").filter(({ origintime }) => origintime < "2022");
    const bins = Array.from({ length: 41 }, (_, i) => {
      const bin = 20 + i;
      const since = bin < 25 ? 2012 : bin < 30 ? 2000 : 1990;
      const count = events.filter(
        ({ origintime, magnitude }) =>
          binOf(magnitude, 0.1) === bin && Number(origintime.slice(0, 4)) >= since,
      ).length;
      return { magnitude: magnitudeOf(bin, 0.1), count, years: 2022 - since };
    });
    const { estimate } = weichert(bins);
    expect(estimate?.n).toBe(1989);
    expect(estimate?.b).toBeCloseTo(1.12684, 5);
    expect(estimate?.sigma).toBeCloseTo(0.02032, 5);
    expect(estimate?.annualRate).toBeCloseTo(141.8135, 4);
    expect(weichert(bins.filter(({ count }) => count > 0)).estimate?.b).toBeCloseTo(1.11317, 5);
  });

  test("the completeness of K by Lilliefors' test", () => {
    const fits = lillieforsFits(Float64Array.from(magnitudesOf.K()).sort(), {
      binWidth: 0.1,
      minEvents: 50,
      seed: 1,
    });
    const [before, last] = fits.slice(-2);
    expect([last?.bin, last?.n]).toEqual([20, 588]);
    expect(last?.d).toBeCloseTo(0.033837, 6);
    expect(last?.dStar).toBeCloseTo(0.82166, 5);
    expect(before?.dStar).toBeCloseTo(1.20688, 5);
  });

  test("the completeness of K by the distance of Kolmogorov and Smirnov", () => {
    const last = ksFits(histogramOf(magnitudesOf.K(), 0.1), { ...OPTIONS, seed: 1 }).at(-1);
    expect([last?.bin, last?.n]).toEqual([20, 652]);
    expect(last?.d).toBeCloseTo(0.024643, 6);
  });

  test("b of the magnitudes M and ML of G differ by 0.25, eight times their error", () => {
    const [ofM, ofMl] = ["m", "ML"].map((family) => {
      const ofType = readQuakesearch("G").filter(
        ({ magnitudetype }) => typeFamily(magnitudetype) === family,
      );
      const histogram = histogramOf(
        ofType.map(({ magnitude }) => magnitude),
        0.1,
      );
      return bValueOf(excessFrom(histogram, 19), "tinti-mulargia", 0.1);
    });
    const difference = Math.abs((ofM?.b ?? 0) - (ofMl?.b ?? 0));
    expect(difference).toBeCloseTo(0.25, 2);
    expect(difference / Math.hypot(ofM?.sigma ?? 0, ofMl?.sigma ?? 0)).toBeGreaterThan(8);
  });

  testRows(
    "b-positive of K and R",
    [
      ["K", 15, 1, 476, 1.187272, 0.056116],
      ["R", 25, 1, 354, 1.056029, 0.052574],
      ["R", 25, 2, 279, 1.062115, 0.058858],
    ] as const,
    (name, mc, dc, n, b, sigma) => {
      const bins = magnitudesInTime(name).map((magnitude) => binOf(magnitude, 0.1));
      const rises = risesOf(
        bins.filter((bin) => bin >= mc),
        dc,
        0.1,
      );
      const found = bValueOf(excessFrom(rises, dc), "tinti-mulargia", 0.1);
      expect(found.n).toBe(n);
      expect(found.b).toBeCloseTo(b, 6);
      expect(found.sigma).toBeCloseTo(sigma, 6);
    },
  );
});
