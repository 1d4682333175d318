import fc from "fast-check";
import { expect, test } from "vitest";
import { eventIdForms, meantBy } from "#contracts/fdsn/event-id-forms.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import {
  type EventOfId,
  type EventsOfId,
  eventsOfIdQuery,
  readEventsOfId,
} from "#projections/queries/ids/events-by-id.ts";
import { mergedEventsQuery } from "#projections/queries/ids/merged-events.ts";
import { GUEST, type Reader, SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { runs } from "../../support/runs.ts";
import { ASKED, anyStep, everSeen, fillWithIds, record, take } from "./id-histories.ts";
import { createModelCatalogue, type ModelCatalogue } from "./model-catalogue.ts";
import { planAsPrepared } from "./plan-of.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const LIMIT = 100;

/** Where an id leads in one catalogue, by looking through all events of all its versions from `from` on. */
function eventsIn(catalogue: ModelCatalogue, asked: string, from: number): EventOfId[] {
  const form = eventIdForms(asked);
  const latest = catalogue.latest();
  return everSeen(catalogue, from, latest).flatMap((eventId) => {
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
    (a, b) =>
      Number(a.removed) - Number(b.removed) ||
      ageOf(a) - ageOf(b) ||
      a.eventId.localeCompare(b.eventId),
  );
  return { events, truncated: false };
}

const anyHistory = fc.record({
  steps: fc.array(anyStep, { minLength: 1, maxLength: 8 }),
  publicFrom: fc.option(fc.nat(8)),
  isOpen: fc.boolean(),
});
type History = typeof anyHistory extends fc.Arbitrary<infer T> ? T : never;

type Published = { readonly catalogue: ModelCatalogue; readonly from: number | null };

/** A catalogue with a history, which guests may read from a version on, or not at all. */
async function publishedAfter({ steps, publicFrom, isOpen }: History): Promise<Published> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record(["a1", null]), record(["b2", null])] });
  for (const step of steps) await take(catalogue, step);
  const numbers = [...catalogue.versions.keys()];
  const from = publicFrom === null ? null : (numbers[publicFrom % numbers.length] ?? 1);
  await catalogue.publish(from);
  const [someone] = catalogue.events();
  if (isOpen) await catalogue.open({ remove: someone ? [someone.id] : [] });
  return { catalogue, from };
}

test("an id leads to every event that has or had it, in all catalogues, from the versions that may be read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHistory, { minLength: 1, maxLength: 3 }), async (histories) => {
      const published: Published[] = [];
      for (const history of histories) published.push(await publishedAfter(history));
      const catalogues = published.map(({ catalogue }) => catalogue);
      const own = catalogues.flatMap((one) => everSeen(one, 0, one.latest()));
      const asked = [...ASKED, ...own, ...own.map((id) => id.replaceAll("-", ""))];
      const found = (reader: Reader, id: string) =>
        readEventsOfId(model.reads.prepared, reader, id, LIMIT);
      try {
        for (const id of asked) {
          const all = catalogues.flatMap((one) => eventsIn(one, id, 0));
          expect(await found(SERVICE, id)).toEqual(answerOf(catalogues, all));
          const ofGuests = published.flatMap(({ catalogue, from }) =>
            from === null ? [] : eventsIn(catalogue, id, from),
          );
          expect(await found(GUEST, id)).toEqual(answerOf(catalogues, ofGuests));
        }
      } finally {
        for (const catalogue of catalogues) await catalogue.remove();
      }
      for (const id of asked) expect((await found(SERVICE, id)).events).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
});

test("of more events than the limit the first are answered, and that there are more", async () => {
  const catalogues: ModelCatalogue[] = [];
  for (let i = 0; i < 4; i += 1) {
    const catalogue = await createModelCatalogue(model.writer);
    await catalogue.commit({ add: [record(["many", null])] });
    catalogues.push(catalogue);
  }
  const newestFirst = catalogues.map(({ id }) => id).toReversed();
  for (const [limit, truncated] of [
    [3, true],
    [4, false],
  ] as const) {
    const found = await readEventsOfId(model.reads.prepared, SERVICE, "many", limit);
    expect(found.events.map(({ catalogueId }) => catalogueId)).toEqual(newestFirst.slice(0, limit));
    expect(found.truncated).toBe(truncated);
  }
});

const NO_EVENT = "00000000-0000-8000-8000-000000000000";
/** To all events of a catalogue. */
const WRONG_WAYS =
  /Seq Scan on (?:seismic_events|merge_members)|seismic_events_(?:time|revision|superseded|place)/;
const USER: Reader = { kind: "user", userId: "user_1_one", role: "viewer", catalogues: null };

test.each([GUEST, USER])("an id is looked up through indexes alone, to a $kind", async (reader) => {
  const catalogue = await createModelCatalogue(model.writer);
  for (let i = 0; i < 3; i += 1) await catalogue.commit({ add: [] });
  await fillWithIds(model.writer, catalogue);
  const query = eventsOfIdQuery(reader, eventIdForms("smi:nz.org.geonet/ev77"));
  const plan = await planAsPrepared(model.writer, query);
  for (const name of ["source", "public_id", "bare_id"]) {
    expect(plan).toMatch(new RegExp(`seismic_events_${name} `));
    expect(plan).toMatch(new RegExp(`seismic_events_former_${name} `));
  }
  expect(plan).not.toMatch(WRONG_WAYS);
  const ofMembers = await planAsPrepared(model.writer, mergedEventsQuery(reader, [NO_EVENT]));
  expect(ofMembers).toMatch(/merge_members_pkey/);
  expect(ofMembers).not.toMatch(WRONG_WAYS);
});
