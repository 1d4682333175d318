import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CALENDAR_UNITS } from "#contracts/analytics/calendar.ts";
import { histogramOf } from "#contracts/analytics/histogram.ts";
import { EVALUATION_STATUSES } from "#contracts/seismic-event/attributes.ts";
import { edgeOfCell } from "#services/analytics/rates.ts";
import { binsOf } from "#services/domain/analytics/numbers/numerics.ts";
import { fixedDepths, QUALITY_ATTRIBUTES } from "#services/domain/analytics/quality.ts";
import { countsByUnit, rateBins } from "#services/domain/analytics/rates/calendar-bins.ts";
import { isMomentType, totalMoment } from "#services/domain/analytics/rates/seismic-moment.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import {
  cellOf,
  cellOfLongitude,
  depthBinOf,
  depthGroups,
  distributionOf,
  gradeOf,
  intervalStatistics,
  intervalsOf,
  logBinOf,
  momentGroups,
} from "../../support/statistics/oracles.ts";
import { omoriDelay, parkMiller, syntheticS3 } from "../../support/statistics/synthetic.ts";

const service = sharedService();
const editor = service.client("editor");

type Analysis = {
  readonly input: { readonly events: number };
  readonly estimate: Readonly<Record<string, unknown>> | null;
  readonly bins: readonly Readonly<Record<string, number | string | boolean>>[];
  readonly warnings: readonly { readonly code: string }[];
};

async function analysed(id: string, path: string): Promise<Analysis> {
  const { status, body } = await editor.get<Analysis>(`/api/catalogues/${id}/analytics/${path}`);
  expect([status, JSON.stringify(body).slice(0, 300)]).toEqual([200, expect.anything()]);
  return body;
}

const randomEvent = fc.record({
  time: fc
    .integer({ min: Date.UTC(1899, 11, 30), max: Date.UTC(2026, 0, 3) })
    .map((ms) => new Date(ms).toISOString()),
  latitude: fc.oneof(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.integer({ min: -900, max: 900 }).map((tenths) => tenths / 10),
  ),
  longitude: fc.oneof(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.integer({ min: -1800, max: 1800 }).map((tenths) => tenths / 10),
    fc.constantFrom(179.99999999999997, 179.999999999, -179.99999999999997),
  ),
  depth: fc.option(
    fc.oneof(fc.double({ min: -10, max: 700, noNaN: true }), fc.constantFrom(5, 10, 33)),
    { nil: null },
  ),
  depth_type: fc.constantFrom("operator assigned", "from location", null),
  magnitude: fc.option(fc.double({ min: -3, max: 9, noNaN: true }), { nil: null }),
  magnitude_type: fc.constantFrom("Mw", "ML", "mb", "Md", null),
});
const randomEvents = fc.array(randomEvent, { minLength: 3, maxLength: 40 });

