import type { ErrorCode } from "#contracts/errors.ts";
import {
  type CatalogueEvent,
  NO_BOUNDS,
  type RevisionCause,
} from "#contracts/events/catalogues.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/events/imports.ts";
import {
  abandonRevision,
  commitRevision,
  createCatalogue,
  deleteCatalogue,
  openRevision,
  recordMerge,
  updateCatalogue,
} from "#services/domain/catalogues/catalogue.ts";
import { completeImport, startImport } from "#services/domain/imports/run.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { testRows } from "../../support/test-rows.ts";
import { type Decide, given } from "./scenario.ts";

const catalogueId = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const bounds = { ...NO_BOUNDS, min_latitude: -41, max_latitude: -40 };
const worker = "42";

const madeWith = (name: string, isPublic = false): CatalogueEvent => ({
  type: "CatalogueCreated",
  data: { catalogueId, name, isPublic, createdBy: "user_1_a" },
});
const created = madeWith("Wellington");
const opened = (revision: number, cause: RevisionCause = "created"): CatalogueEvent => ({
  type: "RevisionOpened",
  data: { catalogueId, revision, cause, worker },
});
const content = { chunks: 1, added: 3, updated: 0, removed: 0, bounds, contentHash: "ab" };
const committed = (
  revision: number,
  eventCount: number,
  cause: RevisionCause = "created",
  counts = {},
): CatalogueEvent => ({
  type: "RevisionCommitted",
  data: { catalogueId, revision, cause, ...content, ...counts, eventCount },
});
const abandoned = (revision: number, reason = "gone"): CatalogueEvent => ({
  type: "RevisionAbandoned",
  data: { catalogueId, revision, reason },
});
const shown = (isPublic: boolean, publicFrom: number | null): CatalogueEvent => ({
  type: "VisibilityChanged",
  data: { catalogueId, isPublic, publicFrom },
});
const renamed: CatalogueEvent = { type: "CatalogueRenamed", data: { catalogueId, name: "Taupō" } };
const deleted: CatalogueEvent = { type: "CatalogueDeleted", data: { catalogueId } };

type Row = readonly [
  what: string,
  history: readonly CatalogueEvent[],
  decide: Decide,
  expected: ErrorCode | readonly CatalogueEvent[],
];

const decides = (title: string, rows: readonly Row[]): void =>
  testRows<Row>(title, rows, (_, history, decide, expected) => {
    const decided = given(...history).when(decide);
    if (typeof expected === "string") decided.thenRefused(expected);
    else decided.then(...expected);
  });

const create =
  (name: string): Decide =>
  (state) =>
    createCatalogue(state, { catalogueId, name, isPublic: false, createdBy: "user_1_a" });
const update =
  (change: Parameters<typeof updateCatalogue>[1]): Decide =>
  (state) =>
    updateCatalogue(state, change);
const LONGEST = "🌋".repeat(255);
const TWO = [created, opened(1), committed(1, 3), opened(2), committed(2, 6)];
const PUBLISHED = [...TWO, shown(true, 2), opened(3), committed(3, 9)];
const PUBLIC = [madeWith("Wellington", true), opened(1), committed(1, 3)];

decides("a catalogue is created with a name, renamed, shown and deleted", [
  ["a name is trimmed", [], create("  Wellington "), [created]],
  ["a blank name", [], create(" \t\n"), "MISSING_NAME"],
  ["a name of 255 code points", [], create(LONGEST), [madeWith(LONGEST)]],
  ["a name of 256", [], create(`${LONGEST}x`), "NAME_TOO_LONG"],
  ["a name that UTF-8 cannot hold", [], create("a\u0000b"), "VALIDATION_ERROR"],
  ["a name of half a pair", [], create("a\ud800b"), "VALIDATION_ERROR"],
  ["an id that is taken", [created], create("Wellington"), "CONFLICT"],
  ["an id that was taken", [created, deleted], create("Wellington"), "CONFLICT"],
  ["each change", [created], update({ name: "Taupō", isPublic: true }), [renamed, shown(true, 1)]],
  ["what is as it was", [created], update({ name: " Wellington", isPublic: false }), []],
  ["while a revision is open", [created, opened(1)], update({ isPublic: true }), [shown(true, 1)]],
  ["shown from the latest on", TWO, update({ isPublic: true }), [shown(true, 2)]],
  ["shown whole", TWO, update({ isPublic: true, publishHistory: true }), [shown(true, 1)]],
  ["shown already", PUBLISHED, update({ isPublic: true, publishHistory: false }), []],
  [
    "its past, later",
    PUBLISHED,
    update({ isPublic: true, publishHistory: true }),
    [shown(true, 1)],
  ],
  ["again", [...PUBLISHED, shown(false, null)], update({ isPublic: true }), [shown(true, 3)]],
  ["created public", PUBLIC, update({ isPublic: true, publishHistory: true }), []],
  ["created public, hidden", PUBLIC, update({ isPublic: false }), [shown(false, null)]],
  ["a blank new name", [created], update({ name: " " }), "MISSING_NAME"],
  ["no catalogue", [], update({ name: "x" }), "NOT_FOUND"],
  ["a deleted one", [created, deleted], update({ name: "x" }), "NOT_FOUND"],
  ["deleting while a revision is open", [created, opened(1)], deleteCatalogue, [deleted]],
  ["deleting none", [], deleteCatalogue, "NOT_FOUND"],
  ["deleting twice", [created, deleted], deleteCatalogue, "NOT_FOUND"],
]);

