import fc from "fast-check";
import { expect, test } from "vitest";
import { eventIdForms, meantBy } from "#contracts/fdsn/event-id-forms.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import {
  holdersQuery,
  type IdHolder,
  leadsTo,
  readIdHolders,
} from "#projections/queries/edits/id-holders.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { ASKED, anyStep, everSeen, fillWithIds, record, take } from "./id-histories.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { planOf } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

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
    await fillWithIds(model.writer, catalogue);
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
