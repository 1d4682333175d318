import { describe, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/events/imports.ts";
import { abandonRevision } from "#services/domain/catalogues/catalogue.ts";
import { completeImport, startImport } from "#services/domain/imports/run.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { given } from "./scenario.ts";

const catalogueId = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const importId = "0b1f8f0e-6c8d-4b8e-9a55-0d3c0a1f7e22";
const worker = "42";
const run = {
  importId,
  agency: "GeoNet",
  window: { start: "2020-01-01T00:00:00Z", end: "2020-02-01T00:00:00Z" },
  filters: { ...UNBOUNDED, minMagnitude: 3 },
  detail: "full",
  updateExisting: true,
} as const;

const created: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Wellington", isPublic: false, createdBy: "user_1_a" },
};
const opened: CatalogueEvent = {
  type: "RevisionOpened",
  data: { catalogueId, revision: 1, cause: "import", worker },
};
const started: CatalogueEvent = {
  type: "ImportStarted",
  data: { catalogueId, revision: 1, ...run },
};
const tally: ImportTally = { ...NOTHING_IMPORTED, totalFetched: 3, newEvents: 3 };
const commit = {
  revision: 1,
  chunks: 1,
  added: 3,
  updated: 0,
  removed: 0,
  bounds: NO_BOUNDS,
  contentHash: "ab",
};
const completed = (of: ImportTally): CatalogueEvent => ({
  type: "ImportCompleted",
  data: { catalogueId, importId, tally: of },
});
const abandoned = (reason: string): CatalogueEvent => ({
  type: "RevisionAbandoned",
  data: { catalogueId, revision: 1, reason },
});

describe("starting an import", () => {
  test("starting an import opens the next revision and tells what is asked for", () => {
    given(created)
      .when((state) => startImport(state, { ...run, worker }))
      .then(opened, started);
  });

  test("starting an import is refused while a revision is open, and of no catalogue", () => {
    given(created, opened)
      .when((state) => startImport(state, { ...run, worker }))
      .thenRefused("CONFLICT");
    given()
      .when((state) => startImport(state, { ...run, worker }))
      .thenRefused("NOT_FOUND");
  });
});

describe("completing an import", () => {
  test("completing an import commits its revision", () => {
    given(created, opened, started)
      .when((state) => completeImport(state, { commit, tally }))
      .then(
        {
          type: "RevisionCommitted",
          data: { catalogueId, cause: "import", ...commit, eventCount: 3 },
        },
        completed(tally),
      );
  });

  test("completing an import makes no version where nothing has changed", () => {
    given(created, opened, started)
      .when((state) =>
        completeImport(state, { commit: { ...commit, added: 0 }, tally: NOTHING_IMPORTED }),
      )
      .then(abandoned("nothing changed"), completed(NOTHING_IMPORTED));
  });

  test("completing an import is refused once its revision is not open any more, and of a revision of no import", () => {
    given(created, opened, started, abandoned("gone"))
      .when((state) => completeImport(state, { commit, tally }))
      .thenRefused("UNAVAILABLE");
    given(created, opened)
      .when((state) => completeImport(state, { commit, tally }))
      .thenRefused("CONFLICT");
  });
});

describe("abandoning an import's revision", () => {
  const failed = (of: ImportTally, code: string | null, message: string): CatalogueEvent => ({
    type: "ImportFailed",
    data: { catalogueId, importId, tally: of, failure: { code, message } },
  });

  test("abandoning an import's revision ends the import as failed with what is known of it, and keeps a new catalogue", () => {
    const failure = { code: "AGENCY_TIMEOUT", message: "it sent nothing" };
    const reason = "its import failed";
    given(created, opened, started)
      .when((state) => abandonRevision(state, { revision: 1, reason, tally, failure }))
      .then(abandoned(reason), failed(tally, failure.code, failure.message));
  });

  test("abandoning an import's revision by whoever finds its worker gone ends it as cut off", () => {
    const reason = "its worker is gone";
    given(created, opened, started)
      .when((state) => abandonRevision(state, { revision: 1, reason }))
      .then(
        abandoned(reason),
        failed(NOTHING_IMPORTED, null, "The import was cut off: its worker is gone"),
      );
  });
});
