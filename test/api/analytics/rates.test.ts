import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CALENDAR_UNITS } from "#contracts/query/calendar-units.ts";
import { depthBins, fixedDepths } from "#services/domain/statistics/rates/depth-bins.ts";
import { countsByUnit, rateBins } from "#services/domain/statistics/rates/event-counts.ts";
import { isMomentType, totalMoment } from "#services/domain/statistics/rates/seismic-moment.ts";
import { edgeOfCell } from "#services/gateway/routes/analytics/density.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import {
  cellOf,
  cellOfLongitude,
  depthBinOf,
  depthGroups,
  intervalStatistics,
  intervalsOf,
  logBinOf,
  momentGroups,
} from "../../support/statistics/oracles.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

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
          expect(depths.bins).toEqual(depthBins(inBins, 7.5));
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

  test("refuse more bins than anybody reads, and units that there are not", async () => {
    const { id } = await createCatalogue(editor);
    const at = `/api/catalogues/${id}/analytics/rates`;
    expectRefusal(await editor.get(`${at}?bin=day&startTime=1500-01-01`), "VALIDATION_ERROR");
    expectRefusal(await editor.get(`${at}?bin=hour`), "VALIDATION_ERROR");
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
  ]) {
    const answer = await analysed(id, String(path));
    expect(answer).toMatchObject({ estimate: null, n: 0, required, bins: [] });
  }
});
