import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { compareCatalogues } from "#services/domain/statistics/comparison/compare-catalogues.ts";
import type { ComparedEvents } from "#services/domain/statistics/comparison/compared-events.ts";
import { originsOf } from "../../../support/origins-of.ts";
import { hasRealData, REAL_DATA_DIR } from "../../../support/real-data.ts";

type Event = {
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number | null;
  readonly magnitude: number | null;
  readonly type: string | null;
};

function compared(a: readonly Event[], b: readonly Event[]): ComparedEvents {
  const events = [
    ...a.map((event) => ({ ...event, source: 0 })),
    ...b.map((event) => ({ ...event, source: 1 })),
  ];
  const typeNames = [...new Set(events.map(({ type }) => type))];
  return {
    origins: originsOf(events.map((event, row) => ({ ...event, id: String(row) }))),
    depths: Float64Array.from(events, ({ depth }) => depth ?? Number.NaN),
    magnitudes: Float64Array.from(events, ({ magnitude }) => magnitude ?? Number.NaN),
    types: Int32Array.from(events, ({ type }) => typeNames.indexOf(type)),
    typeNames,
  };
}

const OPTIONS = { thresholds: thresholdsOf(16, 100), eta: 1 };

const quake = (minute: number, given: Partial<Event> = {}): Event => ({
  time: new Date(Date.UTC(2020, 0, 1, 0, minute)).toISOString(),
  latitude: -40,
  longitude: 175,
  depth: 10,
  magnitude: 4,
  type: "ML",
  ...given,
});

describe.skipIf(!hasRealData)("the reference result of three agencies around 2011-03-11", () => {
  test("is ComCat against the ISC, five pairs", () => {
    const comparison = compareCatalogues(
      compared(read("isc", "date"), read("comcat", "time")),
      OPTIONS,
    );
    const { time, distance, depth, magnitude } = comparison.residuals;
    expect(comparison.matched).toBe(5);
    const shown = [time, distance, depth, magnitude].map(
      (residual) => residual && [residual.median.toFixed(4), residual.sigma.toFixed(5)],
    );
    expect(shown).toEqual([
      ["0.2200", "1.11195"],
      ["15.1573", "7.43723"],
      ["0.0000", "4.00302"],
      ["-0.0600", "0.10378"],
    ]);
    expect(comparison.regressions).toMatchObject({ estimate: null, n: 5, required: 30 });
  });

  function read(agency: string, timeColumn: string): Event[] {
    const text = readFileSync(join(REAL_DATA_DIR, "csv", `merge3_${agency}.csv`));
    const rows: Record<string, string>[] = parse(text, { columns: true });
    return rows.map((row) => ({
      time: new Date(`${row[timeColumn]?.slice(0, 23)}Z`).toISOString(),
      latitude: Number(row["latitude"]),
      longitude: Number(row["longitude"]),
      depth: Number(row["depth"]),
      magnitude: Number(row["magnitude"]),
      type: null,
    }));
  }
});

