import { beforeAll, expect, test } from "vitest";
import type { EventOrder } from "#contracts/query/filter-parameters.ts";
import { changedRows } from "#projections/queries/differences/version-diff.ts";
import { pageQuery } from "#projections/queries/events/event-pages.ts";
import {
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import type { PageStart } from "#projections/queries/events/selection.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { planOf } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const EVENTS = 20_000;
let version: ResolvedVersion;

async function addCatalogue(events: number): Promise<ResolvedVersion> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [] });
  await model.writer.query(
    `insert into read_model.seismic_events
       (catalogue_key, revision_from, event_id, time, time_digits, latitude, longitude, magnitude)
     select $1, 1, gen_random_uuid(), timestamptz '2000-01-01' + i * 7919 % 31536000 * interval '1 s',
       0, i % 180 - 90, i % 360 - 180, i % 80 / 10.0
     from generate_series(1, $2::integer) i`,
    [catalogue.key, events],
  );
  return resolveVersion(model.pool, { catalogueId: catalogue.id, reader: SERVICE });
}

beforeAll(async () => {
  await model.writer.query(
    "alter table read_model.seismic_events set (autovacuum_enabled = false)",
  );
  for (let i = 0; i < 50; i += 1) await addCatalogue(100);
  await model.writer.query("analyze read_model.seismic_events");
  // The statistics know nothing of this one, as after an import.
  version = await addCatalogue(EVENTS);
});

const key = {
  magnitude: 4,
  time: "2000-06-01 00:00:00+00",
  id: "00000000-0000-8000-8000-000000000000",
};
const STARTS: PageStart[] = [
  { offset: 0 },
  { offset: 5_000 },
  { key, side: "after" },
  { key, side: "before" },
  { after: key, offset: 500 },
];

const INDEXES: readonly (readonly [EventOrder, string])[] = [
  ["time", "seismic_events_time"],
  ["time-asc", "seismic_events_time"],
  ["magnitude", "seismic_events_magnitude"],
  ["magnitude-asc", "seismic_events_magnitude"],
];

test.each(INDEXES)(
  "pages in the order %s are read along the index %s, without sorting, though the statistics are stale",
  async (order, index) => {
    for (const start of STARTS) {
      for (const limit of [50, 1000]) {
        const query = pageQuery({ version, order, filters: {} }, start, limit);
        const plan = await planOf(model.pool, query);
        expect(plan).toMatch(new RegExp(`Index Scan (Backward )?using ${index} `));
        expect(plan).not.toMatch(/Sort|Bitmap/);
      }
    }
  },
);

test("a window of time is a range of the index", async () => {
  const filters = { startTime: "2000-06-01T00:00:00Z", endTime: "2000-06-02T00:00:00Z" };
  for (const start of STARTS) {
    const query = pageQuery({ version, order: "time", filters }, start, 200);
    const plan = await planOf(model.pool, query);
    expect(plan).toMatch(/using seismic_events_time /);
    expect(plan).toMatch(/Index Cond: .*"time" >= .*"time" <= /);
    expect(plan).not.toMatch(/Sort|Bitmap/);
  }
});

test("a version of few changes is found by them, though others of its number are large", async () => {
  const [large, small] = [await addCatalogue(EVENTS), await addCatalogue(EVENTS)];
  const change = async ({ key }: ResolvedVersion, every: number) => {
    await model.writer.query(
      `insert into read_model.seismic_events
         (catalogue_key, revision_from, event_id, time, time_digits, latitude, longitude, magnitude)
       select catalogue_key, 2, event_id, time, 0, latitude, longitude, 1
       from read_model.seismic_events where catalogue_key = $1 and extract(epoch from time)::bigint % $2 = 0`,
      [key, every],
    );
    await model.writer.query(
      `update read_model.seismic_events set revision_to = 2
       where catalogue_key = $1 and revision_from = 1 and extract(epoch from time)::bigint % $2 = 0`,
      [key, every],
    );
  };
  await change(large, 1);
  await change(small, 199);
  await model.writer.query("analyze read_model.seismic_events");
  const { id, key, hidden } = small;
  const pair = { id, key, hidden, from: 1, to: 2, changes: 100, changesMost: false };
  const plan = await planOf(model.pool, changedRows({ pair, filters: {} }));
  expect(plan).toMatch(/using seismic_events_revision /);
  expect(plan).not.toMatch(/Hash Join|Hash Left|Merge|Seq Scan on seismic_events/);
  await model.writer.query("delete from read_model.seismic_events where catalogue_key = any($1)", [
    [large.key, small.key],
  ]);
});
