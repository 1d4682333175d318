import fc from "fast-check";
import { expect, test } from "vitest";
import { bareIdOf, type EventIds, idsOf } from "#contracts/seismic-event/public-ids.ts";
import { runs } from "../../support/runs.ts";
import { giveToModel, type ModelEvent } from "./model-catalogue.ts";
import { createWrittenCatalogue } from "./written-catalogue.ts";

const ids = (sourceId: string | null, publicId: string | null = null): EventIds => ({
  sourceId,
  publicId,
});

/** Few ids, so that many meet. */
const anyBareId = fc.constantFrom("1", "2", "116.39");
const anyPublicId = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("smi:de.bgr/2015/event", "smi:de.bgr/2016", "quakeml:us/event"),
      anyBareId,
    )
    .map(([path, id]) => `${path}/${id}`),
  anyBareId.map((id) => `smi:org/query?eventid=${id}&format=xml`),
  fc.constantFrom("1/smi:1", "smi:local/2/", "2016/1"),
);
const anyIds = fc.oneof(
  { weight: 4, arbitrary: anyPublicId.map((id) => ids(bareIdOf(ids(id, id)), id)) },
  { weight: 2, arbitrary: anyBareId.map((id) => ids(id)) },
  { weight: 1, arbitrary: anyPublicId.map((id) => idsOf({ source_id: id })) },
  { weight: 1, arbitrary: fc.tuple(anyBareId, anyPublicId).map(([id, other]) => ids(id, other)) },
  { weight: 1, arbitrary: anyPublicId.map((id) => ids(null, id)) },
);
const anyGiven = fc.tuple(anyIds, fc.nat(1_000_000)).map(([one, value]) => ({ ...one, value }));
const anyEvents = fc.array(anyGiven, { maxLength: 12 });
const anyStep = fc.oneof(
  fc.record({
    kind: fc.constant("import" as const),
    windows: fc.array(anyEvents, { maxLength: 4 }),
    updateExisting: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("submit" as const),
    events: anyEvents,
    updateExisting: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("remove" as const), place: fc.nat(100) }),
);

test("a catalogue after any windows, runs, submissions and removals is the model's", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 8 }), (steps) => {
      const written = createWrittenCatalogue();
      let model: ModelEvent[] = [];
      for (const step of steps) {
        if (step.kind === "import") {
          written.import(step.windows, step.updateExisting);
          giveToModel(model, step.windows.flat(), step.updateExisting);
        } else if (step.kind === "submit") {
          written.submit(step.events, step.updateExisting);
          const valid: ModelEvent[] = [];
          giveToModel(valid, step.events, false);
          giveToModel(model, valid, step.updateExisting);
        } else {
          written.remove(step.place);
          model = model.filter((_, i) => i !== step.place % model.length);
        }
        expect(written.events()).toEqual(model);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

const idsAlone = ({ sourceId, publicId }: EventIds): EventIds => ({ sourceId, publicId });

test("no two events of a catalogue share an id, and the same import again adds none", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyEvents, { maxLength: 4 }), { maxLength: 4 }), (runs) => {
      const written = createWrittenCatalogue();
      for (const windows of runs) {
        written.import(windows, true);
        const events = written.events();
        for (const name of ["sourceId", "publicId"] as const) {
          const present = events.flatMap((event) => event[name] ?? []);
          expect(new Set(present).size).toBe(present.length);
        }
        written.import(windows, true);
        expect(written.events().map(idsAlone)).toEqual(events.map(idsAlone));
      }
    }),
    { numRuns: runs(2_000) },
  );
});