describe("a comparison", () => {
  test("counts what each catalogue shares and has alone, by magnitude", () => {
    const a = [quake(0), quake(5, { magnitude: 4.2 }), quake(10, { magnitude: null })];
    const b = [quake(0, { magnitude: 4.1 }), quake(20, { magnitude: 4.2 })];
    const { matched, magnitudes } = compareCatalogues(compared(a, b), OPTIONS);
    expect(matched).toBe(1);
    expect(magnitudes).toEqual([
      { magnitude: 4, a: { matched: 1, unmatched: 0 }, b: { matched: 0, unmatched: 0 } },
      { magnitude: 4.1, a: { matched: 0, unmatched: 0 }, b: { matched: 1, unmatched: 0 } },
      { magnitude: 4.2, a: { matched: 0, unmatched: 1 }, b: { matched: 0, unmatched: 1 } },
    ]);
  });

  test("tells the part of the pairs near a threshold", () => {
    const a = [quake(0), quake(5), quake(10), quake(15)];
    const late = (minute: number, seconds: number) => ({
      time: new Date(Date.UTC(2020, 0, 1, 0, minute, seconds)).toISOString(),
    });
    // 12.8 s and 80 km are 80 %, so 12 s is within, 13 s and 89 km are beyond.
    const b = [
      quake(0, late(0, 12)),
      quake(5, late(5, 13)),
      quake(10, { latitude: -40.8 }),
      quake(15),
    ];
    const { nearThreshold, residuals } = compareCatalogues(compared(a, b), OPTIONS);
    expect(nearThreshold).toBe(0.5);
    expect(residuals.time?.p95).toBeCloseTo(12.85, 9);
  });

  test("leaves out depths and magnitudes that one of the two does not know", () => {
    const a = [quake(0, { depth: null }), quake(5), quake(10, { magnitude: null })];
    const b = [quake(0), quake(5, { depth: 12 }), quake(10)];
    const { residuals } = compareCatalogues(compared(a, b), OPTIONS);
    expect(residuals.time?.n).toBe(3);
    expect(residuals.depth).toMatchObject({ n: 2, median: 1 });
    expect(residuals.magnitude).toMatchObject({ n: 2, median: 0 });
  });

  test("tells magnitude types apart, whatever their case, where there are 10 pairs", () => {
    const many = (n: number, from: number, given: Partial<Event>) =>
      Array.from({ length: n }, (_, i) => quake(5 * (from + i), given));
    const a = [
      ...many(9, 0, { type: "ML" }),
      ...many(3, 9, { type: "ml" }),
      ...many(9, 12, { type: null }),
    ];
    const b = a.map((event) => ({ ...event, type: "Mw", magnitude: 4.5 }));
    const found = compareCatalogues(compared(a, b), OPTIONS).typePairs;
    expect(found).toMatchObject([
      { a: "ML", b: "Mw", n: 12, magnitude: { median: 0.5 }, regressions: { estimate: null } },
    ]);
    expect(found).toHaveLength(1);
  });

  test("of nothing has no residuals", () => {
    const comparison = compareCatalogues(compared([], [quake(0)]), OPTIONS);
    const none = { time: null, distance: null, depth: null, magnitude: null };
    expect(comparison).toMatchObject({ matched: 0, nearThreshold: null, residuals: none });
  });

  test("of a catalogue with its copy has every event in a pair without differences", () => {
    const event = fc.record({
      minute: fc.integer({ min: 0, max: 500 }),
      magnitude: fc.option(fc.integer({ min: 0, max: 80 }).map((tenths) => tenths / 10)),
      longitude: fc.integer({ min: -1800, max: 1800 }).map((tenths) => tenths / 10),
    });
    const distinct = {
      minLength: 1,
      maxLength: 30,
      selector: ({ minute }: { minute: number }) => minute,
    };
    fc.assert(
      fc.property(fc.uniqueArray(event, distinct), (given) => {
        const events = given.map(({ minute, ...rest }) => quake(minute, rest));
        const { matched, residuals, nearThreshold } = compareCatalogues(
          compared(events, events),
          OPTIONS,
        );
        expect(matched).toBe(events.length);
        expect(nearThreshold).toBe(0);
        for (const residual of Object.values(residuals)) {
          expect(residual ?? { median: 0, sigma: 0, p95: 0 }).toMatchObject({
            median: 0,
            sigma: 0,
            p95: 0,
          });
        }
      }),
    );
  });

  test("the other way round has the opposite differences", () => {
    const shifted = fc.array(fc.integer({ min: -150, max: 150 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(shifted, (tenths) => {
        const a = tenths.map((_, i) => quake(5 * i));
        const b = a.map((event, i) => ({
          ...event,
          time: new Date(Date.parse(event.time) + 100 * (tenths[i] ?? 0)).toISOString(),
          depth: 10 + i,
        }));
        const [one, other] = [compared(a, b), compared(b, a)].map(
          (both) => compareCatalogues(both, OPTIONS).residuals,
        );
        expect(other?.time?.median).toBeCloseTo(-(one?.time?.median ?? 0), 9);
        expect(other?.depth?.p05).toBeCloseTo(-(one?.depth?.p95 ?? 0), 9);
        expect(other?.distance).toEqual(one?.distance);
      }),
    );
  });
});
