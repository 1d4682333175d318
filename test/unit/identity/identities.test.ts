import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bareId,
  bareIdOf,
  type EventIds,
  idsIn,
  idsOf,
} from "#contracts/seismic-event/public-ids.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  createEventIdentifier,
  createIdMarks,
  type Identified,
  type KnownEvent,
  type KnownEvents,
  keepIdentity,
  knownEvents,
} from "#services/domain/events/identity.ts";

/** Few enough that many come again. */
const anySourceId = fc.oneof(
  fc.nat(300).map((n) => `2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a"),
);
/** More beginnings than are numbered. */
const anyPublicId = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("", "/", "smi:a/", "smi:b/"),
      fc.nat(3_000).map((n) => `${n}/`),
    ),
    anySourceId,
  )
  .map((parts) => parts.join(""));

test("the table of ids tells the marks of each id as maps do", () => {
  const anyStep = fc.oneof(
    fc.record({
      kind: fc.constant("source" as const),
      id: anySourceId,
      mark: fc.constantFrom(1, 2, 4),
    }),
    fc.record({
      kind: fc.constant("public" as const),
      id: anyPublicId,
      mark: fc.constantFrom(8, 16, 128),
    }),
  );
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 3_000 }), (steps) => {
      const marks = createIdMarks();
      const oracle = { source: new Map<string, number>(), public: new Map<string, number>() };
      const bits = { source: 7, public: 152 };
      for (const { kind, id, mark } of steps) {
        const place = kind === "source" ? marks.ofSourceId(id) : marks.ofPublicId(id);
        const before = oracle[kind].get(id) ?? 0;
        expect(marks.at(place) & bits[kind]).toBe(before);
        marks.add(place, mark);
        oracle[kind].set(id, before | mark);
      }
    }),
  );
});

test("the table of ids takes hundreds of thousands, texts longer than all before, and leaves each where it is", () => {
  const marks = createIdMarks();
  const ids = Array.from({ length: 200_000 }, (_, i) => `${2_000 + (i % 25)}p${i}`);
  const places = ids.map(marks.ofSourceId);
  for (const text of ["x".repeat(300_000), "y".repeat(300_000)]) {
    expect(marks.at(marks.ofSourceId(text))).toBe(0);
    marks.add(marks.ofSourceId(text), 2);
  }
  for (const place of places) marks.add(place, 1);
  expect(ids.map(marks.ofSourceId)).toEqual(places);
  expect(places.filter((place) => marks.at(place) !== 1)).toEqual([]);
  expect(marks.at(marks.ofSourceId("x".repeat(300_000)))).toBe(2);
  expect(marks.at(marks.ofSourceId("x".repeat(299_999)))).toBe(0);
});

test("the table of ids keeps a public id that ends in a source id in the place of that", () => {
  const marks = createIdMarks();
  const place = marks.ofSourceId("2024p1");
  expect(marks.ofPublicId("smi:nz.org.geonet/2024p1")).toBe(place);
  expect(marks.ofPublicId("smi:other/2024p1")).not.toBe(place);
});

const ids = (sourceId: string | null, publicId: string | null = null): EventIds => ({
  sourceId,
  publicId,
});
const stored = (...all: readonly EventIds[]): KnownEvents<KnownEvent> =>
  knownEvents(all.map((given, i) => ({ id: String(i), ...given })));
const A = "smi:de.bgr/20150304/event/1";
const B = "smi:de.bgr/20160506/event/1";

/** What becomes of events that come one after the other; null of those that have come before. */
function identifyAll(
  known: KnownEvents<KnownEvent>,
  ...given: readonly EventIds[]
): (Identified<KnownEvent> | null)[] {
  const identifier = createEventIdentifier();
  return given.map((one) => {
    const taken = identifier.take(one);
    return taken && identifier.identify(taken, known);
  });
}

const added = (sourceId: string | null) => ({ outcome: "new", sourceId });
const found = (id: number) => ({
  outcome: "known",
  event: expect.objectContaining({ id: `${id}` }),
});
const unclear = { outcome: "unclear" };

describe("an event is", () => {
  test.each<[string, EventIds[], EventIds, unknown]>([
    ["found by its public id", [ids("1", A)], ids("1", A), found(0)],
    ["found by it under another source_id", [ids("mine", A)], ids("1", A), found(0)],
    ["found by it where it stands as source_id", [ids("1", A), ids(B, B)], ids("1", B), found(1)],
    ["found by it without a source_id", [ids(null, A)], ids("1", A), found(0)],
    ["found by its bare id where it had no public one", [ids("1")], ids("1", A), found(0)],
    ["found by its bare id where it comes without public one", [ids("1", A)], ids("1"), found(0)],
    ["found in its public id by its bare one", [ids(A, A)], ids("1"), found(0)],
    ["found by its bare id when its public one is given as id", [ids("1")], ids(A, A), found(0)],
    ["new beside another of its bare id", [ids("1", A)], ids("1", B), added(B)],
    ["new under a bare id that is free", [ids(A, A)], ids("1", B), added("1")],
    ["left where its bare id is of several", [ids("1", A), ids(B, B)], ids("1"), unclear],
    ["left where its bare id is in several", [ids(A, A), ids(B, B)], ids("1"), unclear],
    ["found by its bare id beside others", [ids("1"), ids(B, B)], ids("1"), found(0)],
    [
      "new without a source_id where none is free",
      [ids("1", A), ids(B, A)],
      ids("1", B),
      added(null),
    ],
    ["new without any id", [ids("1", A)], ids(null), added(null)],
  ])("%s", (_, known, given, outcome) => {
    expect(identifyAll(stored(...known), given)).toEqual([outcome]);
  });
});

describe("of several events that come", () => {
  test.each<[string, EventIds[], EventIds[], unknown[]]>([
    ["the first keeps the bare id", [], [ids("1", A), ids("1", B)], [added("1"), added(B)]],
    ["one public id is one event", [], [ids("1", A), ids("2", A)], [added("1"), null]],
    [
      "one bare id without a public one is one event",
      [],
      [ids("1", A), ids("1")],
      [added("1"), null],
    ],
    ["the same the other way round", [], [ids("1"), ids("1", B)], [added("1"), null]],
    [
      "one alone meets an event without a public id",
      [ids("1")],
      [ids("1", A), ids("1", B)],
      [found(0), added(B)],
    ],
    [
      "none meets what another has met",
      [ids("1", A)],
      [ids("1"), ids("2", A)],
      [found(0), unclear],
    ],
    ["those without any id are all new", [], [ids(null), ids(null)], [added(null), added(null)]],
    ["source_ids are compared as they stand", [], [ids(A, A), ids("1")], [added(A), added("1")]],
  ])("%s", (_, known, given, outcomes) => {
    expect(identifyAll(stored(...known), ...given)).toEqual(outcomes);
  });

  test("of two stored events with one public id always the same is met", () => {
    const events = [ids(null, A), ids("1", A), ids("2", A)].map((one, i) => ({
      id: `${i}`,
      ...one,
    }));
    for (const order of [events, events.toReversed()]) {
      expect(identifyAll(knownEvents(order), ids("1", A))).toEqual([found(1)]);
    }
  });
});

describe("an event that is updated", () => {
  const record = (sourceId: string | null, extra: SeismicEventRecord["extra"]) => ({
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra,
  });

  test.each([
    ["its source_id", record("1", { public_id: B }), ids(B, B), record(B, { public_id: B })],
    ["its public id", record("1", { a: 1 }), ids("1", A), record("1", { a: 1, public_id: A })],
    ["nothing that it had not", record("1", null), ids("1"), record("1", null)],
    [
      "its source_id, and gets a public id",
      record(A, null),
      ids("1"),
      record("1", { public_id: A }),
    ],
    ["the public id that stood as source_id", record("1", null), ids(A, A), record(A, null)],
  ])("an event that is updated keeps %s", (_, given, known, kept) => {
    expect(keepIdentity(given, known)).toEqual(kept);
  });
});

describe("the bare id", () => {
  test.each([
    ["smi:nz.org.geonet/2024p344188", "2024p344188"],
    ["smi:org.gfz-potsdam.de/geofon/gfz2024abcd", "gfz2024abcd"],
    ["smi:ch.ethz.sed/sc20a/Event/2024abcd", "2024abcd"],
    ["quakeml:us.anss.org/event/us7000abcd", "us7000abcd"],
    ["quakeml:us.anss.org/event/20240101?eventid=us7000", "us7000"],
    [
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
      "ci15481673",
    ],
    ["smi:webservices.ingv.it/fdsnws/event/1/query?eventId=123", "123"],
    ["smi:service.scedc.caltech.edu/fdsnws/event/1/query?format=xml&eventid=37300872", "37300872"],
    ["smi:ISC/evid=600516598", "600516598"],
    ["smi:de.bgr/out.scb/20150304062151/event/1", "1"],
    ["smi:local/event/230826094944/-32.73/116.39/", "116.39"],
    ["smi:local/2024abcd/event#", "2024abcd"],
    ["smi:local/2024abcd/#", "2024abcd"],
    ["smi:ch.ethz.sed/sc20a/Event/2024abcd#3", "2024abcd#3"],
    ["smi:scs/0.7/event/query?id=5#detail", "5"],
    ["smi:local", "smi:local"],
    ["smi:local/event/", "smi:local"],
    ["2024p344188", "2024p344188"],
    ["event", "event"],
    ["/", "/"],
  ])("the bare id in %s is %s", (publicId, bare) => {
    expect(bareId(publicId)).toBe(bare);
    expect(idsIn(publicId)).toEqual({
      sourceId: bare,
      publicId: bare === publicId ? null : publicId,
    });
  });

  test("the bare id of an event is its source_id, and is in it where that is the public id", () => {
    const publicId = "smi:de.bgr/20150304/event/1";
    expect(bareIdOf({ sourceId: "one", publicId })).toBe("one");
    expect(bareIdOf({ sourceId: publicId, publicId })).toBe("1");
    expect(bareIdOf({ sourceId: "a/1", publicId: null })).toBe("a/1");
    expect(bareIdOf({ sourceId: null, publicId })).toBeNull();
  });
});

describe("the ids of an event", () => {
  test.each([
    [
      { source_id: "1", extra: null },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: "smi:a/1" } },
      { sourceId: "1", publicId: "smi:a/1" },
    ],
    [{ extra: { public_id: "smi:a/1" } }, { sourceId: null, publicId: "smi:a/1" }],
    // A resource identifier of QuakeML is public wherever it stands; other ids are the submitter's own.
    [{ source_id: "smi:a/1" }, { sourceId: "smi:a/1", publicId: "smi:a/1" }],
    [{ source_id: "2024/1" }, { sourceId: "2024/1", publicId: null }],
    [
      { source_id: "smi:a/1", extra: { public_id: "smi:b/1" } },
      { sourceId: "smi:a/1", publicId: "smi:b/1" },
    ],
    [
      { source_id: "", extra: { public_id: " " } },
      { sourceId: null, publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: 7 } },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: "x".repeat(256) } },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: null, extra: ["public_id"] },
      { sourceId: null, publicId: null },
    ],
  ])("%j are %j", (record, ids) => {
    expect(idsOf(record)).toEqual(ids);
  });
});