const open =
  (cause: RevisionCause): Decide =>
  (state) =>
    openRevision(state, { cause, worker });
const commit =
  (revision: number, counts = {}): Decide =>
  (state) =>
    commitRevision(state, { ...content, revision, ...counts });
const abandon =
  (revision: number): Decide =>
  (state) =>
    abandonRevision(state, { revision, reason: "gone" });
const EDITING = [created, opened(1), committed(1, 3), opened(2, "edit")];
const COUNTS = { added: 2, updated: 1, removed: 4 };

decides("revisions are open one at a time, numbered for good, and end once", [
  ["numbered from 1", [created], open("created"), [opened(1)]],
  ["one at a time", [created, opened(1)], open("edit"), "CONFLICT"],
  ["no number twice", [...EDITING, abandoned(2)], open("edit"), [opened(3, "edit")]],
  ["the count goes on", EDITING, commit(2, COUNTS), [committed(2, 1, "edit", COUNTS)]],
  ["abandoned", [created, opened(1, "import"), abandoned(1)], commit(1), "UNAVAILABLE"],
  ["committed", [created, opened(1), committed(1, 3)], commit(1), "UNAVAILABLE"],
  ["deleted with it", [created, opened(1), deleted], commit(1), "NOT_FOUND"],
  ["a catalogue nobody was told of", [created, opened(1)], abandon(1), [abandoned(1), deleted]],
  ["a merge's", [created, opened(1, "merge")], abandon(1), [abandoned(1), deleted]],
  ["a first import's stays", [created, opened(1, "import")], abandon(1), [abandoned(1)]],
  ["one with a version stays", EDITING, abandon(2), [abandoned(2)]],
  ["another number", [created, opened(1)], abandon(2), "UNAVAILABLE"],
]);

const merge = {
  config: {
    timeThreshold: 16,
    distanceThreshold: 50,
    mergeStrategy: "quality",
    priority: "",
    linkage: "nearest",
  },
  sources: [
    { id: catalogueId, name: "GeoNet", source: "GeoNet", version: 3, event_count: 7 },
    { id: catalogueId, name: "USGS", source: "USGS", version: 1, event_count: 0 },
  ],
  duplicateGroups: 2,
  rules: 2,
} as const;
const merged: CatalogueEvent = {
  type: "CatalogueMerged",
  data: { catalogueId, ...merge, sources: [...merge.sources] },
};
const recordOfMerge: Decide = (state) => recordMerge(state, merge);

decides("what a new catalogue is merged of is recorded before its first revision", [
  ["configuration and versions", [created], recordOfMerge, [merged]],
  ["once it has had a revision", [created, opened(1)], recordOfMerge, "CONFLICT"],
  ["of no catalogue", [], recordOfMerge, "NOT_FOUND"],
  ["nothing else changes", [created, merged], open("merge"), [opened(1, "merge")]],
]);

const importId = "0b1f8f0e-6c8d-4b8e-9a55-0d3c0a1f7e22";
const run = {
  importId,
  agency: "GeoNet",
  window: { start: "2020-01-01T00:00:00Z", end: "2020-02-01T00:00:00Z" },
  filters: { ...UNBOUNDED, minMagnitude: 3 },
  detail: "full",
  updateExisting: true,
} as const;
const started: CatalogueEvent = {
  type: "ImportStarted",
  data: { catalogueId, revision: 1, ...run },
};
const IMPORTING = [created, opened(1, "import"), started];
const tally: ImportTally = { ...NOTHING_IMPORTED, totalFetched: 3, newEvents: 3 };
const completed = (of: ImportTally): CatalogueEvent => ({
  type: "ImportCompleted",
  data: { catalogueId, importId, tally: of },
});
const failed = (of: ImportTally, code: string | null, message: string): CatalogueEvent => ({
  type: "ImportFailed",
  data: { catalogueId, importId, tally: of, failure: { code, message } },
});
const start: Decide = (state) => startImport(state, { ...run, worker });
const complete =
  (of = tally): Decide =>
  (state) =>
    completeImport(state, { commit: { ...content, revision: 1, added: of.newEvents }, tally: of });
const failure = { code: "AGENCY_TIMEOUT", message: "it sent nothing" };

decides("an import opens a revision, and ends with it as completed, failed or cut off", [
  ["it tells what is asked for", [created], start, [opened(1, "import"), started]],
  ["while a revision is open", [created, opened(1, "import")], start, "CONFLICT"],
  ["of no catalogue", [], start, "NOT_FOUND"],
  ["completed", IMPORTING, complete(), [committed(1, 3, "import"), completed(tally)]],
  [
    "nothing changed",
    IMPORTING,
    complete(NOTHING_IMPORTED),
    [abandoned(1, "nothing changed"), completed(NOTHING_IMPORTED)],
  ],
  ["its revision gone", [...IMPORTING, abandoned(1)], complete(), "UNAVAILABLE"],
  ["a revision of no import", [created, opened(1, "import")], complete(), "CONFLICT"],
  [
    "failed, with what is known of it",
    IMPORTING,
    (state) => abandonRevision(state, { revision: 1, reason: "its import failed", tally, failure }),
    [abandoned(1, "its import failed"), failed(tally, failure.code, failure.message)],
  ],
  [
    "its worker gone",
    IMPORTING,
    abandon(1),
    [abandoned(1), failed(NOTHING_IMPORTED, null, "The import was cut off: gone")],
  ],
]);
