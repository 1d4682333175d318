import fc from "fast-check";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { eventId } from "#contracts/seismic-event/event-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { runs } from "../../support/runs.ts";
import { addRecords } from "../catalogues/additions.ts";
import { createdFrom, generatedRecords, withFullDisk } from "../catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";

const catalogues = useCatalogues();

/** What distinguishes the versions of an event here; the others are the same in all. */
type Shown = { readonly source_id: string | null; readonly depth: number | null };
type State = ReadonlyMap<string, Shown>;

/** One command. The `given up` ones fail after their chunks are written. */
const arbitraryStep = fc.record({
  kind: fc.constantFrom("add", "replace", "change", "remove"),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
  depth: fc.integer({ min: 0, max: 700 }),
  givenUp: fc.boolean(),
});
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

const SOURCE_IDS = 8;
const [TEMPLATE] = generatedRecords(1, 1);

function recordOf(pick: number, depth: number): SeismicEventRecord {
  if (TEMPLATE === undefined) throw new Error("nothing was generated");
  return { ...TEMPLATE, source_id: `eq${pick % SOURCE_IDS}`, depth };
}

/** Source ids of one submission are different. */
function recordsOf({ picks, depth }: Step): SeismicEventRecord[] {
  return [...new Set(picks.map((pick) => pick % SOURCE_IDS))].map((pick) => recordOf(pick, depth));
}

const shownOf = ({ source_id, depth }: SeismicEventRecord): Shown => ({ source_id, depth });

/** The event that a step is about, if the catalogue has any. */
const picked = (state: State, { picks: [pick = 0] }: Step) =>
  [...state.keys()][pick % Math.max(state.size, 1)];

/** What a step makes of a catalogue's state, by the words of the contract; events added get ids of `revision`. */
function replay(state: State, step: Step, catalogueId: string, revision: number): State {
  const next = new Map(state);
  const id = picked(state, step);
  const before = id === undefined ? undefined : state.get(id);
  if (step.kind === "remove") next.delete(id ?? "");
  else if (step.kind === "change") {
    if (id !== undefined && before) next.set(id, { ...before, depth: step.depth });
  } else {
    let added = 0;
    for (const record of recordsOf(step)) {
      const there = [...state].find(([, { source_id }]) => source_id === record.source_id);
      if (there === undefined) next.set(eventId(catalogueId, revision, added++), shownOf(record));
      else if (step.kind === "replace") next.set(there[0], shownOf(record));
    }
  }
  return next;
}

async function perform(by: CommandContext, catalogueId: string, state: State, step: Step) {
  const id = picked(state, step);
  if (step.kind === "add" || step.kind === "replace") {
    const updateExisting = step.kind === "replace";
    return addRecords(catalogues, catalogueId, recordsOf(step), { updateExisting }, by);
  }
  if (id === undefined) return null;
  return step.kind === "remove"
    ? removeEventCommand(by, newCommand(), catalogueId, id, null)
    : changeEventCommand(by, newCommand(), catalogueId, id, { depth: step.depth }, null);
}

/** What revision `version` sees, by the rule of the read model and nothing else. */
async function readAsOf(pool: Pool, catalogueId: string, version: number): Promise<State> {
  const { rows } = await pool.query<Shown & { event_id: string }>(
    `select e.event_id, e.source_id, e.depth from read_model.seismic_events e
     join read_model.catalogues c on c.key = e.catalogue_key
     where c.id = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)`,
    [catalogueId, version],
  );
  const state = new Map(rows.map(({ event_id, ...shown }) => [event_id, shown]));
  expect(state.size).toBe(rows.length);
  return state;
}

async function versionCounts(pool: Pool, catalogueId: string): Promise<[number, number][]> {
  const { rows } = await pool.query<{ version: number; event_count: number }>(
    `select v.version, v.event_count from read_model.catalogue_versions v
     join read_model.catalogues c on c.key = v.catalogue_key where c.id = $1 order by v.version`,
    [catalogueId],
  );
  return rows.map(({ version, event_count }) => [version, event_count]);
}

const sorted = (state: State) => [...state].toSorted(([a], [b]) => (a < b ? -1 : 1));

test("every version is read as the commands up to it have left the catalogue", async () => {
  const { context, projectorPool } = catalogues;
  const fullDisk = withFullDisk(context, "RevisionCommitted");
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const id = await createdFrom(context, [recordOf(0, 1), recordOf(1, 1)]);
      let state: State = new Map([
        [eventId(id, 1, 0), shownOf(recordOf(0, 1))],
        [eventId(id, 1, 1), shownOf(recordOf(1, 1))],
      ]);
      const versions = new Map([[1, state]]);
      let revision = 1;
      for (const step of steps) {
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
      }
      for (const [version, expected] of versions) {
        const actual = await readAsOf(projectorPool, id, version);
        expect(sorted(actual)).toEqual(sorted(expected));
      }
      const counts = [...versions].map(([version, { size }]) => [version, size]);
      expect(await versionCounts(projectorPool, id)).toEqual(counts);
    }),
    { numRuns: runs(40), endOnFailure: true },
  );
});
