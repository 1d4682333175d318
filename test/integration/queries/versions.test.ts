import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventFilters } from "#contracts/query/filters.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { EXPORT_FIELDS, type ExportRow } from "#infra/formats/format-writer.ts";
import {
  countChanges,
  type DiffSelection,
  readChanges,
  resolvePair,
  type VersionChange,
} from "#projections/read/differences.ts";
import { GUEST, SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { readPage } from "#projections/read/walk.ts";
import { arbitraryRecord } from "../../support/arbitrary-events.ts";
import { inOrder, listed, satisfies, unmerged } from "../../support/event-oracle.ts";
import { runs } from "../../support/runs.ts";
import { codesOf, createApiReads, type Parameters } from "./api-reads.ts";
import {
  type Change,
  committedAt,
  createModelCatalogue,
  type ModelCatalogue,
} from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const record = emptyRecord({ time: "2016-11-13T11:02:56.3Z", latitude: -42.7, longitude: 173 });
const records = (count: number) => Array.from({ length: count }, () => record);

/** One step of a history: what becomes of the events, and whether it is committed. */
const anyStep = fc.record({
  add: fc.array(arbitraryRecord, { maxLength: 4 }),
  update: fc.array(fc.tuple(fc.nat(), arbitraryRecord), { maxLength: 3 }),
  remove: fc.array(fc.nat(), { maxLength: 2 }),
  /** Undoes what was done to some events since a version. */
  backTo: fc.option(fc.nat(), { nil: null }),
  abandoned: fc.boolean(),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

function changeOf({ events, versions }: ModelCatalogue, step: Step): Change {
  const present = events();
  const pick = (n: number) => present[n % present.length];
  const removed = new Set(step.remove.flatMap((n) => pick(n)?.id ?? []));
  const changed = new Map<string, SeismicEvent>();
  for (const [n, after] of step.update) {
    const event = pick(n);
    if (event) changed.set(event.id, { ...after, id: event.id });
  }
  const all = [...versions.values()];
  const earlier = step.backTo === null ? undefined : all[step.backTo % all.length];
  for (const event of earlier?.values() ?? []) changed.set(event.id, event);
  const update = [...changed.values()].filter(({ id }) => !removed.has(id));
  return { add: step.add, update, remove: [...removed] };
}

async function replay(steps: readonly Step[]): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  for (const step of steps) {
    const change = changeOf(catalogue, step);
    if (!step.abandoned) await catalogue.commit(change);
    else {
      await catalogue.open(change);
      await catalogue.abandon();
    }
  }
  return catalogue;
}

/** Who made every version of a model catalogue, and by what. */
const BY_EDIT = {
  actor: "user_1_tester",
  cause: "edit",
  import: null,
  sources: null,
  restores: null,
  reason: null,
};

/** What happened to one event, told from the states of the versions, newest first. */
function historyOf(catalogue: ModelCatalogue, eventId: string) {
  const history = [];
  let before: SeismicEvent | undefined;
  for (const [version, events] of catalogue.versions) {
    const now = events.get(eventId);
    const change = !now ? "removed" : !before ? "added" : "updated";
    const event = now ?? before;
    if (event !== undefined && now !== before) {
      const entry = { version, created_at: committedAt(version), ...BY_EDIT };
      history.push({ ...entry, change, event: unmerged(event) });
    }
    before = now;
  }
  return history.toReversed();
}

test("a catalogue is read as it stood at a version or a time, and each event's history tells each of its changes", async () => {
  // An event that an undoing leaves as it is would be a change without one.
  const step = anyStep.map((any) => ({ ...any, backTo: null }));
  const steps = fc.array(step, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const catalogue = await replay(given);
      const { id } = catalogue;
      for (const version of catalogue.versions.keys()) {
        const events = inOrder(catalogue.events(version), "time").map(listed);
        const facts = { etag: `"${version}"`, isPublic: true };
        for (const asOf of [version, committedAt(version)]) {
          expect(await model.api.filterEvents({ id }, { asOf })).toEqual({
            body: { events, count: events.length, truncated: false },
            ...facts,
          });
          expect(await model.api.listEvents({ id }, { asOf, pageSize: 3 })).toEqual({
            body: { events: events.slice(0, 3), total: events.length, page: 1, pageSize: 3 },
            ...facts,
          });
        }
      }
      const open = { add: [], update: [[0, record]], remove: [1], backTo: null } as const;
      await catalogue.open(changeOf(catalogue, { ...open, abandoned: false } as unknown as Step));
      const seen = [...catalogue.versions.values()].flatMap((events) => [...events.keys()]);
      for (const eventId of new Set(seen)) {
        const { body, etag } = await model.api.getEventHistory({ id, eventId });
        expect(body.history).toEqual(historyOf(catalogue, eventId));
        expect(etag).toBe(`"${catalogue.latest()}"`);
      }
    }),
    { numRuns: runs(30) },
  );
});

/** Versions 1 and 3, and an abandoned one between them. */
async function catalogueOfThree(): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record] });
  await catalogue.open({ add: [record] });
  await catalogue.abandon();
  await catalogue.commit({ add: [record] });
  return catalogue;
}

