import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { binOf, histogramOf } from "#contracts/analytics/histogram.ts";
import { bValueOf, excessFrom } from "#services/domain/analytics/magnitudes/b-value.ts";
import {
  byEntireRange,
  byGoodnessOfFit,
  byMaximumCurvature,
  byStability,
} from "#services/domain/analytics/magnitudes/completeness.ts";
import { seededRandom } from "#services/domain/analytics/numbers/random.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { excessOf, risesOf } from "../../support/statistics/oracles.ts";

const service = sharedService();
const editor = service.client("editor");

/** Magnitudes of b = 1, of which fewer and fewer are detected below 1. */
const MAGNITUDES = incomplete(2500);
/** A million seconds apart, in this order. */
const timeOf = (i: number) => new Date(Date.UTC(1985, 5, 1) + i * 1e6 * 100).toISOString();
let catalogue: string;

beforeAll(async () => {
  const events = MAGNITUDES.map((magnitude, i) =>
    seismicEvent({ magnitude, magnitude_type: "ML", time: timeOf(i) }),
  );
  ({ id: catalogue } = await createCatalogue(editor, { events }));
});

function incomplete(n: number): number[] {
  const random = seededRandom(2);
  const magnitudes: number[] = [];
  while (magnitudes.length < n) {
    const magnitude = -Math.log10(1 - random());
    if (random() < 1 / (1 + Math.exp(-(magnitude - 1) / 0.1))) magnitudes.push(magnitude);
  }
  return magnitudes;
}

type Analysis = {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly filters: object;
  readonly estimate: Readonly<Record<string, unknown>> | null;
  readonly n?: number;
  readonly required?: number;
  readonly reason?: string;
  readonly bins: readonly Readonly<Record<string, number>>[];
  readonly series?: readonly Readonly<Record<string, number | string | null>>[];
  readonly warnings: readonly { readonly code: string }[];
};

async function analysed(path: string, id = catalogue): Promise<Analysis> {
  const { status, body } = await editor.get<Analysis>(`/api/catalogues/${id}/analytics/${path}`);
  expect([status, JSON.stringify(body).slice(0, 200)]).toEqual([200, expect.anything()]);
  return body;
}

type Bootstrap = { readonly sigma: number; readonly samples: number };
const bootstrapOf = ({ estimate }: Analysis) => (estimate as { bootstrap: Bootstrap }).bootstrap;

const codes = ({ warnings }: Analysis) => warnings.map(({ code }) => code);

const OPTIONS = { estimator: "tinti-mulargia", minEvents: 50, correction: 0.2 } as const;

