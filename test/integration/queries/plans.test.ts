import type { Pool } from "pg";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { parseFdsnQuery } from "#contracts/fdsn/query.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { EventOrder } from "#contracts/query/parameters.ts";
import { eventIdForms } from "#contracts/seismic-event/public-ids.ts";
import { PREPARED_SETTINGS } from "#infra/postgres/pool.ts";
import { parameterSql, type SqlToken } from "#infra/postgres/statements.ts";
import { countQuery, type FacadeFilters, facadeRows } from "#projections/read/clients.ts";
import type { PageStart } from "#projections/read/conditions.ts";
import { changedRows } from "#projections/read/differences.ts";
import { bearsBareId, hasPublicId, hasSourceId } from "#projections/read/edits.ts";
import { eventsOfIdQuery, holdersQuery, mergedEventsQuery } from "#projections/read/events.ts";
import { GUEST, type Reader, SERVICE } from "#projections/read/rights.ts";
import { type ResolvedVersion, resolveVersion } from "#projections/read/versions.ts";
import { pageQuery } from "#projections/read/walk.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { type ReadModel, useReadModel } from "./use-read-model.ts";

/** PostgreSQL's plan of a query, as text. */
async function planOf(pool: CommonQueryMethods, query: FragmentSqlToken): Promise<string> {
  const Line = z.object({ "QUERY PLAN": z.string() });
  const lines = await pool.any(sql.type(Line)`explain ${query}`);
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}

