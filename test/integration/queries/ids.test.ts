import fc from "fast-check";
import { sql } from "slonik";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  bareId,
  bareIdOf,
  type EventIds,
  eventIdForms,
  idsOf,
  meantBy,
} from "#contracts/seismic-event/public-ids.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  BARE_ID,
  copyKnownEvents,
  copyKnownIds,
  readKnownEvents,
} from "#projections/read/edits.ts";
import {
  type EventOfId,
  type EventsOfId,
  type IdHolder,
  leadsTo,
  readEventsOfId,
  readIdHolders,
} from "#projections/read/events.ts";
import { GUEST, type Reader, SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { runs } from "../../support/runs.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();

function record(sourceId: string | null, publicId: unknown = null): SeismicEventRecord {
  return {
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra:
      publicId === null
        ? null
        : ({ public_id: publicId } as unknown as SeismicEventRecord["extra"]),
  };
}

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
    await catalogue.commit({ add: step.add.map((names) => record(...names)) });
  } else if ("rename" in step) {
    const event = at(step.rename);
    if (event) await catalogue.commit({ update: [{ ...event, ...record(...step.to) }] });
  } else if ("remove" in step) {
    const event = at(step.remove);
    if (event) await catalogue.commit({ remove: [event.id] });
  } else if ("restore" in step) {
    const ids = new Set(there.map(({ id }) => id));
    const gone = everSeen(catalogue).filter((id) => !ids.has(id));
    const id = gone[step.restore % Math.max(gone.length, 1)];
    if (id !== undefined) await catalogue.commit({ update: [{ id, ...record(...step.as) }] });
  } else {
    const [event] = there;
    await catalogue.open({ add: [record("c3")], remove: event ? [event.id] : [] });
    await catalogue.abandon();
  }
}

/** A catalogue with a history, whose last revision may be written still. */
async function catalogueAfter(steps: readonly Step[], isOpen: boolean): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record("a1"), record("b2")] });
  for (const step of steps) await take(catalogue, step);
  const [someone] = catalogue.events();
  if (isOpen) await catalogue.open({ remove: someone ? [someone.id] : [] });
  return catalogue;
}

function everSeen({ versions }: ModelCatalogue, from = 0): string[] {
  const seen = [...versions].filter(([version]) => version >= from);
  return [...new Set(seen.flatMap(([, events]) => [...events.keys()]))];
}

/** All that is asked for: names, and ids of the events in both forms. */
function askedOf(...catalogues: readonly ModelCatalogue[]): string[] {
  const own = catalogues.flatMap((one) => everSeen(one));
  return [...ASKED, ...own, ...own.map((id) => id.replaceAll("-", ""))];
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
      const { publicId } = idsOf({ extra: event.extra });
      const ids = { id: event.id, sourceId: event.source_id, publicId };
      const by = meantBy(eventIdForms(asked), ids);
      if (by === null) continue;
      const isThere = versions.get(version)?.has(event.id) ?? false;
      const has = number === version;
      holders.set(event.id, { eventId: event.id, by, has, last: number, isThere });
    }
  }
  return [...holders.values()];
}

const byId = (a: { eventId: string }, b: { eventId: string }) => a.eventId.localeCompare(b.eventId);

