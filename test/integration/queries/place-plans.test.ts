import { sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import { PREPARED_SETTINGS } from "#infra/postgres/prepared-statements.ts";
import type { FilterValues } from "#projections/queries/event-filters.ts";
import { pageQuery } from "#projections/queries/event-pages.ts";
import { boxQuery } from "#projections/queries/read-page.ts";
import { type ResolvedVersion, resolveVersion } from "#projections/queries/resolve-version.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
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
  return resolveVersion(model.pool, { catalogueId: catalogue.id, isGuest: false });
}

const IN_PLACE = /Index Cond: .*latitude >= .*latitude <= .*longitude >= .*longitude <= /;

test.each<[string, FilterValues]>([
  ["box", { minLatitude: 10, maxLatitude: 10.5, minLongitude: 20, maxLongitude: 20.5 }],
  ["circle", { latitude: 10, longitude: 20, maxRadiusKm: 30 }],
])("a small %s is a range of the index of places", async (_, filters) => {
  const version = await spreadEvents();
  const selection = { version, order: "time", filters } as const;
  const query = pageQuery(selection, { offset: 0 }, 10_000);
  const line = z.object({ "QUERY PLAN": z.string() });
  const lines = await model.pool.any(sql.type(line)`explain ${query}`);
  const plan = lines.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/ seismic_events_place /);
  expect(plan).toMatch(IN_PLACE);
});

test("the same for a box whose statement is planned once whatever its values", async () => {
  const version = await spreadEvents();
  const filters = { minLatitude: 10, maxLatitude: 11, minLongitude: 20, maxLongitude: 21 };
  const { sql: text } = boxQuery({ version, order: "time", filters }, 200);
  const settings = Object.entries(PREPARED_SETTINGS).map(
    ([name, value]) => `set ${name} to ${value}`,
  );
  const client = await model.writer.connect();
  await client.query(settings.join("; "));
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (generic_plan) ${text.replaceAll("$slonik_", "$")}`,
  );
  // Nobody else shall have its settings.
  client.release(true);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/ seismic_events_place /);
  expect(plan).toMatch(IN_PLACE);
});
