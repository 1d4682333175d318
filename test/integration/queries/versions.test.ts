import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { runs } from "../../support/runs.ts";
import { refusal } from "./api-reads.ts";
import { arbitraryRecord } from "./arbitrary-events.ts";
import { inOrder, listed, unmerged } from "./event-oracle.ts";
import {
  type Change,
  committedAt,
  createModelCatalogue,
  type ModelCatalogue,
} from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const UNKNOWN = "00000000-0000-8000-8000-000000000000";
const record = emptyRecord({ time: "2016-11-13T11:02:56.3Z", latitude: -42.7, longitude: 173 });

/** One step of a history: what becomes of the events, and whether it is committed. */
const arbitraryStep = fc.record({
  add: fc.array(arbitraryRecord, { maxLength: 4 }),
  update: fc.array(fc.tuple(fc.nat(), arbitraryRecord), { maxLength: 3 }),
  remove: fc.array(fc.nat(), { maxLength: 2 }),
  abandoned: fc.boolean(),
});

type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

function changeOf(events: readonly SeismicEvent[], { add, update, remove }: Step): Change {
  const pick = (n: number) => events[n % events.length];
  const removed = new Set(remove.flatMap((n) => pick(n)?.id ?? []));
  const updated = new Map<string, SeismicEvent>();
  for (const [n, after] of update) {
    const event = pick(n);
    if (event && !removed.has(event.id)) updated.set(event.id, { ...after, id: event.id });
  }
  return { add, update: [...updated.values()], remove: [...removed] };
}

async function replay(steps: readonly Step[]): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  for (const step of steps) {
    const change = changeOf(catalogue.events(), step);
    if (!step.abandoned) await catalogue.commit(change);
    else {
      await catalogue.open(change);
      await catalogue.abandon();
    }
  }
  return catalogue;
}

test("a read as of a version, or of a time, shows the catalogue as it stood then", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const catalogue = await replay(steps);
      const { id } = catalogue;
      for (const version of catalogue.versions.keys()) {
        const events = inOrder(catalogue.events(version), "time").map(listed);
        for (const asOf of [version, committedAt(version)]) {
          const etag = `"${version}"`;
          await expect(model.api.filterEvents({ id }, { asOf })).resolves.toEqual({
            body: { events, count: events.length, truncated: false },
            etag,
            isPublic: true,
          });
          await expect(model.api.listEvents({ id }, { asOf, pageSize: 3 })).resolves.toEqual({
            body: { events: events.slice(0, 3), total: events.length, page: 1, pageSize: 3 },
            etag,
            isPublic: true,
          });
        }
      }
    }),
    { numRuns: runs(30) },
  );
});

/** Who made every version of a model catalogue, and by what. */
const BY_EDIT = {
  actor: "user_1_tester",
  cause: "edit",
  import: null,
  sources: null,
  restores: null,
  reason: null,
};

/** What happened to one event, told from the states of the versions. */
function historyOf(catalogue: ModelCatalogue, eventId: string) {
  const history = [];
  let before: SeismicEvent | undefined;
  for (const [version, events] of catalogue.versions) {
    const now = events.get(eventId);
    const entry = { version, created_at: committedAt(version), ...BY_EDIT };
    if (now && !before) history.push({ ...entry, change: "added", event: now });
    else if (now && before && now !== before) {
      history.push({ ...entry, change: "updated", event: now });
    } else if (before && !now) history.push({ ...entry, change: "removed", event: before });
    before = now;
  }
  return history.reverse().map((entry) => ({ ...entry, event: unmerged(entry.event) }));
}

test("the history of every event tells each of its changes, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const catalogue = await replay(steps);
      const open = changeOf(catalogue.events(), {
        add: [],
        update: [[0, record]],
        remove: [1],
        abandoned: false,
      });
      await catalogue.open(open);
      const ids = new Set([...catalogue.versions.values()].flatMap((events) => [...events.keys()]));
      for (const eventId of ids) {
        const { body, etag } = await model.api.getEventHistory({ id: catalogue.id, eventId });
        expect(body.history).toEqual(historyOf(catalogue, eventId));
        expect(etag).toBe(`"${catalogue.latest()}"`);
      }
    }),
    { numRuns: runs(30) },
  );
});

test("an event that comes back after its removal is added again", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record] });
  const [event] = catalogue.events();
  if (event === undefined) throw new Error("the catalogue has an event");
  await catalogue.commit({ remove: [event.id] });
  await catalogue.commit({ add: [record] });
  await catalogue.commit({ update: [event] });
  const { body } = await model.api.getEventHistory({ id: catalogue.id, eventId: event.id });
  expect(body.history.map(({ version, change }) => [version, change])).toEqual([
    [4, "added"],
    [2, "removed"],
    [1, "added"],
  ]);
});

async function catalogueOfThree(): Promise<ModelCatalogue> {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: [record] });
  await catalogue.open({ add: [record] });
  await catalogue.abandon();
  await catalogue.commit({ add: [record] });
  return catalogue;
}

