import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  catalogueEvents,
  NO_BOUNDS,
} from "#contracts/events/catalogues.ts";
import { NOTHING_IMPORTED, type ScheduleSettings } from "#contracts/events/imports.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import { ABSENT, evolve } from "#services/domain/catalogues/catalogue.ts";
import { SHAPE, storedForm } from "#services/streams.ts";
import { testRows } from "../../support/test-rows.ts";

const catalogueId = "5c6f9a52-0d0e-4c57-9d2b-6a0f5a3b1c11";
const other = "7f0d5e0c-53a1-4a0e-8f2f-0f5ef0f3a0b2";
const third = "9b1c6d2e-1d0b-4b6e-9e44-2b6a1c3d4e5f";
const at = "2030-01-01T00:00:00.000Z";
const config = { linkage: "complete", follow: true } as unknown as MergeConfig;
const sources = [{ id: other, name: "a", version: 3 }] as never;
const window = { start: at, end: at };
const filters = {
  ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
  ...{ minLatitude: null, maxLatitude: null, minLongitude: 165, maxLongitude: -175 },
};
const settings: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 24, detail: "full", push: false },
  ...{ filters, updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};
const bounds = { ...NO_BOUNDS, min_latitude: -1, start_time: at };
const created = { catalogueId, name: "a", isPublic: true, createdBy: "user_1" };
const run = {
  ...{ catalogueId, importId: other, revision: 2, agency: "GeoNet", window, filters },
  ...{ detail: "full" as const, updateExisting: true },
};
const commit = {
  ...{ catalogueId, revision: 2, cause: "import" as const, chunks: 1, eventCount: 4, bounds },
  ...{ added: 4, updated: 2, removed: 1, contentHash: "f00d" },
};
const refreshed = { catalogueId, revision: 2, config, sources, duplicateGroups: 3, decided: 1 };
const share = { catalogueId, label: null, secretHash: "0".repeat(64) };

/** Every event in all of its forms: each member that may be absent is once there and once not. */
const HISTORY: { readonly [T in CatalogueEvent["type"]]: readonly CatalogueEventData<T>[] } = {
  CatalogueCreated: [
    { ...created, isRestricted: true, editing: "members", derivedFrom: {} as never },
    created,
  ],
  CatalogueRenamed: [{ catalogueId, name: "b" }],
  VisibilityChanged: [
    { catalogueId, isPublic: false, publicFrom: null, isRestricted: true },
    { catalogueId, isPublic: true, publicFrom: 3 },
  ],
  EditingChanged: [{ catalogueId, editing: "members" }],
  PartsChanged: [{ catalogueId, parts: true }],
  MemberSet: [
    { catalogueId, memberId: "user_2", kind: "user", right: "read" },
    { catalogueId, memberId: "group", kind: "group", right: "edit" },
  ],
  MemberRemoved: [{ catalogueId, memberId: "user_2" }],
  MetadataChanged: [
    { catalogueId, metadata: null },
    { catalogueId, metadata: { title: "t", creators: [{ name: "Ngā Rū" }] } },
  ],
  RevisionOpened: [
    { catalogueId, revision: 1, cause: "restore", worker: "w", restores: 1, reason: "so" },
    { catalogueId, revision: 2, cause: "import", worker: "v" },
  ],
  ImportStarted: [
    run,
    { ...run, importId: third, agencyId: "geonet", scheduleId: other, begunAt: at },
  ],
  ImportCompleted: [{ catalogueId, importId: third, tally: NOTHING_IMPORTED }],
  RevisionCommitted: [commit, { ...commit, frames: 2, eventCount: 5 }],
  ImportFailed: [
    {
      ...{ catalogueId, importId: third, tally: NOTHING_IMPORTED },
      failure: { code: null, message: "so" },
    },
  ],
  RevisionAbandoned: [{ catalogueId, revision: 2, reason: "so" }],
  CatalogueMerged: [
    { catalogueId, config, sources },
    { catalogueId, config, sources, duplicateGroups: 2, rules: 1 },
  ],
  MergeRefreshed: [
    { ...refreshed, rules: 2 },
    { ...refreshed, decided: 2 },
  ],
  MergeDecisionsMade: [{ catalogueId, decisions: [] }],
  MergeDecisionsWithdrawn: [{ catalogueId, ids: [other] }],
  CatalogueShared: [
    { ...share, shareId: other, expiresAt: null },
    { ...share, shareId: third, expiresAt: at },
  ],
  ShareEnded: [{ catalogueId, shareId: other }],
  ScheduleMade: [
    { catalogueId, scheduleId: other, maker: "user_1", settings },
    { catalogueId, scheduleId: third, maker: "user_1", settings },
  ],
  ScheduleChanged: [
    {
      ...{ catalogueId, scheduleId: other },
      settings: { ...settings, paused: true, pausedBecause: "so" },
    },
  ],
  ScheduleEnded: [{ catalogueId, scheduleId: third }],
  CatalogueDeleted: [{ catalogueId }],
};

const EVENTS = Object.entries(HISTORY).flatMap(([type, all]) =>
  all.map((data) => ({ type, data }) as CatalogueEvent),
);

testRows(
  "every event is in the history by which states are told apart, with and without what may be absent",
  Object.keys(catalogueEvents) as CatalogueEvent["type"][],
  (type) => {
    const forms: readonly object[] = HISTORY[type];
    for (const [member, { safeParse }] of Object.entries(catalogueEvents[type].shape)) {
      const isThere = new Set(forms.map((form) => member in form));
      const mayBeAbsent = safeParse(undefined).success;
      expect([member, ...isThere].toSorted()).toEqual(
        [member, ...(mayBeAbsent ? [false, true] : [true])].toSorted(),
      );
    }
  },
);

test("what events make of a state, and the form in which it is kept, have the number of their hash: the new one where either changes", () => {
  const hash = createHash("sha256");
  // Those that begin a stream, each alone; then all, one after the other.
  const starts = EVENTS.filter(({ type }) => type === "CatalogueCreated");
  const rest = EVENTS.filter(({ type }) => type !== "CatalogueCreated");
  for (const start of starts) hash.update(storedForm(evolve(ABSENT, start)));
  let state = evolve(ABSENT, starts[0] as CatalogueEvent);
  for (const event of rest) {
    // Twice where that is another state: what an event adds to is there before it, and is not.
    const after = evolve(state, event);
    hash.update(storedForm(after));
    if (event.type !== "CatalogueDeleted") hash.update(storedForm(evolve(after, event)));
    state = after;
  }
  // As much of it as the column holds.
  expect(SHAPE).toBe(hash.digest().readUInt32BE() >>> 1);
});
