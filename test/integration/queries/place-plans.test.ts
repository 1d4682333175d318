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
])("a small %s is a range of the index of places", async (_, filters) => {
  const version = await spreadEvents();
  const selection = { version, order: "time", filters } as const;
  const query = pageQuery(selection, { offset: 0 }, 10_000);
  const plan = await planOf(model.pool, query);
  expect(plan).toMatch(/ seismic_events_place /);
  expect(plan).toMatch(IN_PLACE);
});