describe("completeness", () => {
  const histogram = histogramOf(MAGNITUDES, 0.1);

  test("by each method is what the pure function finds, or is drawn from a seed in a thread", async () => {
    for (const [method, { outcome, fits = [] }] of [
      ["maxc", byMaximumCurvature(histogram, OPTIONS)],
      ["gft", byGoodnessOfFit(histogram, OPTIONS)],
      ["mbs", byStability(histogram, OPTIONS)],
      ["emr", byEntireRange(histogram, OPTIONS)],
    ] as const) {
      const { estimate, series, parameters } = await analysed(`completeness?method=${method}`);
      expect(estimate, method).toEqual(outcome.estimate);
      expect(series, method).toEqual(fits);
      expect(parameters).toEqual({ method, binWidth: 0.1, ...OPTIONS, seed: 1 });
    }
    for (const method of ["ks", "lilliefors"]) {
      const { estimate, series } = await analysed(`completeness?method=${method}&seed=5`);
      expect(estimate?.["p"], method).toBeGreaterThanOrEqual(0.1);
      expect(estimate?.["mc"], method).toBeGreaterThan(0.9);
      expect(estimate?.["mc"], method).toBeLessThan(1.7);
      expect(series?.at(-1)?.["magnitude"], method).toBe(estimate?.["mc"]);
    }
  });

  test("by all methods has that of maximum curvature first, and what each found", async () => {
    const { estimate } = await analysed("completeness?method=all");
    const methods = estimate?.["methods"] as Record<string, { mc: number }>;
    expect(Object.keys(methods)).toEqual(["maxc", "gft", "mbs", "emr", "ks", "lilliefors"]);
    expect(methods["maxc"]?.mc).toBe(estimate?.["mc"]);
    for (const method of ["gft", "emr", "lilliefors"]) {
      const alone = await analysed(`completeness?method=${method}`);
      expect(methods[method]).toEqual(alone.estimate);
    }
  });

  test("of too few events is not estimated, whatever the method", async () => {
    const events = MAGNITUDES.slice(0, 49).map((magnitude) => seismicEvent({ magnitude }));
    const { id } = await createCatalogue(editor, { events });
    for (const method of ["maxc", "gft", "mbs", "emr", "ks", "lilliefors", "all"]) {
      const { estimate, n, required } = await analysed(`completeness?method=${method}`, id);
      expect([method, estimate, n, required]).toEqual([method, null, 49, 50]);
    }
    const { estimate } = await analysed("completeness?minEvents=40", id);
    expect(estimate).toMatchObject({ mc: expect.any(Number) });
  });

  test("per 500 events and per 5 years begins every half of that, null for fewer than 50", async () => {
    const byEvents = await analysed("completeness?per=events");
    const total = MAGNITUDES.length;
    expect(byEvents.series?.map(({ n }) => n)).toEqual(Array(total / 250 - 1).fill(500));
    const first = histogramOf(MAGNITUDES.slice(0, 500), 0.1);
    const { estimate } = byMaximumCurvature(first, OPTIONS).outcome;
    const fit = bValueOf(excessFrom(first, binOf(estimate?.mc ?? 0, 0.1)), "tinti-mulargia", 0.1);
    expect(byEvents.series?.[0]).toMatchObject({ mc: estimate?.mc, b: fit.b, sigma: fit.sigma });

    const fewer = await analysed("completeness?per=events&windows=3");
    const half = Math.ceil(total / 4);
    expect(fewer.series?.map(({ n }) => n)).toEqual([2 * half, 2 * half, total - 2 * half]);
    expect((await analysed("completeness?per=events&windows=900")).series).toEqual(byEvents.series);

    const byYears = await analysed("completeness?per=years");
    const timesOf = (from: string, to: string) =>
      MAGNITUDES.filter((_, i) => timeOf(i) >= from && timeOf(i) < to).length;
    expect(byYears.series?.slice(0, 2).map(({ n }) => n)).toEqual([
      timesOf("1985-01", "1990-01"),
      timesOf("1987-07", "1992-07"),
    ]);
    const few = await analysed("completeness?per=years&minMagnitude=3");
    expect(few.series?.every(({ mc, b }) => mc === null && b === null)).toBe(true);
    const none = await createCatalogue(editor, { events: [] });
    expect((await analysed("completeness?per=events", none.id)).series).toEqual([]);
  });
});