describe("what PostgreSQL counts is what the pure functions count", () => {
  test("of rates, moments, times between events, depths and cells", async () => {
    await fc.assert(
      fc.asyncProperty(
        randomEvents,
        fc.constantFrom(...CALENDAR_UNITS),
        fc.constantFrom(0.1, 1, 30),
        async (events, unit, cell) => {
          const { id } = await createCatalogue(editor, { events });
          const times = events.map(({ time }) => Date.parse(time)).sort((a, b) => a - b);
          const period = { from: times[0] ?? 0, to: times.at(-1) ?? 0 };

          const rates = await analysed(id, `rates?bin=${unit}`);
          const expected = rateBins(unit, countsByUnit(unit, times), period);
          const withTimes = rates.bins.map((bin) => ({
            ...bin,
            start: Date.parse(String(bin["start"])),
            end: Date.parse(String(bin["end"])),
          }));
          expect(withTimes).toEqual(expected);

          const taken = events.filter((event) => isMomentType(event.magnitude_type));
          const total = totalMoment(momentGroups(taken.flatMap((event) => event.magnitude ?? [])));
          const moment = await analysed(id, `moment?bin=${unit}`);
          expect(moment.estimate?.["n"]).toBe(total?.n);
          expectNear(moment.estimate?.["total"], total?.total);
          expectNear(moment.estimate?.["mw"], total?.mw);

          const intervals = intervalsOf(Float64Array.from(times));
          const { n, mean, median, cv } = intervalStatistics(intervals);
          const between = await analysed(id, "inter-event?bin=1");
          expect(between.estimate?.["n"]).toBe(n);
          expectNear(between.estimate?.["mean"], mean);
          expectNear(between.estimate?.["median"], median);
          expectNear(between.estimate?.["cv"] ?? undefined, mean === 0 ? undefined : cv);
          const logBins = [...intervals].filter((seconds) => seconds > 0);
          expect(between.bins.map(({ count }) => count)).toEqual(
            filled(logBins.map((seconds) => logBinOf(seconds, 1))),
          );

          const deep = events.flatMap(({ depth, depth_type }) =>
            depth === null ? [] : { depth, isAssigned: depth_type === "operator assigned" },
          );
          const depths = await analysed(id, "depths?bin=7.5");
          const inBins = numbersOf(deep.map(({ depth }) => depthBinOf(depth, 7.5)));
          expect(depths.bins).toEqual(binsOf(inBins, 7.5, 6));
          expect(depths.estimate?.["fixed"] ?? null).toEqual(
            deep.length === 0 ? null : fixedDepths(depthGroups(deep)),
          );

          const density = await analysed(id, `density?cell=${cell}`);
          const cells = numbersOf(
            events.map(({ latitude, longitude }) =>
              [cellOf(latitude, cell), cellOfLongitude(longitude, cell)]
                .map((edge) => edgeOfCell(edge, cell) + 0)
                .join(),
            ),
          );
          const found = density.bins.map(({ latitude, longitude, count }) => [
            `${latitude},${longitude}`,
            count,
          ]);
          expect(new Map(found as [string, number][])).toEqual(cells);
        },
      ),
      { numRuns: runs(12) },
    );
  });
});

function expectNear(actual: unknown, expected: number | undefined): void {
  if (expected === undefined) expect(actual).toBeUndefined();
  else expect(Math.abs(Number(actual) - expected)).toBeLessThanOrEqual(1e-11 * Math.abs(expected));
}

function numbersOf<K>(keys: readonly K[]): Map<K, number> {
  const numbers = new Map<K, number>();
  for (const key of keys) numbers.set(key, (numbers.get(key) ?? 0) + 1);
  return numbers;
}

/** How often each whole number from the least to the largest is there. */
function filled(bins: readonly number[]): number[] {
  if (bins.length === 0) return [];
  const numbers = numbersOf(bins);
  const first = Math.min(...bins);
  return Array.from(
    { length: Math.max(...bins) - first + 1 },
    (_, i) => numbers.get(first + i) ?? 0,
  );
}

describe("rates", () => {
  test("are of the time that was asked for, empty units too; months by default", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        seismicEvent({ time: "2020-02-10T00:00:00Z" }),
        seismicEvent({ time: "2020-04-30T23:59:59.999Z" }),
      ],
    });
    const { bins, estimate, input } = await analysed(
      id,
      "rates?startTime=2020-01-01&endTime=2020-05-15",
    );
    expect(bins.map(({ start, count, partial }) => [start, count, partial])).toEqual([
      ["2020-01-01T00:00:00Z", 0, false],
      ["2020-02-01T00:00:00Z", 1, false],
      ["2020-03-01T00:00:00Z", 0, false],
      ["2020-04-01T00:00:00Z", 1, false],
      ["2020-05-01T00:00:00Z", 0, true],
    ]);
    expect(input.events).toBe(2);
    expect(estimate).toEqual({
      n: 2,
      bins: 5,
      filled: 2,
      max: 1,
      maxStart: "2020-02-01T00:00:00Z",
      perYear: 2 / (135 / 365.25),
    });
  });
});

describe("moments", () => {
  test("leave out types that do not stand for Mw, and say how many; types=all takes them", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        seismicEvent({ magnitude: 6, magnitude_type: "Mw" }),
        seismicEvent({ magnitude: 7, magnitude_type: "mb" }),
        seismicEvent({ magnitude: 7, magnitude_type: "Ms" }),
        seismicEvent({ magnitude: null, magnitude_type: null }),
      ],
    });
    const known = await analysed(id, "moment");
    expect(known.estimate).toMatchObject({ n: 1, excluded: 2, mw: 6, largestShare: 1 });
    expect(known.warnings.map(({ code }) => code)).toEqual(["EXCLUDED_MAGNITUDE_TYPES"]);
    const all = await analysed(id, "moment?types=all");
    expect(all.estimate).toMatchObject({ n: 3, excluded: 0, largest: 7 });
    expect(all.warnings).toEqual([]);
    expect(all.bins).toMatchObject([{ count: 3, moment: all.estimate?.["total"], partial: true }]);
  });
});

