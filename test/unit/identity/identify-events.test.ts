import { describe, expect, test } from "vitest";
import type { EventIds } from "#contracts/seismic-event/public-ids.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  createEventIdentifier,
  type Identified,
  type KnownEvent,
  type KnownEvents,
  keepIdentity,
  knownEvents,
} from "#services/domain/events/identity.ts";

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
