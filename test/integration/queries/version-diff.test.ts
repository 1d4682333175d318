import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventFilters } from "#contracts/query/filters.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { EXPORT_FIELDS, type ExportRow } from "#infra/formats/format-writer.ts";
import {
  countChanges,
  type DiffSelection,
  readChanges,
  type VersionChange,
} from "#projections/queries/differences/version-diff.ts";
import { resolvePair } from "#projections/queries/differences/version-pair.ts";
import { GUEST, SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { refusal } from "./api-reads.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { satisfies } from "./event-oracle.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

const arbitraryStep = fc.record({
  add: fc.array(arbitraryRecord, { maxLength: 4 }),
  update: fc.array(fc.tuple(fc.nat(), arbitraryRecord), { maxLength: 3 }),
  remove: fc.array(fc.nat(), { maxLength: 2 }),
  /** Undoes what was done to some events since a version. */
  backTo: fc.option(fc.nat(), { nil: null }),
});

type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

const arbitraryFilters: fc.Arbitrary<EventFilters> = fc.oneof<fc.Arbitrary<EventFilters>[]>(
  fc.constant({}),
  fc.record({ minMagnitude: fc.constantFrom(0, 2, 4) }),
  fc.record({
    maxDepth: fc.constantFrom(5, 300),
    eventType: fc.constant<string[]>(["earthquake"]),
  }),
  fc.constant({ minLongitude: 170, maxLongitude: -170 }),
);

async function replay(steps: readonly Step[]): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  for (const { add, update, remove, backTo } of steps) {
    const events = catalogue.events();
    const pick = (n: number) => events[n % events.length];
    const removed = new Set(remove.flatMap((n) => pick(n)?.id ?? []));
    const changed = new Map<string, SeismicEvent>();
    for (const [n, after] of update) {
      const event = pick(n);
      if (event) changed.set(event.id, { ...after, id: event.id });
    }
    const versions = [...catalogue.versions.values()];
    const earlier = backTo === null ? undefined : versions[backTo % versions.length];
    for (const event of earlier?.values() ?? []) changed.set(event.id, event);
    const kept = [...changed.values()].filter(({ id }) => !removed.has(id));
    await catalogue.commit({ add, update: kept, remove: [...removed] });
  }
  return catalogue;
}

function row({ id, ...event }: SeismicEvent): ExportRow {
  const fields = EXPORT_FIELDS.map((name) => {
    const value = name === "id" ? id : event[name];
    if (value === null) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
  // The hash of the bulletin, of which there is none.
  return [...fields, null];
}

const values = (event: ExportRow) => event.map((text) => (isNumber(text) ? Number(text) : text));
const isNumber = (text: string | null) => text !== null && text !== "" && !Number.isNaN(+text);
const comparable = ({ change, event, before }: VersionChange) => ({
  change,
  event: values(event),
  before: before && values(before),
});

/** The changes from one state to another, told by comparing all events. */
function expected(
  was: ReadonlyMap<string, SeismicEvent>,
  now: ReadonlyMap<string, SeismicEvent>,
  filters: EventFilters,
): VersionChange[] {
  const chosen = (event: SeismicEvent | undefined) =>
    event !== undefined && satisfies(event, filters);
  return [...new Set([...was.keys(), ...now.keys()])].sort().flatMap((id): VersionChange[] => {
    const [before, after] = [was.get(id), now.get(id)];
    if (!chosen(before) && !chosen(after)) return [];
    if (!before) return after ? [{ change: "added", event: row(after), before: null }] : [];
    if (!after) return [{ change: "removed", event: row(before), before: null }];
    if (JSON.stringify(row(before)) === JSON.stringify(row(after))) return [];
    return [{ change: "updated", event: row(after), before: row(before) }];
  });
}

async function walk(selection: DiffSelection, limit: number): Promise<VersionChange[]> {
  const all: VersionChange[] = [];
  let after: string | null = null;
  while (true) {
    const page = await readChanges(model.reads.pool, selection, { after, limit });
    expect(page.changes.length).toBe(page.more ? limit : page.changes.length);
    all.push(...page.changes);
    if (!page.more) return all;
    after = page.changes.at(-1)?.event[0] ?? null;
  }
}

test("the difference of any two versions, in pages and counted, is that of all their events", async () => {
  const steps = fc.array(arbitraryStep, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, arbitraryFilters, fc.boolean(), async (given, filters, changesMost) => {
      const catalogue = await replay(given);
      const states = new Map([[0, new Map<string, SeismicEvent>()], ...catalogue.versions]);
      for (const [to, now] of catalogue.versions) {
        for (const [from, was] of states) {
          const request = { catalogueId: catalogue.id, to, from, reader: SERVICE };
          const { pair } = await resolvePair(model.reads.prepared, request);
          const selection = { pair: { ...pair, changesMost }, filters };
          const changes = expected(was, now, filters);
          const found = await walk(selection, 3);
          expect(found.map(comparable)).toEqual(changes.map(comparable));
          const counted = (kind: string) => changes.filter(({ change }) => change === kind).length;
          expect(await countChanges(model.reads.pool, selection)).toEqual({
            added: counted("added"),
            updated: counted("updated"),
            removed: counted("removed"),
          });
        }
      }
    }),
    { numRuns: runs(15) },
  );
});

const record = emptyRecord({ time: "2016-11-13T11:02:56.3Z", latitude: -42.7, longitude: 173 });

test("without a version to compare with it is the one before, and 0 before the first", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record] });
  await catalogue.open({ add: [record] });
  await catalogue.abandon();
  await catalogue.commit({ add: [record] });
  const pairOf = async (to: number) => {
    const request = { catalogueId: catalogue.id, to, reader: SERVICE };
    return (await resolvePair(model.reads.prepared, request)).pair;
  };
  expect(await pairOf(3)).toMatchObject({ from: 1, to: 3 });
  expect(await pairOf(1)).toMatchObject({ from: 0, to: 1 });
});

test("versions that guests may not read are none of theirs to compare", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record] });
  await catalogue.commit({ add: [record] });
  await catalogue.commit({ add: [record] });
  await catalogue.publish(2);
  const pairOf = (to: number, from?: number) =>
    resolvePair(model.reads.prepared, { catalogueId: catalogue.id, to, from, reader: GUEST });
  expect(await pairOf(3)).toMatchObject({ pair: { from: 2, to: 3 }, isPublic: true });
  expect(await pairOf(3, 0)).toMatchObject({ pair: { from: 0, to: 3 } });
  const hidden: [number, number?][] = [[2], [3, 1], [1, 0], [9]];
  for (const [to, from] of hidden) {
    expect((await refusal(pairOf(to, from))).code).toBe("NOT_FOUND");
  }
  await catalogue.publish(null);
  expect((await refusal(pairOf(3, 0))).code).toBe("UNAUTHENTICATED");
});
