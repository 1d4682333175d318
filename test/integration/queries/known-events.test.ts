import fc from "fast-check";
import { type FragmentSqlToken, sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import { bareId, bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  BARE_ID,
  bearsBareId,
  copyKnownEvents,
  copyKnownIds,
  hasPublicId,
  hasSourceId,
  readKnownEvents,
} from "#projections/queries/edits/read-known-events.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { planOf } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

function record(sourceId: string | null, publicId: unknown): SeismicEventRecord {
  return {
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra: publicId === undefined ? null : ({ public_id: publicId } as SeismicEventRecord["extra"]),
  };
}

/** As long as a public id may be; the index holds no more. */
const LONG = `smi:long/${"é".repeat(246)}`;
const STORED: readonly SeismicEventRecord[] = [
  record("1", "smi:a/event/1"),
  record("smi:b/event/1", "smi:b/event/1"),
  record("smi:c/event/1/", undefined),
  record("2024/1", "2024/1"),
  record("query?eventid=1&x=2", "query?eventid=1&x=2"),
  record("2", undefined),
  record(null, "smi:a/event/2"),
  record("{\"'\\", { not: "a text" }),
  record("7", 7),
  record(null, LONG),
  record("too long", "𐐷".repeat(10_000)),
  record(null, undefined),
];
const ids = (sourceId: string | null, publicId: string | null = null): EventIds => ({
  sourceId,
  publicId,
});

/** Those of the records that the ids may mean, by looking through all of them. */
function meant(given: readonly EventIds[]): (string | number | null)[][] {
  return STORED.filter((stored) => {
    const has = idsOf(stored);
    return given.some((one) => {
      const names = [one.sourceId, one.publicId, bareIdOf(one)];
      if (has.sourceId !== null && names.includes(has.sourceId)) return true;
      if (has.publicId !== null && one.publicId === has.publicId) return true;
      return one.publicId === null && one.sourceId !== null && bareIdOf(has) === one.sourceId;
    });
  }).map(namesOf);
}

const namesOf = (event: { source_id?: unknown; extra?: unknown }) => {
  const { sourceId, publicId } = idsOf(event as Parameters<typeof idsOf>[0]);
  return [sourceId, publicId];
};

const anyIds = fc.oneof(
  fc.constantFrom(...STORED.map(idsOf)),
  fc.constantFrom(
    ...["1", "2", "7", "one", "nothing", "{\"'\\"].map((id) => ids(id)),
    ids("1", "smi:c/event/1/"),
    ids("9", "smi:a/event/1"),
    ids("2", "smi:d/2"),
    ids("smi:e/event/2", "smi:e/event/2"),
  ),
);

test("the search for known events finds what ids may mean in the latest version, as looking through all of it does", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await createModelCatalogue(model.writer).then((other) => other.commit({ add: STORED }));
  await catalogue.commit({ add: [...STORED, record("superseded", "smi:a/event/superseded")] });
  const [superseded] = catalogue.events().filter((event) => event.source_id === "superseded");
  if (superseded === undefined) throw new Error("the event is not there");
  await catalogue.open({ update: [{ ...superseded, magnitude: 1 }] });
  const base = await resolveVersion(model.pool, { catalogueId: catalogue.id, reader: SERVICE });
  const client = await model.writer.connect();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(anyIds, { maxLength: 4 }), async (some) => {
        const given = [...some, ids("superseded", "smi:a/event/superseded")];
        const expected = meant(given).sort();
        const read = await readKnownEvents(model.pool, base, given);
        expect(read.map(({ event }) => namesOf(event)).sort()).toEqual(expected);
        const copied = await copyKnownEvents(client, base, given);
        expect(new Set(copied)).toEqual(new Set(read));
        const withoutEvents = read.map(({ event: _, bulletin: __, ...known }) => known);
        expect(new Set(await copyKnownIds(client, base, given))).toEqual(new Set(withoutEvents));
      }),
      { numRuns: runs(100) },
    );
  } finally {
    client.release();
  }
});

test("the bare id is in PostgreSQL what it is here", async () => {
  const anyPart = fc.oneof(
    fc.constantFrom(
      "event",
      "Event#",
      "EVENT",
      "#",
      "",
      "1",
      "?",
      "&",
      "eventid=",
      "evId=2",
      "id=",
    ),
    fc.string({ maxLength: 3 }),
  );
  const anyPublicId = fc
    .array(fc.tuple(anyPart, fc.constantFrom("/", "/", "?", "&", "#", "")), { maxLength: 6 })
    .map((parts) => `smi:a/${parts.flat().join("")}`)
    .filter((id) => !id.includes("\0"));
  const bare = z.object({ bare: z.string() });
  await fc.assert(
    fc.asyncProperty(fc.array(anyPublicId, { minLength: 1, maxLength: 50 }), async (publicIds) => {
      const rows = await model.pool.any(sql.type(bare)`
        select ${BARE_ID} as bare
        from unnest(${sql.array(publicIds, "text")}) with ordinality as given (source_id, place)
        order by place`);
      expect(rows.map((row) => row.bare)).toEqual(publicIds.map(bareId));
    }),
  );
});

test.each<[string, FragmentSqlToken, RegExp]>([
  ["source_id", hasSourceId(["7", "8"]), /Index Scan using seismic_events_source /],
  ["public id", hasPublicId(["smi:a/event/7"]), /Index Scan using seismic_events_public_id /],
  ["bare id in a source_id", bearsBareId(["7"]), /Index Scan using seismic_events_bare_id /],
])("events are looked up by their %s through an index", async (_, condition, plan) => {
  const { key } = await createModelCatalogue(model.writer);
  await model.writer.query(
    `insert into read_model.seismic_events (catalogue_key, revision_from, event_id, time, time_digits,
       latitude, longitude, source_id, extra)
     select $1, 1, gen_random_uuid(), now(), 0, 1, 2,
       case when i % 2 = 0 then 'smi:a/event/' || i else i::text end,
       json_build_object('public_id', 'smi:a/event/' || i)
     from generate_series(1, 20000) i`,
    [key],
  );
  await model.writer.query("analyze read_model.seismic_events");
  const query = sql.fragment`
    select * from read_model.seismic_events
    where catalogue_key = ${key} and revision_to is null and ${condition}`;
  expect(await planOf(model.pool, query)).toMatch(plan);
});