test("every id that an event of a catalogue ever had leads to it, from the versions that may be read alone", async () => {
  const steps = fc.array(anyStep, { minLength: 1, maxLength: 12 });
  const history = fc.record({ steps, first: fc.nat(9), read: fc.nat(12), isOpen: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(history, async ({ steps: all, first, read, isOpen }) => {
      const catalogue = await catalogueAfter(all, isOpen);
      const numbers = [...catalogue.versions.keys()];
      const version = numbers[read % numbers.length] ?? 0;
      const from = [0, ...numbers.filter((number) => number <= version)][first] ?? 0;
      const request = { catalogueId: catalogue.id, asOf: String(version), reader: SERVICE };
      const scope = { ...(await resolveVersion(model.pool, request)), from };
      const asked = askedOf(catalogue);
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
    { numRuns: runs(150, 1 / 10) },
  );
});

/** Where an id leads in one catalogue, by looking through all events of all its versions from `from` on. */
function eventsIn(catalogue: ModelCatalogue, asked: string, from: number): EventOfId[] {
  const form = eventIdForms(asked);
  const latest = catalogue.latest();
  return everSeen(catalogue, from).flatMap((eventId) => {
    const states = [...catalogue.versions].flatMap(([version, events]) => {
      const event = version < from ? undefined : events.get(eventId);
      if (event === undefined) return [];
      const { publicId } = idsOf({ extra: event.extra });
      return { version, by: meantBy(form, { id: eventId, sourceId: event.source_id, publicId }) };
    });
    const last = states.at(-1);
    if (last === undefined || states.every(({ by }) => by === null)) return [];
    const { version } = last;
    const removed = version !== latest;
    return { catalogueId: catalogue.id, eventId, by: last.by ?? "former", version, removed };
  });
}

/** Those that are there before removed ones, newer catalogues before older ones. */
function answerOf(catalogues: readonly ModelCatalogue[], found: readonly EventOfId[]): EventsOfId {
  const ages = new Map(catalogues.map(({ id, key }) => [id, -key]));
  const ageOf = ({ catalogueId }: EventOfId) => ages.get(catalogueId) ?? 0;
  const events = found.toSorted(
    (a, b) => Number(a.removed) - Number(b.removed) || ageOf(a) - ageOf(b) || byId(a, b),
  );
  return { events, truncated: false };
}

const readEvents = (reader: Reader, id: string, limit = 100) =>
  readEventsOfId(model.reads.prepared, reader, id, limit);

test("an id leads to every event that has or had it, in all catalogues, from the versions that may be read", async () => {
  const anyHistory = fc.record({
    steps: fc.array(anyStep, { minLength: 1, maxLength: 8 }),
    publicFrom: fc.option(fc.nat(8)),
    isOpen: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyHistory, { minLength: 1, maxLength: 3 }), async (histories) => {
      const published: { catalogue: ModelCatalogue; from: number | null }[] = [];
      for (const { steps, publicFrom, isOpen } of histories) {
        const catalogue = await catalogueAfter(steps, isOpen);
        const numbers = [...catalogue.versions.keys()];
        const from = publicFrom === null ? null : (numbers[publicFrom % numbers.length] ?? 1);
        await catalogue.publish(from);
        published.push({ catalogue, from });
      }
      const catalogues = published.map(({ catalogue }) => catalogue);
      const asked = askedOf(...catalogues);
      try {
        for (const id of asked) {
          const all = catalogues.flatMap((one) => eventsIn(one, id, 0));
          expect(await readEvents(SERVICE, id)).toEqual(answerOf(catalogues, all));
          const ofGuests = published.flatMap(({ catalogue, from }) =>
            from === null ? [] : eventsIn(catalogue, id, from),
          );
          expect(await readEvents(GUEST, id)).toEqual(answerOf(catalogues, ofGuests));
        }
      } finally {
        for (const catalogue of catalogues) await catalogue.remove();
      }
      for (const id of asked) expect((await readEvents(SERVICE, id)).events).toEqual([]);
    }),
    { numRuns: runs(60, 1 / 10) },
  );
});

test("of more events than the limit the first are answered, and that there are more", async () => {
  const newestFirst: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    const catalogue = await createModelCatalogue(model.writer);
    await catalogue.commit({ add: [record("many")] });
    newestFirst.unshift(catalogue.id);
  }
  for (const [limit, truncated] of [
    [3, true],
    [4, false],
  ] as const) {
    const found = await readEvents(SERVICE, "many", limit);
    expect(found.events.map(({ catalogueId }) => catalogueId)).toEqual(newestFirst.slice(0, limit));
    expect(found.truncated).toBe(truncated);
  }
});

test("the search for known events finds what ids may mean in the latest version, as looking through all of it does", async () => {
  const stored: readonly SeismicEventRecord[] = [
    record("1", "smi:a/event/1"),
    record("smi:b/event/1", "smi:b/event/1"),
    record("smi:c/event/1/"),
    record("2024/1", "2024/1"),
    record("query?eventid=1&x=2", "query?eventid=1&x=2"),
    record("2"),
    record(null, "smi:a/event/2"),
    record("{\"'\\", { not: "a text" }),
    record("7", 7),
    // As long as a public id may be; the index holds no more.
    record(null, `smi:long/${"é".repeat(246)}`),
    record("too long", "𐐷".repeat(10_000)),
    record(null),
  ];
  const ids = (sourceId: string | null, publicId: string | null = null): EventIds => ({
    sourceId,
    publicId,
  });
  const namesOf = (event: { source_id?: unknown; extra?: unknown }) => {
    const { sourceId, publicId } = idsOf(event as Parameters<typeof idsOf>[0]);
    return [sourceId, publicId];
  };
  /** Those of the records that the ids may mean, by looking through all of them. */
  const meant = (given: readonly EventIds[]) =>
    stored.filter((one) => {
      const has = idsOf(one);
      return given.some((asked) => {
        const names = [asked.sourceId, asked.publicId, bareIdOf(asked)];
        if (has.sourceId !== null && names.includes(has.sourceId)) return true;
        if (has.publicId !== null && asked.publicId === has.publicId) return true;
        const { sourceId, publicId } = asked;
        return publicId === null && sourceId !== null && bareIdOf(has) === sourceId;
      });
    });
  const anyIds = fc.constantFrom(
    ...stored.map(idsOf),
    ...["1", "2", "7", "one", "nothing", "{\"'\\"].map((id) => ids(id)),
    ids("1", "smi:c/event/1/"),
    ids("9", "smi:a/event/1"),
    ids("2", "smi:d/2"),
    ids("smi:e/event/2", "smi:e/event/2"),
  );
  const catalogue = await createModelCatalogue(model.writer);
  await createModelCatalogue(model.writer).then((other) => other.commit({ add: stored }));
  const superseded = record("superseded", "smi:a/event/superseded");
  await catalogue.commit({ add: [...stored, superseded] });
  const last = catalogue.events().find((event) => event.source_id === "superseded");
  if (last === undefined) throw new Error("the event is not there");
  await catalogue.open({ update: [{ ...last, magnitude: 1 }] });
  const base = await resolveVersion(model.pool, { catalogueId: catalogue.id, reader: SERVICE });
  const client = await model.writer.connect();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(anyIds, { maxLength: 4 }), async (some) => {
        const given = [...some, idsOf(superseded)];
        const read = await readKnownEvents(model.pool, base, given);
        const found = read.map(({ event }) => namesOf(event)).sort();
        expect(found).toEqual(meant(given).map(namesOf).sort());
        const copied = await copyKnownEvents(client, base, given);
        expect(new Set(copied)).toEqual(new Set(read));
        const withoutEvents = read.map(({ event: _, bulletin: __, ...known }) => known);
        expect(new Set(await copyKnownIds(client, base, given))).toEqual(new Set(withoutEvents));
      }),
      { numRuns: runs(100, 1 / 10) },
    );
  } finally {
    client.release();
  }
});

test("the bare id is in PostgreSQL what it is here", async () => {
  const words = ["event", "Event#", "EVENT", "#", "", "1", "?", "&", "eventid=", "evId=2", "id="];
  const anyPart = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 }));
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
