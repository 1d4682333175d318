import { expect, test } from "vitest";
import type { EventFilters } from "#contracts/query/filters.ts";
import { pageQuery } from "#projections/queries/events/event-pages.ts";
import {
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { planOf } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

/** 20,000 events all over the Earth. */
async function spreadEvents(): Promise<ResolvedVersion> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [] });
  await model.writer.query(
    `insert into read_model.seismic_events
       (catalogue_key, revision_from, event_id, time, time_digits, latitude, longitude)
     select $1, 1, gen_random_uuid(), timestamptz '2000-01-01' + i * interval '1 s',
       0, i * 7919 % 18000 / 100.0 - 90, i * 104729 % 36000 / 100.0 - 180
     from generate_series(1, 20000) i`,
    [catalogue.key],
  );
  await model.writer.query("analyze read_model.seismic_events");
  return resolveVersion(model.pool, { catalogueId: catalogue.id, reader: SERVICE });
}

const IN_PLACE = /Index Cond: .*latitude >= .*latitude <= .*longitude >= .*longitude <= /;

test.each<[string, EventFilters]>([
  ["box", { minLatitude: 10, maxLatitude: 10.5, minLongitude: 20, maxLongitude: 20.5 }],
  ["circle", { latitude: 10, longitude: 20, maxRadiusKm: 30 }],
  ["polygon", { polygon: "POLYGON((20 10,20.5 10.2,20.4 10.5,20.1 10.4,20 10))" }],
])("a small %s is a range of the index of places", async (_, filters) => {
  const version = await spreadEvents();
  const selection = { version, order: "time", filters } as const;
  const query = pageQuery(selection, { offset: 0 }, 10_000);
  const plan = await planOf(model.pool, query);
  expect(plan).toMatch(/ seismic_events_place /);
  expect(plan).toMatch(IN_PLACE);
});

/** How many rows the planner expects of the whole table by these filters. */
async function rowsExpected(version: ResolvedVersion, filters: EventFilters): Promise<number> {
  const selection = { version, order: "time", filters } as const;
  const plan = await planOf(model.pool, pageQuery(selection, { offset: 0 }, 1_000_000));
  return Number(/ rows=(\d+) /.exec(plan)?.[1]);
}

test.each([
  ["small", 20, 25],
  ["large", -60, 60],
])(
  "a %s polygon is as selective to the planner as its box, and scanned as that is",
  async (_, west, east) => {
    const version = await spreadEvents();
    const box = { minLongitude: west, maxLongitude: east, minLatitude: 0, maxLatitude: 30 };
    const middle = (west + east) / 2;
    const polygon = `POLYGON((${west} 15,${middle} 0,${east} 15,${middle} 30,${west} 15))`;
    const ofBox = await rowsExpected(version, box);
    const ofPolygon = await rowsExpected(version, { polygon });
    expect(ofPolygon / ofBox).toBeGreaterThan(0.9);
    expect(ofPolygon / ofBox).toBeLessThan(1.1);
    const planOfFilters = (filters: EventFilters) =>
      planOf(model.pool, pageQuery({ version, order: "time", filters }, { offset: 0 }, 100));
    const scanOf = (plan: string) =>
      /(?:Index|Bitmap|Seq|Parallel)[A-Za-z ]* Scan[a-z ]*(?:using \w+)?/.exec(plan)?.[0];
    expect(scanOf(await planOfFilters({ polygon }))).toBe(scanOf(await planOfFilters(box)));
  },
);