describe("a version", () => {
  test("is the latest committed until a time; numbers and times that have none are 404", async () => {
    const { id } = await catalogueOfThree();
    for (const [asOf, etag] of [
      ["2020-01-01T00:00:01.000Z", '"1"'],
      ["2020-01-01T00:00:02.999999Z", '"1"'],
      ["2020-01-01T01:00:03+01:00", '"3"'],
      ["9999-01-01", '"3"'],
    ] as const) {
      expect(await model.api.listEvents({ id }, { asOf }), asOf).toMatchObject({ etag });
    }
    for (const asOf of ["2", "4", "2020-01-01T00:00:00.999999Z"]) {
      expect(await codesOf(model.api.listEvents({ id }, { asOf })), asOf).toEqual(["NOT_FOUND"]);
    }
  });
});

describe("the latest version", () => {
  const LISTS: readonly Parameters[] = [
    {},
    { page: 1, pageSize: 2 },
    { offset: 1, limit: 2 },
    { pagination: "cursor" },
  ];

  async function catalogueOf(count: number): Promise<ModelCatalogue> {
    const catalogue = await createModelCatalogue(model.writer);
    await catalogue.commit({ add: records(count) });
    return catalogue;
  }

  /** Every event in another version of itself. */
  async function changeAll(catalogue: ModelCatalogue): Promise<void> {
    const region = `${catalogue.latest() + 1}`;
    await catalogue.commit({ update: catalogue.events().map((event) => ({ ...event, region })) });
  }

  /** Every way to read it. */
  const readsOf = ({ id }: { readonly id: string }) => [
    ...LISTS.map((query) => model.api.listEvents({ id }, query)),
    model.api.filterEvents({ id }),
    model.api.filterEvents({ id }, { maxLatitude: 1 }),
  ];

  test("is read after each change by another process, also where that leaves no events, and not while it is written", async () => {
    const catalogue = await catalogueOf(4);
    const { id } = catalogue;
    await Promise.all(readsOf(catalogue));
    for (const version of [2, 3]) {
      await changeAll(catalogue);
      for (const { body, etag } of await Promise.all(readsOf(catalogue))) {
        expect(etag).toBe(`"${version}"`);
        expect(new Set(body.events.map(({ region }) => region))).toEqual(new Set([`${version}`]));
      }
    }
    const none = await model.api.filterEvents({ id }, { minLatitude: 10 });
    expect(none).toMatchObject({ body: { count: 0 }, etag: '"3"' });
    const beyond = await model.api.listEvents({ id }, { offset: 5 });
    expect(beyond).toMatchObject({ body: { events: [], total: 4 }, etag: '"3"' });
    const remove = catalogue.events().map((event) => event.id);
    await catalogue.open({ add: records(3), remove });
    for (const { body, etag } of await Promise.all(readsOf(catalogue))) {
      expect(etag).toBe('"3"');
      expect(body.events.every((event) => remove.includes(event.id ?? ""))).toBe(true);
      expect(body.events).not.toEqual([]);
    }
    await catalogue.abandon();
    await catalogue.commit({ remove });
    const emptied = await model.api.listEvents({ id });
    expect(emptied).toMatchObject({ body: { events: [], total: 0 }, etag: '"5"' });
  });

  test("is that which was found, whatever is committed before its events are read, and 404 where the catalogue is deleted meanwhile, whoever has its key", async () => {
    const catalogue = await catalogueOf(3);
    await Promise.all(readsOf(catalogue));
    const before = catalogue.events().map(({ id }) => id);
    const request = { catalogueId: catalogue.id, reader: SERVICE };
    const version = await resolveVersion(model.reads.prepared, request);
    await catalogue.commit({ add: records(2), remove: before });
    const read = () =>
      readPage(model.reads, { version, order: "time", filters: {} }, { offset: 0 }, 10);
    const found: { id: string }[] = JSON.parse(`[${(await read()).json.join(",")}]`);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(before));
    await catalogue.remove();
    expect(await codesOf(read())).toEqual(["NOT_FOUND"]);
    const successor = await catalogueOf(2);
    expect(successor.key).toBe(catalogue.key);
    expect(await codesOf(...readsOf(catalogue))).toEqual(["NOT_FOUND"]);
  });

  test("is that of its tag in every answer given while versions are committed", async () => {
    const catalogue = await catalogueOf(20);
    const { id } = catalogue;
    let isWriting = true;
    const versions = new Set<string>();
    const reader = async (query: Parameters) => {
      while (isWriting) {
        const { body, etag } = await model.api.filterEvents({ id }, query);
        const expected = etag === '"1"' ? null : etag?.slice(1, -1);
        expect(body.events.map(({ region }) => region)).toEqual(Array(20).fill(expected));
        versions.add(etag ?? "");
      }
    };
    const readers = [reader({}), reader({ maxLatitude: 1 })];
    for (let i = 0; i < 30; i += 1) await changeAll(catalogue);
    isWriting = false;
    await Promise.all(readers);
    expect(versions.size).toBeGreaterThan(5);
  });
});