test("an open revision is invisible to every read", async () => {
  const catalogue = await catalogueOfThree();
  const { id } = catalogue;
  const [first] = catalogue.events();
  const eventId = first?.id ?? "";
  await catalogue.open({ add: [record], update: [{ ...record, id: eventId, magnitude: 9 }] });

  const { body } = await model.api.listEvents({ id });
  expect(body).toMatchObject({ total: 2 });
  expect(body.events).toEqual(inOrder(catalogue.events(), "time").map(listed));
  const single = await model.api.getEvent({ id, eventId });
  expect(single.body.event.magnitude).toBeNull();
  expect((await refusal(model.api.listEvents({ id }, { asOf: 4 }))).code).toBe("NOT_FOUND");
});

test("asOf a time is the latest version committed until then", async () => {
  const catalogue = await catalogueOfThree();
  const etag = async (asOf: string) =>
    (await model.api.listEvents({ id: catalogue.id }, { asOf })).etag;
  expect(await etag("2020-01-01T00:00:01.000Z")).toBe('"1"');
  expect(await etag("2020-01-01T00:00:02.999999Z")).toBe('"1"');
  expect(await etag("2020-01-01T01:00:03+01:00")).toBe('"3"');
  expect(await etag("9999-01-01")).toBe('"3"');
});

test.each([
  ["an abandoned number", "2"],
  ["a number not yet given", "4"],
  ["version 0", "0"],
  ["a number of any length", "9".repeat(40)],
  ["a time before the first version", "2020-01-01T00:00:00.999999Z"],
])("asOf %s is 404", async (_, asOf) => {
  const { id } = await catalogueOfThree();
  const reads = [
    model.api.listEvents({ id }, { asOf }),
    model.api.filterEvents({ id }, { asOf }),
    model.api.getEvent({ id, eventId: UNKNOWN }, { asOf }),
  ];
  for (const { code } of await Promise.all(reads.map(refusal))) expect(code).toBe("NOT_FOUND");
});

test.each(["", "-1", "1.0", "latest", "2020-13-01", "'", "\0"])(
  "the malformed asOf %j is refused by its name",
  async (asOf) => {
    const { id } = await catalogueOfThree();
    const read = model.api.listEvents({ id }, { asOf });
    expect(await refusal(read)).toEqual({ code: "VALIDATION_ERROR", fields: ["asOf"] });
  },
);

test("a catalogue without a version reads as empty, and has no version to ask for", async () => {
  const { id } = await createModelCatalogue(model.writer);
  const { body, etag } = await model.api.listEvents({ id });
  expect(body).toEqual({ events: [], total: 0, page: 1, pageSize: 50 });
  expect(etag).toBe('"0"');
  const asOf = "9999-01-01";
  expect((await refusal(model.api.listEvents({ id }, { asOf }))).code).toBe("NOT_FOUND");
  expect((await model.api.listVersions({ id })).body).toEqual({ versions: [] });
});

test("a single event is answered as the version has it, with its provenance where it has one", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  const source_events = [
    {
      catalogue_id: catalogue.id,
      event_id: UNKNOWN,
      source_id: null,
      source: "GeoNet",
      time_difference: 0.25,
      distance: 1.5,
      quality_score: 71.2,
      chosen: true,
    },
  ];
  await catalogue.commit({ add: [{ ...record, source_events }] });
  const [event] = catalogue.events();
  if (event === undefined) throw new Error("the catalogue has an event");
  const path = { id: catalogue.id, eventId: event.id };
  await catalogue.commit({ update: [{ ...event, magnitude: 5, source_events: null }] });

  expect(await model.api.getEvent(path, { asOf: 1 })).toEqual({
    body: { event },
    etag: '"1"',
    isPublic: true,
  });
  expect(await model.api.getEvent(path)).toEqual({
    body: { event: unmerged({ ...event, magnitude: 5 }) },
    etag: '"2"',
    isPublic: true,
  });
  await catalogue.commit({ remove: [event.id] });
  expect((await refusal(model.api.getEvent(path))).code).toBe("NOT_FOUND");
});

test("an event that the catalogue does not have is 404", async () => {
  const [own, other] = [await catalogueOfThree(), await catalogueOfThree()];
  const foreign = other.events()[0]?.id ?? "";
  for (const eventId of [UNKNOWN, foreign, "nonsense", "", "\0"]) {
    for (const read of [model.api.getEvent, model.api.getEventHistory]) {
      expect((await refusal(read({ id: own.id, eventId }))).code).toBe("NOT_FOUND");
    }
  }
});

test("the versions are listed newest first, without abandoned ones", async () => {
  const { id } = await catalogueOfThree();
  const { body, etag } = await model.api.listVersions({ id });
  const facts = { cause: "edit", actor: "user_1_tester", added: 0, updated: 0, removed: 0 };
  expect(body.versions).toEqual([
    { version: 3, created_at: "2020-01-01T00:00:03.000Z", ...facts },
    { version: 1, created_at: "2020-01-01T00:00:01.000Z", ...facts },
  ]);
  expect(etag).toBe('"3"');
});
