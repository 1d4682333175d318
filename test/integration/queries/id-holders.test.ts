import fc from "fast-check";
import { expect, test } from "vitest";
import { eventIdForms, meantBy } from "#contracts/fdsn/event-id-forms.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  holdersQuery,
  type IdHolder,
  leadsTo,
  readIdHolders,
} from "#projections/queries/edits/id-holders.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { planOf } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

/** Ids as events have them, which share bare ids and change places. */
const NAMES: readonly [string | null, string | null][] = [
  ["a1", null],
  ["b2", null],
  ["a1", "smi:x/event/a1"],
  ["smi:y/event/a1", null],
  ["smi:y/event/b2", "smi:y/event/b2"],
  [null, "smi:x/event/b2"],
  [null, null],
];
const ASKED = ["a1", "b2", "smi:x/event/a1", "smi:y/event/a1", "smi:x/event/b2", "c3", "smi:z/a1"];

function record([sourceId, publicId]: (typeof NAMES)[number]): SeismicEventRecord {
  return {
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra: publicId === null ? null : { public_id: publicId },
  };
}

const anyNames = fc.constantFrom(...NAMES);
/** A step takes the event by its place among those that are there, where it takes one. */
const anyStep = fc.oneof(
  fc.record({ add: fc.array(anyNames, { minLength: 1, maxLength: 2 }) }),
  fc.record({ rename: fc.nat(9), to: anyNames }),
  fc.record({ remove: fc.nat(9) }),
  fc.record({ restore: fc.nat(9), as: anyNames }),
  fc.constant({ abandon: true as const }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

async function take(catalogue: ModelCatalogue, step: Step): Promise<void> {
  const there = catalogue.events();
  const at = (place: number) => there[place % Math.max(there.length, 1)];
  if ("add" in step) {
    await catalogue.commit({ add: step.add.map(record) });
  } else if ("rename" in step) {
    const event = at(step.rename);
    if (event) await catalogue.commit({ update: [{ ...event, ...record(step.to) }] });
  } else if ("remove" in step) {
    const event = at(step.remove);
    if (event) await catalogue.commit({ remove: [event.id] });
  } else if ("restore" in step) {
    const ids = new Set(there.map(({ id }) => id));
    const gone = everSeen(catalogue, 0, catalogue.latest()).filter((id) => !ids.has(id));
    const id = gone[step.restore % Math.max(gone.length, 1)];
    if (id !== undefined) await catalogue.commit({ update: [{ id, ...record(step.as) }] });
  } else {
    const [event] = there;
    await catalogue.open({ add: [record(["c3", null])], remove: event ? [event.id] : [] });
    await catalogue.abandon();
  }
}

function everSeen({ versions }: ModelCatalogue, from: number, to: number): string[] {
  const seen = [...versions].filter(([version]) => version >= from && version <= to);
  return [...new Set(seen.flatMap(([, events]) => [...events.keys()]))];
}

/** Who has or had an id, by looking through all events of all versions. */
function holdersIn(
  { versions }: ModelCatalogue,
  asked: string,
  { from, version }: { readonly from: number; readonly version: number },
): IdHolder[] {
  const holders = new Map<string, IdHolder>();
  for (const [number, events] of versions) {
    if (number < from || number > version) continue;
    for (const event of events.values()) {
      const { sourceId = null, extra } = { sourceId: event.source_id, extra: event.extra };
      const { publicId } = idsOf({ extra });
      const by = meantBy(eventIdForms(asked), { id: event.id, sourceId, publicId });
      if (by === null) continue;
      const isThere = versions.get(version)?.has(event.id) ?? false;
      const has = number === version;
      holders.set(event.id, { eventId: event.id, by, has, last: number, isThere });
    }
  }
  return [...holders.values()];
}

const byId = (a: IdHolder, b: IdHolder) => a.eventId.localeCompare(b.eventId);

test("every id that an event ever had leads to it, from the versions that may be read alone", async () => {
  const steps = fc.array(anyStep, { minLength: 1, maxLength: 12 });
  const history = fc.record({ steps, first: fc.nat(9), read: fc.nat(12), isOpen: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(history, async ({ steps: all, first, read, isOpen }) => {
      const catalogue = await createModelCatalogue(model.writer);
      await catalogue.commit({ add: [record(["a1", null]), record(["b2", null])] });
      for (const step of all) await take(catalogue, step);
      const [someone] = catalogue.events();
      if (isOpen) await catalogue.open({ remove: someone ? [someone.id] : [] });
      const numbers = [...catalogue.versions.keys()];
      const version = numbers[read % numbers.length] ?? 0;
      const from = [0, ...numbers.filter((number) => number <= version)][first] ?? 0;
      const request = { catalogueId: catalogue.id, asOf: String(version), reader: SERVICE };
      const scope = { ...(await resolveVersion(model.pool, request)), from };
      const own = everSeen(catalogue, 0, catalogue.latest());
      const asked = [...ASKED, ...own, ...own.map((id) => id.replaceAll("-", ""))];
      const found = await readIdHolders(model.pool, scope, asked);
      for (const id of asked) {
        const expected = holdersIn(catalogue, id, scope);
        expect(found.get(id)?.toSorted(byId)).toEqual(expected.toSorted(byId));
        const isHeld = expected.some(({ has }) => has);
        const meant = expected.filter(({ has, isThere }) => (isHeld ? has : isThere));
        expect(leadsTo(found.get(id) ?? []).toSorted(byId)).toEqual(meant.toSorted(byId));
      }
      await catalogue.remove();
      const none = await readIdHolders(model.pool, scope, asked);
      expect([...none.values()].flat()).toEqual([]);
    }),
    { numRuns: runs(150) },
  );
});

test.each([
  "7f3e1b529c4d8a868000000100000001",
  "ev77",
  "smi:nz.org.geonet/ev77",
  "ev1,ev2,ev3,ev4,ev5,ev6,ev7,ev8,ev9,ev10",
])(
  "events of %s are looked up through indexes alone, of current rows and of former ones",
  async (ids) => {
    const catalogue = await createModelCatalogue(model.writer);
    for (let i = 0; i < 3; i += 1) await catalogue.commit({ add: [] });
    await model.writer.query(
      `insert into read_model.seismic_events
       (catalogue_key, revision_from, revision_to, event_id, time, time_digits, latitude, longitude,
        source_id, extra)
     select $1, 1, case when i % 2 = 0 then 2 end, gen_random_uuid(), timestamptz '2000-01-01', 0, 1, 2,
       case when i % 9 = 0 then 'smi:a/' else '' end || 'ev' || i,
       json_build_object('public_id', 'smi:b/ev' || i)
     from generate_series(1, 20000) i`,
      [catalogue.key],
    );
    await model.writer.query("vacuum analyze read_model.seismic_events");
    const scope = await resolveVersion(model.pool, { catalogueId: catalogue.id, reader: SERVICE });
    const forms = ids.split(",").map(eventIdForms);
    const plan = await planOf(model.pool, holdersQuery({ ...scope, from: 0 }, forms));
    for (const name of ["source", "public_id", "bare_id"]) {
      expect(plan).toMatch(new RegExp(`seismic_events_${name} `));
      expect(plan).toMatch(new RegExp(`seismic_events_former_${name} `));
    }
    expect(plan).not.toMatch(/Seq Scan on seismic_events|seismic_events_time/);
  },
);