describe("the b-value", () => {
  test("is that of the pure functions, with its a, its rates and the bins of the fit", async () => {
    const { estimate, bins, parameters } = await analysed("b-value?mc=1.2");
    const fit = bValueOf(excessFrom(histogramOf(MAGNITUDES, 0.1), 12), "tinti-mulargia", 0.1);
    const years = ((MAGNITUDES.length - 1) * 1e8) / (365.25 * 86_400_000);
    const rate = fit.n / years;
    expect(estimate).toMatchObject({ mc: 1.2, ...fit });
    expect(estimate?.["rate"]).toBeCloseTo(rate, 9);
    expect(estimate?.["aAnnual"]).toBeCloseTo(Math.log10(rate) + 1.2 * fit.b, 9);
    expect(bins[0]).toMatchObject({ magnitude: 1.2, cumulative: fit.n });
    expect(bins[0]?.["annualRate"]).toBeCloseTo(rate, 9);
    expect(parameters).toMatchObject({ mc: 1.2, estimator: "tinti-mulargia", binWidth: 0.1 });
  });

  test("finds the magnitude of completeness first by the method that is asked for", async () => {
    const { estimate } = await analysed("completeness?method=emr");
    const fit = await analysed("b-value?mcMethod=emr");
    expect(fit.estimate?.["mc"]).toBe(estimate?.["mc"]);
    const byDefault = await analysed("b-value");
    expect(byDefault.parameters).toMatchObject({ mcMethod: "maxc", correction: 0.2 });
  });

  test("of continuous magnitudes is Aki's, of rises b-positive", async () => {
    const aki = await analysed("b-value?mc=1.25&estimator=aki&binWidth=0");
    const expected = bValueOf(excessOf(MAGNITUDES, 1.25), "aki", 0);
    expect(aki.estimate).toMatchObject({ mc: 1.25, n: expected.n });
    for (const name of ["b", "sigma", "bUnbiased"] as const) {
      expect(aki.estimate?.[name]).toBeCloseTo(expected[name], 9);
    }
    const bins = MAGNITUDES.map((m) => binOf(m, 0.1)).filter((bin) => bin >= 8);
    const rises = bValueOf(excessFrom(risesOf(bins, 2, 0.1), 2), "tinti-mulargia", 0.1);
    const positive = await analysed("b-value?mc=0.8&estimator=b-positive&dc=0.2");
    expect(positive.estimate).toEqual({ mc: 0.8, ...rises, aAnnual: null, rate: null });
  });

  test("by Weichert takes each magnitude from its year on", async () => {
    const { estimate, parameters } = await analysed(
      "b-value?estimator=weichert&complete=1.2:1988,2:1986&mmax=6&endTime=1992-12-31T23:59:59.999999Z",
    );
    const inYears = MAGNITUDES.filter((m, i) => {
      const year = Number(timeOf(i).slice(0, 4));
      const bin = binOf(m, 0.1);
      return bin >= 12 && year <= 1992 && year >= (bin >= 20 ? 1986 : 1988);
    });
    expect(estimate).toMatchObject({ mc: 1.2, n: inYears.length });
    expect(estimate?.["b"]).toBeGreaterThan(0.8);
    expect(estimate?.["b"]).toBeLessThan(1.2);
    expect(parameters["complete"]).toEqual([
      { magnitude: 1.2, since: 1988 },
      { magnitude: 2, since: 1986 },
    ]);
  });

  test("has a bootstrap, the same for the same seed, and series by completeness and time", async () => {
    const one = await analysed("b-value?mc=1.2&bootstrap=500&seed=4");
    const { sigma, samples } = bootstrapOf(one);
    expect(samples).toBe(500);
    expect(Math.abs(sigma / Number(one.estimate?.["sigma"]) - 1)).toBeLessThan(0.2);
    const { series } = await analysed("b-value?mc=1.2&series=mc");
    const at = series?.find(({ mc }) => mc === 1.2);
    expect(at).toMatchObject({ n: one.estimate?.["n"], b: one.estimate?.["b"] });
    const overTime = await analysed("b-value?series=time&per=events");
    expect(overTime.series).toEqual((await analysed("completeness?per=events")).series);
  });

  test("moves drawn magnitudes by their errors where it is asked to", async () => {
    const events = MAGNITUDES.slice(0, 600).map((magnitude, i) =>
      seismicEvent({ magnitude, ...(i % 2 === 0 && { magnitude_uncertainty: 0.2 }) }),
    );
    const { id } = await createCatalogue(editor, { events });
    const moved = await analysed("b-value?mc=1.2&bootstrap=500&seed=4&magnitudeErrors=true", id);
    expect(moved.estimate).toMatchObject({ bootstrap: { samples: 500, seed: 4, moved: 300 } });
    expect(moved.parameters).toMatchObject({ magnitudeErrors: true });
    const without = await analysed("b-value?mc=1.2&bootstrap=500&seed=4&magnitudeErrors=false", id);
    expect(without).toEqual(await analysed("b-value?mc=1.2&bootstrap=500&seed=4", id));
    expect(bootstrapOf(moved).sigma).not.toBe(bootstrapOf(without).sigma);
    const path = `/api/catalogues/${id}/analytics/b-value?magnitudeErrors=true`;
    expectRefusal(await editor.get(path), "VALIDATION_ERROR", "magnitudeErrors");
  });

  test("warns of few events, mixed types, a catalogue cut below, and a bound that is not applied", async () => {
    expect(codes(await analysed("b-value"))).toEqual([]);
    expect(codes(await analysed("b-value?mc=2.9"))).toEqual(["SMALL_SAMPLE"]);
    expect(codes(await analysed("b-value?mc=1.2&minMagnitude=1.15"))).toEqual(["CATALOGUE_CUT"]);
    const bounded = await analysed("b-value?mc=1.2&maxMagnitude=2");
    const free = await analysed("b-value?mc=1.2");
    expect(codes(bounded)).toEqual(["MAX_MAGNITUDE_IGNORED"]);
    expect([bounded.estimate, bounded.filters]).toEqual([free.estimate, {}]);
    expect(codes(free)).toEqual([]);

    const events = MAGNITUDES.slice(0, 400).map((magnitude, i) =>
      seismicEvent({ magnitude, magnitude_type: ["Mw", "MLv", "mww", "ML"][i % 4] ?? null }),
    );
    const { id } = await createCatalogue(editor, { events });
    const mixed = await analysed("b-value?mc=1", id);
    expect(codes(mixed)).toEqual(["MIXED_MAGNITUDE_TYPES"]);
    expect(mixed.series?.map(({ type }) => type).toSorted()).toEqual(["ML", "Mw"]);
    const numbers = mixed.series?.map(({ n }) => Number(n)) ?? [];
    expect(numbers.reduce((sum, n) => sum + n, 0)).toBe(mixed.estimate?.["n"]);
  });

  test("is not estimated of too few events, or where the completeness is not", async () => {
    const few = await analysed("b-value?mc=3.9");
    expect(few).toMatchObject({ estimate: null, required: 10, bins: [] });
    expect(await analysed("b-value?minMagnitude=3.2")).toMatchObject({
      estimate: null,
      required: 50,
    });
    expect(await analysed("b-value?mc=9&estimator=aki")).toMatchObject({ estimate: null, n: 0 });
  });

  test("of any catalogue is that of its bins in PostgreSQL", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 12, maxLength: 60 }),
        fc.constantFrom(0.1, 0.25),
        async (hundredths, binWidth) => {
          const magnitudes = hundredths.map((n) => n / 100);
          const events = magnitudes.map((magnitude) => seismicEvent({ magnitude }));
          const { id } = await createCatalogue(editor, { events });
          const { estimate } = await analysed(`b-value?mc=0.5&binWidth=${binWidth}`, id);
          const excess = excessFrom(histogramOf(magnitudes, binWidth), binOf(0.5, binWidth));
          if (excess.n >= 10 && excess.filled >= 3) {
            expect(estimate).toMatchObject(bValueOf(excess, "tinti-mulargia", binWidth));
          } else expect(estimate).toBeNull();
        },
      ),
      { numRuns: runs(10) },
    );
  });
});

