import { beforeAll, expect, test } from "vitest";
import { parseFdsnQuery } from "#contracts/fdsn/parse-query.ts";
import {
  countQuery,
  type FacadeFilters,
  facadeRows,
} from "#projections/queries/clients/facade-events.ts";
import {
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { createModelCatalogue } from "../model-catalogue.ts";
import { planOf } from "../plan-of.ts";
import { useReadModel } from "../use-read-model.ts";

const model = useReadModel();
const EVENTS = 20_000;
let latest: ResolvedVersion;
let first: ResolvedVersion;

beforeAll(async () => {
  const catalogue = await createModelCatalogue(model.writer);
  for (let i = 0; i < 3; i += 1) await catalogue.commit({ add: [] });
  await model.writer.query(
    `insert into read_model.seismic_events
       (catalogue_key, revision_from, revision_to, event_id, time, time_digits, latitude, longitude,
        magnitude, source_id, agency_id)
     select $1, case when i % 500 = 0 then 3 else 1 end, case when i % 501 = 0 then 2 end,
       gen_random_uuid(), timestamptz '2000-01-01' + i * 7919 % 31536000 * interval '1 s', 0,
       i % 180 - 90, i % 360 - 180, i % 80 / 10.0, 'ev' || i, case when i % 1000 = 0 then 'WEL' end
     from generate_series(1, $2::integer) i`,
    [catalogue.key, EVENTS],
  );
  await model.writer.query("vacuum analyze read_model.seismic_events");
  const request = { catalogueId: catalogue.id, reader: SERVICE };
  latest = await resolveVersion(model.pool, request);
  first = await resolveVersion(model.pool, { ...request, asOf: "1" });
});

const ALL = { eventIds: null, deleted: null, changedAfter: null } as const;

/** The plans of the first events and of their number. */
async function plansOf(text: string, version: ResolvedVersion, further: Partial<FacadeFilters>) {
  const parsed = parseFdsnQuery(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const query = { ...parsed.query, ...ALL, ...further, limit: 1_001 };
  const rows = facadeRows({ version, query, withUpdated: true, members: "none" });
  return Promise.all([rows, countQuery(version, query)].map((plan) => planOf(model.pool, plan)));
}

test("events are found by their ids here through the primary key, now and in an older version", async () => {
  const eventIds = ["7f3e1b52-9c4d-8a86-8000-000100000001", "7f3e1b52-9c4d-8a86-8000-000100000002"];
  for (const version of [latest, first]) {
    for (const plan of await plansOf("", version, { eventIds })) {
      expect(plan).toMatch(/seismic_events_pkey/);
      expect(plan).not.toMatch(/Seq Scan on seismic_events|seismic_events_time/);
    }
  }
});

test("what a catalogue has no more is found among the superseded rows alone", async () => {
  const deleted = { which: "only", from: 0 } as const;
  for (const plan of await plansOf("", latest, { deleted })) {
    expect(plan).toMatch(/seismic_events_superseded/);
    expect(plan).not.toMatch(/Seq Scan on seismic_events|seismic_events_time/);
  }
});

test("with what it has no more, a catalogue is read in its order, and each event looked up only where it was superseded", async () => {
  const deleted = { which: "also", from: 0 } as const;
  const [rows] = await plansOf("", latest, { deleted });
  expect(rows).toMatch(/Index Scan Backward using seismic_events_time/);
  expect(rows).not.toMatch(/hashed SubPlan|Sort/);
});

test("what few changes a later version has made are found by an index", async () => {
  for (const plan of await plansOf("", latest, { changedAfter: 2 })) {
    expect(plan).toMatch(/seismic_events_revision/);
    expect(plan).not.toMatch(/Seq Scan on seismic_events|seismic_events_time/);
  }
});

test("an agency of few events is not looked for along the whole order of time", async () => {
  const [rows] = await plansOf("contributor=wel", latest, {});
  expect(rows).not.toMatch(/seismic_events_time/);
});
