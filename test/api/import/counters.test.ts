import fc from "fast-check";
import { expect, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { eventsOf, historyOf, useAgency } from "../../support/api/imports.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const RUNS = 15;
const service = sharedService();
const scene = useAgency(service, { cap: 15 });
const editor = clientOf(service, "editor");
/** What an event of the agency is, and in which of its forms. */
type Kind = "sound" | "without magnitude" | "broken" | "not existing" | "duplicate" | "rejected";
type Form = { readonly kind: Kind; readonly magnitude: number };
/** The agency's events by their ids, at one time. */
type Holding = ReadonlyMap<string, Form>;

const form: fc.Arbitrary<Form> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Kind>("sound") },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Kind>(
        "without magnitude",
        "broken",
        "not existing",
        "duplicate",
        "rejected",
      ),
    },
  ),
  magnitude: fc.constantFrom(2, 3),
});
const holding: fc.Arbitrary<Holding> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 25 }), form), { maxLength: 35 })
  .map((entries) => new Map(entries.map(([id, of]) => [`event ${id}`, of])));
const imports = fc.array(fc.record({ holding, updateExisting: fc.boolean() }), {
  minLength: 2,
  maxLength: 4,
});

function rowOf(id: string, { kind, magnitude }: Form): JsonObject {
  const place = Number(id.split(" ")[1]);
  return {
    source_id: id,
    time: new Date(Date.UTC(2020, 0, 1 + place)).toISOString(),
    latitude: kind === "broken" ? 100 + place : place,
    longitude: place,
    depth: 10,
    magnitude: kind === "without magnitude" ? null : magnitude,
    event_type: kind === "not existing" || kind === "duplicate" ? kind : "earthquake",
    evaluation_status: kind === "rejected" ? "rejected" : "confirmed",
  };
}

/** What an import has to count, and what the catalogue then has: magnitudes by id. */
function oracle(has: Map<string, number | null>, now: Holding, updateExisting: boolean) {
  const counts = {
    new: 0,
    updated: 0,
    existing: 0,
    unchanged: 0,
    excluded: 0,
    rejected: 0,
    broken: 0,
  };
  for (const [id, { kind, magnitude: given }] of now) {
    const magnitude = kind === "without magnitude" ? null : given;
    if (kind === "broken" || kind === "rejected") counts[kind] += 1;
    else if (kind === "not existing" || kind === "duplicate") counts.excluded += 1;
    else if (!has.has(id)) counts.new += 1;
    else if (!updateExisting) counts.existing += 1;
    else if (has.get(id) === magnitude) counts.unchanged += 1;
    else counts.updated += 1;
    const isEvent = kind === "sound" || kind === "without magnitude";
    if (isEvent && (updateExisting || !has.has(id))) has.set(id, magnitude);
  }
  return counts;
}

function hold(now: Holding): void {
  const { catalogue } = scene.agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...[...now].map(([id, of]) => ({ row: rowOf(id, of) })));
}

function countsOf({ newEvents, updatedEvents, skippedReasons, errors }: ImportResult) {
  return { new: newEvents, updated: updatedEvents, ...skippedReasons, broken: errors.length };
}

test("every event that is fetched is counted once, whatever becomes of it", async () => {
  await fc.assert(
    fc.asyncProperty(imports, async (steps) => {
      const has = new Map<string, number | null>();
      let catalogueId: string | undefined;
      for (const { holding: now, updateExisting } of steps) {
        hold(now);
        const body = { updateExisting, ...(catalogueId && { catalogueId }) };
        const result = await scene.imported(editor, body);
        ({ catalogueId } = result);
        const { totalFetched, newEvents, updatedEvents, skippedEvents, errors } = result;
        expect(totalFetched).toBe(newEvents + updatedEvents + skippedEvents + errors.length);
        expect(totalFetched).toBe(now.size);
        expect(countsOf(result)).toEqual(oracle(has, now, updateExisting));
        expect(result.success).toBe(errors.length === 0);
        const [run] = await historyOf(editor, catalogueId);
        expect(run).toMatchObject({
          total_fetched: totalFetched,
          new_events: newEvents,
          updated_events: updatedEvents,
          skipped_events: skippedEvents,
          errors: errors.length === 0 ? null : errors,
        });
      }
      const events = await eventsOf(editor, catalogueId ?? "");
      const magnitudes = [...events].map(([id, { magnitude }]) => [id, magnitude] as const);
      expect(new Map(magnitudes)).toEqual(has);
    }),
    { seed: 4, numRuns: runs(RUNS) },
  );
});
