import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  logMoment,
  maximiseOmori,
  omoriIntegral,
  omoriUtsu,
} from "#services/domain/analytics/rates/omori-utsu.ts";
import { hasRealData } from "../../support/real-data.ts";
import { runs } from "../../support/runs.ts";
import { readCsepSample, readQuakesearch } from "../../support/statistics/real-catalogues.ts";
import { omoriDelay, parkMiller, syntheticS3 } from "../../support/statistics/synthetic.ts";

const DAY_MS = 86_400_000;

function fitOf(days: readonly number[], start: number, end: number) {
  const { estimate, warnings } = omoriUtsu(days, { start, end });
  if (estimate === null) throw new Error("no estimate");
  const { sigmaK, sigmaC, sigmaP } = estimate;
  if (sigmaK === null || sigmaC === null || sigmaP === null) throw new Error("no errors");
  return { ...estimate, sigmaK, sigmaC, sigmaP, codes: warnings.map(({ code }) => code) };
}

describe("integrals of Omori and Utsu's law", () => {
  const c = fc.double({ min: 1e-5, max: 100, noNaN: true });
  const p = fc.double({ min: -1, max: 10, noNaN: true });

  it("are those of the quadrature, at p = 1 too", () => {
    const window = { start: 0.01, end: 50 };
    fc.assert(
      fc.property(
        c,
        fc.oneof(p, fc.constantFrom(1, 1 + 1e-9, 1 - 1e-5, 1.0001)),
        (offset, power) => {
          const integral = omoriIntegral(offset, power, window);
          const quadrature = logMoment(power, 0, { c: offset, window });
          expect(integral / quadrature).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("of two windows are that of both", () => {
    const whole = omoriIntegral(0.05, 1.1, { start: 0, end: 100 });
    const parts =
      omoriIntegral(0.05, 1.1, { start: 0, end: 3 }) +
      omoriIntegral(0.05, 1.1, { start: 3, end: 100 });
    expect(parts).toBeCloseTo(whole, 12);
  });
});

describe("Omori and Utsu's law", () => {
  it("has the parameters of Ogata's program for the synthetic sequence", () => {
    const fit = fitOf(syntheticS3(), 0, 100);
    expect(fit.n).toBe(500);
    expect(fit.K.toFixed(3)).toBe("66.212");
    expect(fit.sigmaK.toFixed(3)).toBe("4.632");
    expect(fit.c.toFixed(6)).toBe("0.039741");
    expect(fit.sigmaC.toFixed(5)).toBe("0.01088");
    expect(fit.p.toFixed(5)).toBe("1.07156");
    expect(fit.sigmaP.toFixed(5)).toBe("0.03103");
    expect(fit.lnL.toFixed(3)).toBe("1421.598");
    expect(fit.aic).toBeCloseTo(-2 * 1421.598 + 6, 2);
    expect(fit.ksP).toBeGreaterThan(0.05);
    expect(fit.codes).toEqual(["EARLY_START"]);
  });

  it("is most likely at its parameters", () => {
    const days = Float64Array.from(syntheticS3());
    const window = { start: 0, end: 100 };
    const { K, c, p, lnL } = maximiseOmori(days, window);
    const logs = (offset: number) => days.reduce((sum, day) => sum + Math.log(day + offset), 0);
    const likelihood = (k: number, offset: number, power: number) =>
      days.length * Math.log(k) - power * logs(offset) - k * omoriIntegral(offset, power, window);
    expect(likelihood(K, c, p)).toBeCloseTo(lnL, 8);
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (a, b, d) => {
          expect(likelihood(K * a, c * b, p * d)).toBeLessThanOrEqual(lnL + 1e-8);
        },
      ),
    );
  });

  it("finds the parameters of a long sequence within four of their errors, in any order", () => {
    const law = { c: fc.constantFrom(0.01, 0.1, 0.5), p: fc.constantFrom(0.8, 1.1, 1.4) };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), fc.record(law), (seed, { c, p }) => {
        const draw = parkMiller(seed);
        const days = Array.from({ length: 3000 }, () => omoriDelay(draw(), c, p, 200));
        const fit = fitOf(days, 0, 200);
        expect(Math.abs(fit.c - c)).toBeLessThan(4.5 * fit.sigmaC);
        expect(Math.abs(fit.p - p)).toBeLessThan(4.5 * fit.sigmaP);
        expect(fitOf(days.toReversed(), 0, 200)).toEqual(fit);
      }),
      { numRuns: runs(20) },
    );
  });

  it("counts only what is in the window, and needs 30 of it", () => {
    const days = syntheticS3();
    const few = days.toSorted((a, b) => a - b).slice(0, 29);
    expect(omoriUtsu([...few, 101, -1], { start: 0, end: 100 })).toEqual({
      estimate: null,
      reason: "Omori and Utsu's law needs 30 events in the window",
      n: 29,
      required: 30,
      warnings: [],
    });
    expect(fitOf([...days, 101, -1], 0, 100)).toEqual(fitOf(days, 0, 100));
  });

  it("says that c is at its bound where the rate does not fall", () => {
    const even = Array.from({ length: 100 }, (_, i) => i + 0.5);
    expect(fitOf(even, 0.01, 100).codes).toContain("C_AT_BOUND");
  });
});

describe.skipIf(!hasRealData)("Omori and Utsu's law of real sequences", () => {
  it("of Ridgecrest from magnitude 3 on, from 0.05 to 6.9 days", () => {
    const main = Date.parse("2019-07-06T03:19:53.040Z");
    const days = readCsepSample()
      .filter(({ M }) => M >= 3)
      .map(({ time_string: time }) => (Date.parse(`${time.slice(0, 23)}Z`) - main) / DAY_MS);
    const fit = fitOf(days, 0.05, 6.9);
    expect(fit.n).toBe(410);
    expect([fit.K.toFixed(3), fit.sigmaK.toFixed(3)]).toEqual(["93.741", "8.445"]);
    expect([fit.c.toFixed(5), fit.sigmaC.toFixed(5)]).toEqual(["0.03361", "0.03690"]);
    expect([fit.p.toFixed(5), fit.sigmaP.toFixed(5)]).toEqual(["0.95774", "0.08143"]);
  });

  it("of Kawerau from magnitude 2 on after its largest event, from 0.01 to 9 days", () => {
    const rows = readQuakesearch("K").filter(({ magnitude }) => magnitude >= 2);
    const main = rows.reduce((a, b) => (b.magnitude > a.magnitude ? b : a));
    const days = rows.map(
      ({ origintime }) => (Date.parse(origintime) - Date.parse(main.origintime)) / DAY_MS,
    );
    const fit = fitOf(days, 0.01, 9);
    expect(main.magnitude.toFixed(3)).toBe("4.926");
    expect(fit.n).toBe(561);
    expect([fit.K.toFixed(1), fit.sigmaK.toFixed(1)]).toEqual(["531.6", "238.0"]);
    expect([fit.c.toFixed(4), fit.sigmaC.toFixed(4)]).toEqual(["0.8163", "0.2245"]);
    expect([fit.p.toFixed(4), fit.sigmaP.toFixed(4)]).toEqual(["2.0867", "0.2454"]);
    expect(fit.codes).toEqual(["P_UNUSUAL"]);
  });
});
