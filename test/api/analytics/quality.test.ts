import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVALUATION_STATUSES } from "#contracts/seismic-event/enumerations.ts";
import { QUALITY_ATTRIBUTES } from "#services/domain/statistics/quality/quality-attributes.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { distributionOf, gradeOf } from "../../support/statistics/oracles.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

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

  test("of no events has no estimate", async () => {
    expect(await qualityOf([])).toMatchObject({ estimate: null, n: 0, required: 1, bins: [] });
  });
});

/** Numbers without the digits in which two libraries may differ. */
function near(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) =>
    typeof member === "number" ? Number(member.toPrecision(11)) : member,
  );
}