/** The plan that prepared statements have, whatever their values. */
async function planAsPrepared(writer: Pool, query: SqlToken): Promise<string> {
  const settings = Object.entries(PREPARED_SETTINGS).map(
    ([name, value]) => `set ${name} to ${value}`,
  );
  const client = await writer.connect();
  await client.query(settings.join("; "));
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (generic_plan) ${parameterSql(query).text}`,
  );
  // Nobody else shall have its settings.
  client.release(true);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** A catalogue of so many events with these columns, of `i` from 1 on, after so many versions without events. */
async function addCatalogue(
  { writer, pool }: ReadModel,
  count: number,
  columns: Readonly<Record<string, string>>,
  versions = 1,
) {
  const catalogue = await createModelCatalogue(writer);
  for (let i = 0; i < versions; i += 1) await catalogue.commit({ add: [] });
  const all = {
    revision_from: "1",
    event_id: "gen_random_uuid()",
    time: "timestamptz '2000-01-01' + i * 7919 % 31536000 * interval '1 s'",
    time_digits: "0",
    latitude: "i % 180 - 90",
    longitude: "i % 360 - 180",
    ...columns,
  };
  await writer.query(
    `insert into read_model.seismic_events (catalogue_key, ${Object.keys(all).join()})
     select $1, ${Object.values(all).join()} from generate_series(1, $2::integer) i`,
    [catalogue.key, count],
  );
  const request = { catalogueId: catalogue.id, reader: SERVICE };
  return { ...(await resolveVersion(pool, request)), first: { ...request, asOf: "1" } };
}

const analyze = ({ writer }: ReadModel) => writer.query("vacuum analyze read_model.seismic_events");

describe("a page", () => {
  const model = useReadModel();
  const MAGNITUDES = { magnitude: "i % 80 / 10.0" };
  let version: ResolvedVersion;
  beforeAll(async () => {
    await model.writer.query(
      "alter table read_model.seismic_events set (autovacuum_enabled = false)",
    );
    for (let i = 0; i < 20; i += 1) await addCatalogue(model, 100, MAGNITUDES);
    await model.writer.query("analyze read_model.seismic_events");
    // The statistics know nothing of this one, as after an import.
    version = await addCatalogue(model, 20_000, MAGNITUDES);
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

  test("is read along the index of its order, without sorting, though the statistics are stale", async () => {
    for (const [order, index] of [
      ["time", "seismic_events_time"],
      ["time-asc", "seismic_events_time"],
      ["magnitude", "seismic_events_magnitude"],
      ["magnitude-asc", "seismic_events_magnitude"],
    ] as const satisfies readonly (readonly [EventOrder, string])[]) {
      for (const start of STARTS) {
        for (const limit of [50, 1000]) {
          const query = pageQuery({ version, order, filters: {} }, start, limit);
          const plan = await planOf(model.pool, query);
          expect(plan).toMatch(new RegExp(`Index Scan (Backward )?using ${index} `));
          expect(plan).not.toMatch(/Sort|Bitmap/);
        }
      }
    }
  });

  test("of a window of time is a range of the index", async () => {
    const filters = { startTime: "2000-06-01T00:00:00Z", endTime: "2000-06-02T00:00:00Z" };
    for (const start of STARTS) {
      const query = pageQuery({ version, order: "time", filters }, start, 200);
      const plan = await planOf(model.pool, query);
      expect(plan).toMatch(/using seismic_events_time /);
      expect(plan).toMatch(/Index Cond: .*"time" >= .*"time" <= /);
      expect(plan).not.toMatch(/Sort|Bitmap/);
    }
  });
});

test("a version of few changes is found by them, though others of its number are large", async () => {
  const large = await addCatalogue(model, 20_000, {});
  const small = await addCatalogue(model, 20_000, {});
  const change = async ({ key }: ResolvedVersion, every: number) => {
    const changed = "catalogue_key = $1 and extract(epoch from time)::bigint % $2 = 0";
    await model.writer.query(
      `insert into read_model.seismic_events
         (catalogue_key, revision_from, event_id, time, time_digits, latitude, longitude, magnitude)
       select catalogue_key, 2, event_id, time, 0, latitude, longitude, 1
       from read_model.seismic_events where ${changed}`,
      [key, every],
    );
    await model.writer.query(
      `update read_model.seismic_events set revision_to = 2 where revision_from = 1 and ${changed}`,
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
});
const model = useReadModel();

describe("a place", () => {
  const places = useReadModel();
  let version: ResolvedVersion;
  beforeAll(async () => {
    // All over the Earth.
    version = await addCatalogue(places, 20_000, {
      time: "timestamptz '2000-01-01' + i * interval '1 s'",
      latitude: "i * 7919 % 18000 / 100.0 - 90",
      longitude: "i * 104729 % 36000 / 100.0 - 180",
    });
    await analyze(places);
  });
  const planned = (filters: EventFilters, limit: number) =>
    planOf(places.pool, pageQuery({ version, order: "time", filters }, { offset: 0 }, limit));

  test("that is small is a range of the index of places", async () => {
    const small: EventFilters[] = [
      { minLatitude: 10, maxLatitude: 10.5, minLongitude: 20, maxLongitude: 20.5 },
      { latitude: 10, longitude: 20, maxRadiusKm: 30 },
      { polygon: "POLYGON((20 10,20.5 10.2,20.4 10.5,20.1 10.4,20 10))" },
    ];
    for (const filters of small) {
      const plan = await planned(filters, 10_000);
      expect(plan).toMatch(/ seismic_events_place /);
      const range = /Index Cond: .*latitude >= .*latitude <= .*longitude >= .*longitude <= /;
      expect(plan).toMatch(range);
    }
  });

  test("that is a polygon is as selective to the planner as its box, and scanned as that is", async () => {
    /** How many rows the planner expects of the whole table. */
    const rowsExpected = async (filters: EventFilters) =>
      Number(/ rows=(\d+) /.exec(await planned(filters, 1_000_000))?.[1]);
    const scanOf = async (filters: EventFilters) => {
      const scan = /(?:Index|Bitmap|Seq|Parallel)[A-Za-z ]* Scan[a-z ]*(?:using \w+)?/;
      return scan.exec(await planned(filters, 100))?.[0];
    };
    for (const [west, east] of [
      [20, 25],
      [-60, 60],
    ] as const) {
      const box = { minLongitude: west, maxLongitude: east, minLatitude: 0, maxLatitude: 30 };
      const middle = (west + east) / 2;
      const polygon = `POLYGON((${west} 15,${middle} 0,${east} 15,${middle} 30,${west} 15))`;
      const share = (await rowsExpected({ polygon })) / (await rowsExpected(box));
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.1);
      expect(await scanOf({ polygon })).toBe(await scanOf(box));
    }
  });
});

describe("the event service", () => {
  const facade = useReadModel();
  const ALL = { eventIds: null, deleted: null, changedAfter: null } as const;
  let latest: ResolvedVersion;
  let first: ResolvedVersion;
  beforeAll(async () => {
    const columns = {
      revision_from: "case when i % 500 = 0 then 3 else 1 end",
      revision_to: "case when i % 501 = 0 then 2 end",
      magnitude: "i % 80 / 10.0",
      source_id: "'ev' || i",
      agency_id: "case when i % 1000 = 0 then 'WEL' end",
    };
    const added = await addCatalogue(facade, 20_000, columns, 3);
    await analyze(facade);
    latest = added;
    first = await resolveVersion(facade.pool, added.first);
  });

  /** The plans of the first events and of their number. */
  async function plansOf(text: string, version: ResolvedVersion, further: Partial<FacadeFilters>) {
    const parsed = parseFdsnQuery(text);
    if (!parsed.ok) throw new Error(parsed.fault.message);
    const query = { ...parsed.query, ...ALL, ...further, limit: 1_001 };
    const rows = facadeRows({ version, query, withUpdated: true, members: "none" });
    const plans = [rows, countQuery(version, query)].map((plan) => planOf(facade.pool, plan));
    return Promise.all(plans);
  }

  test("finds events by ids, few changes and what was removed through indexes, and a rare agency not along the whole order of time", async () => {
    const eventIds = [1, 2].map((i) => `7f3e1b52-9c4d-8a86-8000-00010000000${i}`);
    const alone = { which: "only", from: 0 } as const;
    for (const [index, version, further] of [
      ["pkey", latest, { eventIds }],
      ["pkey", first, { eventIds }],
      ["superseded", latest, { deleted: alone }],
      ["revision", latest, { changedAfter: 2 }],
    ] as const) {
      for (const plan of await plansOf("", version, further)) {
        expect(plan).toContain(`seismic_events_${index}`);
        expect(plan).not.toMatch(/Seq Scan on seismic_events|seismic_events_time/);
      }
    }
    // Each event is looked up only where it was superseded.
    const [also] = await plansOf("", latest, { deleted: { which: "also", from: 0 } });
    expect(also).toMatch(/Index Scan Backward using seismic_events_time/);
    expect(also).not.toMatch(/hashed SubPlan|Sort/);
    const [rare] = await plansOf("contributor=wel", latest, {});
    expect(rare).not.toMatch(/seismic_events_time/);
  });
});

describe("an id", () => {
  const ids = useReadModel();
  let version: ResolvedVersion;
  beforeAll(async () => {
    // Of all kinds; version 2 removes half of the events.
    const columns = {
      revision_to: "case when i % 2 = 0 then 2 end",
      source_id: "case when i % 9 = 0 then 'smi:a/' else '' end || 'ev' || i",
      extra: "json_build_object('public_id', 'smi:b/ev' || i)",
    };
    version = await addCatalogue(ids, 20_000, columns, 3);
    await analyze(ids);
  });
  /** To all events of a catalogue. */
  const WRONG_WAYS =
    /Seq Scan on (?:seismic_events|merge_members)|seismic_events_(?:time|revision|superseded|place)/;

  function expectLookedUp(plan: string): void {
    for (const name of ["source", "public_id", "bare_id"]) {
      expect(plan).toMatch(new RegExp(`seismic_events_${name} `));
      expect(plan).toMatch(new RegExp(`seismic_events_former_${name} `));
    }
    expect(plan).not.toMatch(WRONG_WAYS);
  }

  test("is looked up through indexes alone, of current rows and of former ones, in one catalogue and in all", async () => {
    const ten = Array.from({ length: 10 }, (_, i) => `ev${i + 1}`);
    const hex = "7f3e1b529c4d8a868000000100000001";
    for (const asked of [[hex], ["ev77"], ["smi:nz.org.geonet/ev77"], ten]) {
      const query = holdersQuery({ ...version, from: 0 }, asked.map(eventIdForms));
      expectLookedUp(await planOf(ids.pool, query));
    }
    const user: Reader = { kind: "user", userId: "user_1_one", role: "viewer", catalogues: null };
    for (const reader of [GUEST, user]) {
      const query = eventsOfIdQuery(reader, eventIdForms("smi:nz.org.geonet/ev77"));
      expectLookedUp(await planAsPrepared(ids.writer, query));
      const merged = mergedEventsQuery(reader, ["00000000-0000-8000-8000-000000000000"]);
      const ofMembers = await planAsPrepared(ids.writer, merged);
      expect(ofMembers).toMatch(/merge_members_pkey/);
      expect(ofMembers).not.toMatch(WRONG_WAYS);
    }
  });

  test("of each kind has its index, by which events are known again", async () => {
    for (const [index, condition] of [
      ["source", hasSourceId(["7", "8"])],
      ["public_id", hasPublicId(["smi:a/event/7"])],
      ["bare_id", bearsBareId(["7"])],
    ] as const) {
      const plan = await planOf(
        ids.pool,
        sql.fragment`select * from read_model.seismic_events
          where catalogue_key = ${version.key} and revision_to is null and ${condition}`,
      );
      expect(plan).toContain(`Index Scan using seismic_events_${index} `);
    }
  });
});