test("what there is too little for has no estimate, and a reason", async () => {
  const { id } = await createCatalogue(editor, { events: [] });
  for (const [path, required] of [
    ["rates", 1],
    ["moment", 1],
    ["inter-event", 3],
    ["depths", 1],
    ["density", 1],
    ["quality", 1],
  ]) {
    const answer = await analysed(id, String(path));
    expect(answer).toMatchObject({ estimate: null, n: 0, required, bins: [] });
  }
});

type Quality = {
  readonly input: { readonly events: number };
  readonly estimate: {
    readonly gap: Readonly<Record<string, number | null>>;
    readonly q: { mean: number; documented: number; grades: Readonly<Record<string, number>> };
    readonly stepp: readonly {
      magnitude: number;
      n: number;
      completeYears: number | null;
      completeSince: string | null;
    }[];
  };
  readonly bins: readonly { q: number; count: number }[];
  readonly series: readonly { attribute: string; missing: number; zeros: number; n: number }[];
};

async function qualityOf(events: readonly unknown[], query = ""): Promise<Quality> {
  const { id } = await createCatalogue(editor, { events });
  const { status, body } = await editor.get<Quality>(
    `/api/catalogues/${id}/analytics/quality${query}`,
  );
  expect([status, JSON.stringify(body).slice(0, 300)]).toEqual([200, expect.anything()]);
  return body;
}

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const measure = (max: number) =>
  orNull(fc.oneof(fc.constant(0), fc.double({ min: 0, max, noNaN: true })));
const randomSolution = fc.record({
  horizontal_uncertainty: measure(60),
  depth_uncertainty: measure(60),
  time_uncertainty: measure(6),
  azimuthal_gap: measure(360),
  used_station_count: orNull(fc.nat(300)),
  used_phase_count: orNull(fc.nat(300)),
  standard_error: measure(4),
  magnitude_uncertainty: measure(3),
  magnitude_station_count: orNull(fc.nat(120)),
  evaluation_mode: orNull(fc.constantFrom("manual" as const, "automatic" as const)),
  evaluation_status: orNull(fc.constantFrom(...EVALUATION_STATUSES)),
});

describe("the quality of solutions", () => {
  test("is in PostgreSQL that of the pure functions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomSolution, { minLength: 1, maxLength: 40 }),
        async (solutions) => {
          const { estimate, bins, series } = await qualityOf(solutions.map(seismicEvent));
          const graded = solutions.map(gradeOf);
          const n = graded.length;
          expect(estimate.q.mean).toBeCloseTo(graded.reduce((sum, { q }) => sum + q, 0) / n, 9);
          expect(estimate.q.documented).toBeCloseTo(
            graded.reduce((sum, { documented }) => sum + documented, 0) / n,
            8,
          );
          for (const { q, count } of bins) {
            expect(graded.filter((event) => event.q === q)).toHaveLength(count);
          }
          expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(n);
          for (const column of QUALITY_ATTRIBUTES) {
            const values = solutions.map((solution) => solution[column.attribute]);
            const { unit, ...found } = Object.fromEntries(
              Object.entries(series.find(({ attribute }) => attribute === column.attribute) ?? {}),
            );
            const expected = { attribute: column.attribute, ...distributionOf(values, column) };
            expect(near(found)).toEqual(near(expected));
            expect(unit === null || typeof unit === "string").toBe(true);
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });

  test("tells zeros that a file's reader took for unknown from what is missing", async () => {
    const csv = [
      "publicid,origintime,longitude,latitude,magnitude,depth,azimuthalgap,originerror,magnitudeuncertainty",
      "a,2022-01-01T00:00:00Z,175,-39,2,5,100,0.2,0.0",
      "b,2022-01-02T00:00:00Z,175,-39,2,5,180,0.2,0.1",
      "c,2022-01-03T00:00:00Z,175,-39,2,5,190,0.2,",
    ].join("\n");
    const upload = await editor.send<{ data: readonly unknown[] }>(
      "POST",
      "/api/upload",
      fileForm(csv),
    );
    const { estimate, series } = await qualityOf(upload.body.data);
    const sigma = series.find(({ attribute }) => attribute === "magnitude_uncertainty");
    expect(sigma).toMatchObject({ n: 1, missing: 1, zeros: 1, p50: 0.1 });
    const deeper = await qualityOf([seismicEvent({ extra: { picks: { gap: 0 }, rms: 0.5 } })]);
    expect(deeper.series.map(({ zeros }) => zeros)).toEqual(Array(9).fill(0));
    expect(estimate.gap).toEqual({
      n: 3,
      p05: 108,
      p25: 140,
      p50: 180,
      p75: 185,
      p95: 189,
      above180: 1,
      upTo180Share: 2 / 3,
    });
  });

  test("has Stepp's test for each class of magnitudes", async () => {
    const yearly = (magnitude: number, years: number) =>
      Array.from({ length: years }, (_, i) =>
        seismicEvent({ magnitude, time: `${2020 - i}-07-01T00:00:00Z` }),
      );
    const { estimate } = await qualityOf(
      [...yearly(4.02, 40), ...yearly(3, 8), ...yearly(3, 8)],
      "?endTime=2021-01-01",
    );
    const [small, large] = estimate.stepp;
    expect([small?.magnitude, small?.n, small?.completeYears]).toEqual([3, 16, 8]);
    expect(small?.completeSince?.slice(0, 10)).toBe("2013-01-01");
    expect([large?.magnitude, large?.n, large?.completeYears]).toEqual([4, 39, 39]);
  });
});

/** Numbers without the digits in which two libraries may differ. */
function near(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) =>
    typeof member === "number" ? Number(member.toPrecision(11)) : member,
  );
}