test("guests read what a model lets them, in whatever order versions are published and hidden, and an answer tells whoever asks whether they would", async () => {
  const anyVersion = fc.integer({ min: 1, max: 4 });
  const step = fc.record({
    publish: fc.option(anyVersion),
    query: fc.oneof(
      fc.constantFrom<Parameters>({}, { page: 1 }, { offset: 0 }, { pagination: "cursor" }),
      anyVersion.map((asOf): Parameters => ({ asOf })),
      anyVersion.map((cursor): Parameters => ({ cursor })),
    ),
  });
  const catalogue = await createModelCatalogue(model.writer);
  for (let i = 0; i < 4; i += 1) await catalogue.commit({ add: records(2) });
  const { id } = catalogue;
  const cursors = await Promise.all(
    [1, 2, 3, 4].map(async (asOf) => {
      const { body } = await model.api.listEvents({ id }, { pagination: "cursor", limit: 1, asOf });
      return "pagination" in body ? (body.pagination?.nextCursor ?? "") : "";
    }),
  );
  const guest = createApiReads(model.pool, model.reads, null);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const { publish, query: asked } of steps) {
        await catalogue.publish(publish);
        const version = Number(asked["asOf"] ?? asked["cursor"] ?? 4);
        const cursor = asked["cursor"] === undefined ? {} : { cursor: cursors[version - 1] ?? "" };
        const query = { ...asked, ...cursor };
        const asOf = asked["asOf"];
        const filters = asOf === undefined ? {} : { asOf };
        const isPublic = publish !== null && version >= publish;
        const all = version === 4 || asOf !== undefined;
        const answers = (by: typeof guest) => [
          by.listEvents({ id }, query),
          ...(all ? [by.filterEvents({ id }, filters)] : []),
        ];
        const facts = { etag: `"${version}"`, isPublic };
        for (const answer of await Promise.all(answers(model.api))) {
          expect(answer).toMatchObject(facts);
        }
        if (isPublic) {
          for (const answer of await Promise.all(answers(guest))) {
            expect(answer).toMatchObject(facts);
          }
        } else {
          const code = publish === null ? "UNAUTHENTICATED" : "NOT_FOUND";
          expect(await codesOf(...answers(guest))).toEqual([code]);
        }
      }
    }),
    { numRuns: runs(40) },
  );
});

describe("the difference of two versions", () => {
  const anyFilters: fc.Arbitrary<EventFilters> = fc.oneof<fc.Arbitrary<EventFilters>[]>(
    fc.constant({}),
    fc.record({ minMagnitude: fc.constantFrom(0, 2, 4) }),
    fc.record({
      maxDepth: fc.constantFrom(5, 300),
      eventType: fc.constant<string[]>(["earthquake"]),
    }),
    fc.constant({ minLongitude: 170, maxLongitude: -170 }),
  );

  function row({ id, ...event }: SeismicEvent): ExportRow {
    const fields = EXPORT_FIELDS.map((name) => {
      const value = name === "id" ? id : event[name];
      if (value === null) return null;
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    });
    // The hash of the bulletin, of which there is none.
    return [...fields, null];
  }

  const isNumber = (text: string | null) => text !== null && text !== "" && !Number.isNaN(+text);
  const values = (event: ExportRow) => event.map((text) => (isNumber(text) ? Number(text) : text));
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

  test("in pages and counted, is that of all their events", async () => {
    const steps = fc.array(
      anyStep.map((step) => ({ ...step, abandoned: false })),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(steps, anyFilters, fc.boolean(), async (given, filters, changesMost) => {
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
            const counts = { added: 0, updated: 0, removed: 0 };
            for (const { change } of changes) counts[change] += 1;
            expect(await countChanges(model.reads.pool, selection)).toEqual(counts);
          }
        }
      }),
      { numRuns: runs(15) },
    );
  });

  test("is to the version before, to 0 from the first, and none of a guest's who may not read either", async () => {
    const catalogue = await catalogueOfThree();
    await catalogue.commit({ add: [record] });
    const pairOf = (reader: typeof SERVICE | typeof GUEST, to: number, from?: number) =>
      resolvePair(model.reads.prepared, { catalogueId: catalogue.id, to, from, reader });
    expect(await pairOf(SERVICE, 3)).toMatchObject({ pair: { from: 1, to: 3 } });
    expect(await pairOf(SERVICE, 1)).toMatchObject({ pair: { from: 0, to: 1 } });
    await catalogue.publish(3);
    expect(await pairOf(GUEST, 4)).toMatchObject({ pair: { from: 3, to: 4 }, isPublic: true });
    expect(await pairOf(GUEST, 4, 0)).toMatchObject({ pair: { from: 0, to: 4 } });
    for (const [to, from] of [[3], [4, 1], [1, 0], [9]] as [number, number?][]) {
      expect(await codesOf(pairOf(GUEST, to, from))).toEqual(["NOT_FOUND"]);
    }
    await catalogue.publish(null);
    expect(await codesOf(pairOf(GUEST, 4, 0))).toEqual(["UNAUTHENTICATED"]);
  });
});
