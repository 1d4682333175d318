import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { eventId } from "#contracts/seismic-event/ids.ts";
import { columnsOf, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { KEYED_TABLES, smallestBox } from "#projections/catalogues/revision-rows.ts";
import { inPieces, removeLeftRows } from "#projections/engine/left-rows.ts";
import { LIVE_SCHEMA } from "#projections/engine/projection.ts";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import type { CommandContext } from "#services/context.ts";
import { changeEventCommand, removeEventCommand } from "#services/events/commands.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import {
  createdFrom,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import { eventEditOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { runs } from "../../support/runs.ts";
import { addRecords } from "./additions.ts";
import { dumpReadModel, rebuildReadModel } from "./read-model.ts";

const catalogues = useCatalogues("postgres");
/** Of what is rebuilt as a whole. */
const few = useCatalogues("postgres");
const TEMPLATE = generatedRecords(1, 1)[0] as SeismicEventRecord;
const SOURCE_IDS = 16;

async function rowsOf<T extends object>(
  query: string,
  values: unknown[] = [],
  { projectorPool } = catalogues,
): Promise<T[]> {
  return (await projectorPool.query<T>(query, values)).rows;
}

/** What distinguishes the versions of an event here; all else is the same. */
type Shown = Pick<
  SeismicEventRecord,
  "source_id" | "latitude" | "longitude" | "depth" | "magnitude"
>;
type State = ReadonlyMap<string, Shown>;

/** A negative zero does not survive JSON. */
const finite = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const anyLongitude = fc.oneof(
  fc.integer({ min: -180, max: 180 }),
  fc.integer({ min: -6, max: 6 }).map((sixth) => sixth * 30),
  finite(-180, 180),
  fc.constantFrom(-180, 180, 179.999, -179.995, 178, -178),
);
const anyShown: fc.Arbitrary<Shown> = fc.record({
  source_id: fc.nat(SOURCE_IDS - 1).map((i) => `eq${i}`),
  latitude: finite(-90, 90),
  longitude: anyLongitude,
  depth: fc.integer({ min: 0, max: 700 }),
  magnitude: finite(-3, 10),
});
/** Source ids of one submission are different. */
const someShown = fc.uniqueArray(anyShown, {
  selector: ({ source_id }) => source_id,
  maxLength: 12,
});
/** One command. The `given up` ones fail after their chunks are written. */
const anyStep = fc.record({
  kind: fc.constantFrom("add", "replace", "move", "deepen", "remove"),
  pick: fc.nat(),
  events: someShown.map((events) => events.slice(0, 4)),
  to: anyShown,
  givenUp: fc.boolean(),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const recordOf = (shown: Shown): SeismicEventRecord => ({ ...TEMPLATE, ...shown, extra: null });

/** The event that a step is about, if the catalogue has any. */
const picked = (state: State, { pick }: Step) => [...state.keys()][pick % Math.max(state.size, 1)];

const patchOf = ({ kind, to: { longitude, latitude, magnitude, depth } }: Step) =>
  kind === "deepen" ? { depth } : { longitude, latitude, magnitude };

/** What a step makes of a catalogue's state, by the words of the contract; events added get ids of `revision`. */
function replay(state: State, step: Step, catalogueId: string, revision: number): State {
  const next = new Map(state);
  const id = picked(state, step) ?? "";
  const before = state.get(id);
  if (step.kind === "remove") next.delete(id);
  else if (step.kind === "move" || step.kind === "deepen") {
    if (before) next.set(id, { ...before, ...patchOf(step) });
  } else {
    let added = 0;
    for (const shown of step.events) {
      const there = [...state].find(([, { source_id }]) => source_id === shown.source_id);
      if (there === undefined) next.set(eventId(catalogueId, revision, added++), shown);
      else if (step.kind === "replace") next.set(there[0], shown);
    }
  }
  return next;
}

async function perform(by: CommandContext, catalogueId: string, state: State, step: Step) {
  if (step.kind === "add" || step.kind === "replace") {
    const updateExisting = step.kind === "replace";
    const records = step.events.map(recordOf);
    return addRecords(catalogues, catalogueId, records, { updateExisting }, by);
  }
  const id = picked(state, step);
  if (id === undefined) return null;
  return step.kind === "remove"
    ? removeEventCommand(eventEditOf(by, catalogueId, id))
    : changeEventCommand(eventEditOf(by, catalogueId, id), patchOf(step));
}

/** What revision `version` sees, by the rule of the read model and nothing else. */
async function readAsOf(catalogueId: string, version: number): Promise<State> {
  const rows = await rowsOf<Shown & { event_id: string }>(
    `select e.event_id, e.source_id, e.latitude, e.longitude, e.depth, e.magnitude
     from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key
     where c.id = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)`,
    [catalogueId, version],
  );
  const state = new Map(rows.map(({ event_id, ...shown }) => [event_id, shown]));
  expect(state.size).toBe(rows.length);
  return state;
}

const sorted = (state: State) =>
  [...state]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { source_id, latitude, longitude, depth, magnitude }]) => {
      return [id, source_id, latitude, longitude, depth, magnitude];
    });

type Box = { readonly west: number | null; readonly east: number | null };

async function boxOf(id: string): Promise<Box> {
  const [box] = await rowsOf<Box>(
    "select box_west as west, box_east as east from read_model.catalogues where id = $1",
    [id],
  );
  return box as Box;
}

const MIGRATION = join(
  import.meta.dirname,
  "../../../infra/postgres/migrations/0034-boxes-of-catalogues.sql",
);

/** The box that the migration gives a catalogue of an older installation. */
async function migratedBox(id: string): Promise<Box> {
  const text = await readFile(MIGRATION, "utf8");
  await rowsOf("update read_model.catalogues set box_west = null, box_east = null");
  await rowsOf(text.slice(text.indexOf("update read_model.catalogues")));
  return boxOf(id);
}

/** Degrees from one longitude to another, going east. */
const eastwards = (from: number, to: number) => (((to - from) % 360) + 360) % 360;

/** The oracle: of the boxes that begin at an event and end at the last one eastwards, the narrowest's width. */
function leastWidth(longitudes: readonly number[]): number {
  const widths = longitudes.map((west) =>
    Math.max(...longitudes.map((longitude) => eastwards(west, longitude))),
  );
  return Math.min(...widths);
}

function expectSmallest({ west, east }: Box, longitudes: readonly number[]): void {
  if (longitudes.length === 0) {
    expect({ west, east }).toEqual({ west: null, east: null });
    return;
  }
  expect(longitudes).toContain(west);
  expect(longitudes).toContain(east);
  const width = eastwards(west ?? 0, east ?? 0);
  expect(width).toBeCloseTo(leastWidth(longitudes), 9);
  for (const longitude of longitudes) {
    expect(eastwards(west ?? 0, longitude)).toBeLessThanOrEqual(width + 1e-9);
  }
}

test("whatever is done, every version is read as the commands up to it have left the catalogue, with its counts, bounds and smallest box", async () => {
  const { context } = catalogues;
  const fullDisk = withFullDisk(context, "RevisionCommitted");
  const steps = fc.array(anyStep, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(someShown, steps, async (given, taken) => {
      const id = await createdFrom(context, given.map(recordOf));
      let state: State = new Map(given.map((shown, i) => [eventId(id, 1, i), shown]));
      const versions = new Map([[1, state]]);
      const longitudes = () => [...state.values()].map(({ longitude }) => longitude);
      expectSmallest(await boxOf(id), longitudes());
      let revision = 1;
      for (const step of taken) {
        const next = replay(state, step, id, revision + 1);
        const changes = JSON.stringify(sorted(next)) !== JSON.stringify(sorted(state));
        if (changes) revision += 1;
        if (changes && step.givenUp) {
          await expect(perform(fullDisk, id, state, step)).rejects.toThrow("the disk is full");
          continue;
        }
        const done = await perform(context, id, state, step);
        if (!changes) continue;
        expect(done?.version).toBe(revision);
        state = next;
        versions.set(revision, state);
        expectSmallest(await boxOf(id), longitudes());
      }
      for (const [version, expected] of versions) {
        expect(sorted(await readAsOf(id, version))).toEqual(sorted(expected));
      }
      const counts = await rowsOf(
        `select v.version, v.event_count as size from read_model.catalogue_versions v
         join read_model.catalogues c on c.key = v.catalogue_key where c.id = $1 order by v.version`,
        [id],
      );
      expect(counts).toEqual([...versions].map(([version, { size }]) => ({ version, size })));
      const catalogue = await catalogueById(context.pool, id, SERVICE);
      const columns = columnsOf([...state.values()].map(recordOf));
      expect(catalogue).toMatchObject({ ...boundsOf(columns), event_count: state.size });
      const box = await boxOf(id);
      expect(await migratedBox(id)).toEqual(box);
    }),
    { numRuns: runs(120, 1 / 10), endOnFailure: true },
  );
});

test("a box around all the world leaves out the widest gap, however narrow", async () => {
  const statements = statementsOn(catalogues.projectorPool);
  const boxWithout = (hundredths: number) =>
    smallestBox(
      statements,
      sql.fragment`(select (i - 18000) / 100.0::float8 as longitude
        from generate_series(0, 35999) i) events where longitude <> ${hundredths}::float8`,
    );
  expect(await boxWithout(12)).toMatchObject({ west: 12.01, east: 11.99 });
  const closed = await boxWithout(500);
  expect(eastwards(closed?.west ?? 0, closed?.east ?? 0)).toBeCloseTo(359.99, 6);
});

test("rows of a revision lie on disk in order of time and have the ids of their records, in whatever order they come", async () => {
  const { context, projectorPool } = few;
  const records = generatedRecords(21, 2_100);
  const id = await createdFrom(context, records);
  const changed = records.slice(0, 50).map((record) => ({ ...record, depth: 7 }));
  const further = generatedRecords(23, 50).map((record, i) => ({ ...record, source_id: `n${i}` }));
  await addRecords(few, id, [...changed, ...further], { updateExisting: true });
  // From the log all chunks come at once; beside a running upload they come as they are written.
  await rebuildReadModel(projectorPool, context.log);
  type Row = Pick<SeismicEventRecord, "source_id" | "depth"> & { id: string; revision: number };
  const rows = await rowsOf<Row & { time: string; ends: number | null }>(
    `select e.event_id as id, e.source_id, e.depth, e.revision_from as revision, e.time,
       e.revision_to as ends
     from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key where c.id = $1 order by e.ctid`,
    [id],
    few,
  );
  const untouched = rows.filter(({ revision, ends }) => revision === 1 && ends === null);
  const times = untouched.map(({ time }) => time);
  expect(times).toHaveLength(records.length - changed.length);
  expect(times).toEqual(times.toSorted());
  expect(records.map(({ time }) => time)).not.toEqual(records.map(({ time }) => time).toSorted());
  const rowOf = (of: number, revision: number) => (record: SeismicEventRecord, index: number) => {
    const { source_id, depth } = record;
    return { id: eventId(id, of, index), source_id, depth, revision };
  };
  const expected = [
    ...records.map(rowOf(1, 1)),
    ...changed.map(rowOf(1, 2)),
    ...further.map(rowOf(2, 2)),
  ];
  const keyOf = (row: Row) => `${row.id} ${row.revision}`;
  const byKey = (a: Row, b: Row) => keyOf(a).localeCompare(keyOf(b));
  const found = rows.map(({ time: _, ends: __, ...row }) => row);
  expect(found.toSorted(byKey)).toEqual(expected.toSorted(byKey));
});

test("statistics are fresh once a revision is visible that changes more than a tenth", async () => {
  /** How many rows PostgreSQL takes the table to have; ANALYZE sets it in its transaction. */
  const estimatedRows = async () => {
    const [row] = await rowsOf<{ reltuples: number }>(
      "select reltuples from pg_class where oid = 'read_model.seismic_events'::regclass",
    );
    return Number(row?.reltuples);
  };
  const id = await createdFrom(catalogues.context, generatedRecords(24, 10_001));
  const created = await estimatedRows();
  expect(created).toBeGreaterThanOrEqual(10_001);
  const few = generatedRecords(25, 100).map((record, i) => ({ ...record, source_id: `few${i}` }));
  await addRecords(catalogues, id, few, { updateExisting: false });
  expect(await estimatedRows()).toBe(created);
});

test("what deleted catalogues leave is removed from every table, and nothing else, and their keys are never another's", async () => {
  const { context, projectorPool } = few;
  const remove = (id: string) => deleteCatalogueCommand(context, newCommand(), id, null);
  const keyOf = async (id: string) => {
    const [row] = await rowsOf<{ key: number }>(
      "select key from read_model.catalogues where id = $1",
      [id],
      few,
    );
    return row?.key ?? 0;
  };
  const [first, last] = [
    await createdFrom(context, generatedRecords(1, 60)),
    await createdFrom(context, generatedRecords(3, 30)),
  ];
  const key = await keyOf(last);
  for (const id of [first, last]) await remove(id);
  const kept = await createdFrom(context, generatedRecords(2, 20));
  const keptKey = await keyOf(kept);
  expect(keptKey).toBeGreaterThan(key);
  // As a merge and bulletins of the deleted would have left them.
  await rowsOf(
    `insert into read_model.merge_members values (gen_random_uuid(), 999, gen_random_uuid(), 1);
     insert into read_model.bulletins values (gen_random_uuid(), 999, 1, 0, 0, '');
     insert into read_model.bulletin_magnitudes values (gen_random_uuid(), 999, 1, 0, 5, true)`,
    [],
    few,
  );
  const { signal } = new AbortController();
  const { tables } = cataloguesProjection;
  const sweep = () => removeLeftRows(inPieces(projectorPool, LIVE_SCHEMA), tables, signal);
  await sweep();
  // The projector may be about it too.
  for (const { name } of KEYED_TABLES) {
    const left = `select distinct catalogue_key from read_model.${name}
      where catalogue_key not in (select key from read_model.catalogues)`;
    await expect.poll(() => rowsOf(left, [], few)).toEqual([]);
  }
  const there = "select from read_model.seismic_events where catalogue_key = $1";
  expect(await rowsOf(there, [keptKey], few)).toHaveLength(20);

  // While catalogues come and go, rows are removed of none that is there.
  let removing = true;
  const sweeping = (async () => {
    while (removing) await sweep();
  })();
  for (let i = 0; i < 5; i += 1) {
    const made = await Promise.all(
      [1, 2].map((n) => createdFrom(context, generatedRecords(10 * i + n, 30))),
    );
    await remove(made[i % 2] ?? "");
    if (i % 3 === 0) await remove(made[1 - (i % 2)] ?? "");
  }
  removing = false;
  await sweeping;
  const live = await dumpReadModel(projectorPool);
  await rebuildReadModel(projectorPool, context.log);
  expect(await dumpReadModel(projectorPool)).toEqual(live);
  expect(await keyOf(kept)).toBe(keptKey);
});