type Frequency = {
  readonly version: number;
  readonly filters: object;
  readonly parameters: object;
  readonly input: {
    readonly events: number;
    readonly withoutMagnitude: number;
    readonly magnitudeTypes: readonly object[];
    readonly start: string | null;
    readonly end: string | null;
    readonly years: number | null;
  };
  readonly estimate: object | null;
  readonly reason?: string;
  readonly bins: readonly { magnitude: number; count: number; cumulative: number }[];
  readonly series?: readonly object[];
};

const EVENTS = [
  seismicEvent({ magnitude: 2, magnitude_type: "ML", time: "2020-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: 2.04, magnitude_type: "ml", time: "2021-06-01T00:00:00.5Z" }),
  seismicEvent({ magnitude: 2.05, magnitude_type: "ML", time: "2022-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: 2.3, magnitude_type: "Mw", time: "2019-01-01T00:00:00Z" }),
  seismicEvent({ magnitude: null, time: "2023-01-01T00:00:00Z" }),
];

const atFrequency = (id: string, query = "") =>
  `/api/catalogues/${id}/analytics/magnitude-frequency${query}`;

describe("the magnitude–frequency distribution", () => {
  test("has every bin from the lowest to the highest, and says what it was made of", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    const { body, headers } = await editor.get<Frequency>(atFrequency(id));
    expect(body).toEqual({
      catalogue: id,
      version: 1,
      filters: {},
      method: "magnitude-frequency",
      parameters: { binWidth: 0.1 },
      reference: "Gutenberg & Richter 1944",
      input: {
        events: 5,
        withoutMagnitude: 1,
        magnitudeTypes: [
          { type: "ML", n: 3 },
          { type: "Mw", n: 1 },
        ],
        start: "2019-01-01T00:00:00.000000Z",
        end: "2023-01-01T00:00:00.000000Z",
        years: 1461 / 365.25,
      },
      estimate: { n: 4, minMagnitude: 2, maxMagnitude: 2.3 },
      bins: [
        { magnitude: 2, count: 2, cumulative: 4 },
        { magnitude: 2.1, count: 1, cumulative: 2 },
        { magnitude: 2.2, count: 0, cumulative: 1 },
        { magnitude: 2.3, count: 1, cumulative: 1 },
      ],
      warnings: [],
    });
    const tag = headers.get("etag") ?? "";
    const again = await editor.get(atFrequency(id), { "if-none-match": tag });
    expect(again.status).toBe(304);
    const other = await editor.get(atFrequency(id, "?binWidth=0.5"), { "if-none-match": tag });
    expect(other.status).toBe(200);
  });

  test("takes filters, a version, a width and each magnitude type by itself", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [seismicEvent({ magnitude: 5, time: "2021-01-01T00:00:00Z" })],
    });
    const query = "?asOf=1&binWidth=0.5&by=type&startTime=2019-06-01&endTime=2022-06-01";
    const { body } = await editor.get<Frequency>(atFrequency(id, query));
    const bins = [{ magnitude: 2, count: 3, cumulative: 3 }];
    expect(body).toMatchObject({
      version: 1,
      filters: { startTime: "2019-06-01T00:00:00Z", endTime: "2022-06-01T00:00:00Z" },
      parameters: { binWidth: 0.5, by: "type" },
      // The window that was asked for, not that of its events.
      input: { events: 3, years: 1096 / 365.25 },
      bins,
      series: [{ type: "ML", n: 3, bins }],
    });
    const latest = await editor.get<Frequency>(atFrequency(id, "?minMagnitude=4"));
    expect(latest.body).toMatchObject({ version: 2, estimate: { n: 1, minMagnitude: 5 } });
  });

  test("has no estimate, and says why, where no event has a magnitude", async () => {
    for (const events of [[], [seismicEvent({ magnitude: null })]]) {
      const { id } = await createCatalogue(editor, { events });
      const { status, body } = await editor.get<Frequency>(atFrequency(id));
      expect(status).toBe(200);
      expect(body).toMatchObject({ estimate: null, n: 0, required: 1, bins: [] });
      expect(body.reason).toBe("no event has a magnitude");
    }
  });

  test("has in PostgreSQL the bins of the histogram, whatever the magnitudes", async () => {
    const magnitude = fc.oneof(
      fc.double({ min: -3, max: 10, noNaN: true }),
      fc.integer({ min: -300, max: 1000 }).map((hundredths) => hundredths / 100),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(magnitude, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(0.1, 0.05, 0.25),
        async (magnitudes, binWidth) => {
          const events = magnitudes.map((m) => seismicEvent({ magnitude: m }));
          const { id } = await createCatalogue(editor, { events });
          const { body } = await editor.get<Frequency>(atFrequency(id, `?binWidth=${binWidth}`));
          const { counts } = histogramOf(magnitudes, binWidth);
          expect(body.bins.map(({ count }) => count)).toEqual(counts);
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

test("an analysis refuses parameters that it does not know, and guests where they may not read", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const guest = createApiClient(service.url);
  expectRefusal(await editor.get(atFrequency(id, "?binwidth=0.2")), "VALIDATION_ERROR");
  expectRefusal(await editor.get(atFrequency(id, "?binWidth=0")), "VALIDATION_ERROR");
  expectRefusal(await editor.get(atFrequency(id, "?asOf=9")), "NOT_FOUND");
  expectRefusal(await guest.get(atFrequency(id)), "UNAUTHENTICATED");
  await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
  const { headers, status } = await guest.get(atFrequency(id));
  expect([status, headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
  await editor.send("DELETE", `/api/catalogues/${id}`);
  expectRefusal(await editor.get(atFrequency(id)), "NOT_FOUND");
});

test("the summary tells numbers, ranges and types", async () => {
  const { id } = await createCatalogue(editor, {
    events: [
      ...EVENTS,
      seismicEvent({ depth: null, latitude: 10, longitude: -170, event_type: "quarry blast" }),
    ],
  });
  const { body } = await editor.get(`/api/catalogues/${id}/analytics/summary`);
  expect(body).toMatchObject({
    method: "summary",
    estimate: {
      events: 6,
      magnitude: { min: 2, max: 7.8, missing: 1 },
      depth: { min: 15.1, max: 15.1, missing: 1 },
      latitude: { min: -42.69, max: 10 },
      longitude: { min: -170, max: 173.02 },
      eventTypes: [
        { type: null, n: 5 },
        { type: "quarry blast", n: 1 },
      ],
    },
  });
});

const MAIN = "2010-01-01T00:00:00Z";
const DAY_MS = 86_400_000;

/** S3 after its main event; every tenth aftershock is 200 km away. */
function sequence() {
  const main = seismicEvent({ time: MAIN, magnitude: 6, source_id: "main" });
  const later = syntheticS3().map((day, i) =>
    seismicEvent({
      time: new Date(Date.parse(MAIN) + day * DAY_MS).toISOString(),
      magnitude: 3,
      latitude: i % 10 === 0 ? -40.9 : -42.69,
    }),
  );
  return [main, ...later];
}

type Omori = {
  readonly parameters: object;
  readonly input: { readonly events: number };
  readonly estimate: Readonly<Record<string, number>> | null;
  readonly bins: readonly { readonly count: number }[];
  readonly warnings: readonly { readonly code: string }[];
};

describe("the decay of aftershocks", () => {
  test("has the parameters of Ogata's program for the synthetic sequence", async () => {
    const { id } = await createCatalogue(editor, { events: sequence() });
    const at = `/api/catalogues/${id}/analytics/omori`;
    const { body } = await editor.get<Omori>(`${at}?mainshock=${MAIN}&start=0&end=100`);
    const { K, sigmaK, c, sigmaC, p, sigmaP, lnL, n } = body.estimate ?? {};
    expect(n).toBe(500);
    expect(K).toBeCloseTo(66.212, 2);
    expect(sigmaK).toBeCloseTo(4.632, 2);
    expect(c).toBeCloseTo(0.039741, 4);
    expect(sigmaC).toBeCloseTo(0.01088, 4);
    expect(p).toBeCloseTo(1.07156, 4);
    expect(sigmaP).toBeCloseTo(0.03103, 4);
    expect(lnL).toBeCloseTo(1421.598, 2);
    expect(body.warnings.map(({ code }) => code)).toEqual(["EARLY_START"]);
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });

  test("is of the events around the main event, which is none of them, up to the last by default", async () => {
    const { id } = await createCatalogue(editor, { events: sequence() });
    const at = `/api/catalogues/${id}/analytics/omori`;
    const found = await editor.get<{ events: { id: string; time: string }[] }>(
      `/api/catalogues/${id}/events/filtered?minMagnitude=6`,
    );
    const main = found.body.events[0]?.id ?? "";
    const { body } = await editor.get<Omori>(`${at}?mainshock=${main}&start=0&radiusKm=100`);
    expect(body.input.events).toBe(450);
    expect(body.estimate).toMatchObject({ n: 450 });
    const last = Math.max(...syntheticS3().filter((_, i) => i % 10 !== 0));
    expect(body.parameters).toEqual({
      mainshock: main,
      start: 0,
      radiusKm: 100,
      mainTime: "2010-01-01T00:00:00.000000Z",
      end: expect.closeTo(last, 6),
    });
    const until = await editor.get<Omori>(`${at}?mainshock=${main}&endTime=2010-01-11`);
    expect(until.body.parameters).toMatchObject({ start: 0.01, end: 10 });
    expect(until.body.warnings).toEqual([]);
  });

  test("of a long sequence is fitted in a thread, to the same law as a short one's", async () => {
    const draw = parkMiller(20_261_123);
    const days = Array.from({ length: 6000 }, () => omoriDelay(draw(), 0.05, 1.1, 100));
    const { id } = await createCatalogue(editor, {
      events: days.map((day) => ({
        ...seismicEvent(),
        time: new Date(Date.parse(MAIN) + Math.ceil(day * DAY_MS)).toISOString(),
      })),
    });
    const { body } = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=${MAIN}&start=0&end=101`,
    );
    const { n, c = 0, sigmaC = 0, p = 0, sigmaP = 0 } = body.estimate ?? {};
    expect(n).toBe(6000);
    expect(Math.abs(c - 0.05)).toBeLessThan(4 * sigmaC);
    expect(Math.abs(p - 1.1)).toBeLessThan(4 * sigmaP);
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(6000);
  });

  test("needs 30 aftershocks, and answers 200 without them", async () => {
    const { id } = await createCatalogue(editor, { events: sequence().slice(0, 30) });
    const { status, body } = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=${MAIN}&start=0`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ estimate: null, n: 29, required: 30 });
    expect(body.bins.reduce((sum, { count }) => sum + count, 0)).toBe(29);
    const empty = await editor.get<Omori>(
      `/api/catalogues/${id}/analytics/omori?mainshock=2020-01-01`,
    );
    expect(empty.body).toMatchObject({ estimate: null, n: 0, bins: [], input: { events: 0 } });
  });

  test("refuses main events that there are not, and windows that end before they begin", async () => {
    const { id } = await createCatalogue(editor);
    const at = `/api/catalogues/${id}/analytics/omori`;
    const unknown = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
    expectRefusal(await editor.get(at), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=yesterday`), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=${unknown}`), "NOT_FOUND");
    expectRefusal(await editor.get(`${at}?mainshock=${MAIN}&start=5&end=5`), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?mainshock=${MAIN}&radiusKm=5`), "VALIDATION_ERROR");
  });
});