test("simulations are an operation for whoever prefers that, with the answer as its result", async () => {
  for (const path of ["completeness?method=ks&seed=6", "b-value?mc=1.2&bootstrap=300"]) {
    const address = `/api/catalogues/${catalogue}/analytics/${path}`;
    const prefer = { prefer: "respond-async" };
    const accepted = await editor.get<{ operationId: string }>(address, prefer);
    expect([accepted.status, accepted.headers.get("cache-control")]).toEqual([202, "no-store"]);
    const ended = await endOf(editor, accepted.body.operationId);
    expect([ended.kind, ended.status]).toEqual(["analysis", "succeeded"]);
    expect(ended.result).toEqual(await analysed(path));
    expectRefusal(await editor.get(`${address}&asOf=7`, prefer), "NOT_FOUND");
  }
});

test("parameters that are none, or have no meaning together, are refused", async () => {
  for (const path of [
    "completeness?method=best",
    "completeness?minEvents=5",
    "completeness?binWidth=0.001",
    "completeness?mc=2",
    "b-value?mc=2&mcMethod=gft",
    "b-value?dc=0.1",
    "b-value?complete=2:2000",
    "b-value?mmax=7",
    "b-value?per=years",
    "b-value?series=time&windows=60",
    "completeness?per=years&windows=60",
    "b-value?estimator=weichert",
    "b-value?estimator=weichert&complete=2",
    "b-value?estimator=weichert&complete=2:2000,1:1990",
    "b-value?estimator=weichert&complete=1:1990,2:2000",
    "b-value?estimator=weichert&complete=1:2000&mc=2",
    "b-value?estimator=b-positive&binWidth=0",
    "b-value?estimator=aki&bootstrap=200",
    "b-value?bootstrap=5",
    "b-value?seed=-1",
  ]) {
    const answer = await editor.get(`/api/catalogues/${catalogue}/analytics/${path}`);
    expectRefusal(answer, "VALIDATION_ERROR");
  }
});
