import { describe, test } from "vitest";
import {
  type CatalogueEvent,
  NO_BOUNDS,
  type RevisionCause,
} from "#contracts/events/catalogues.ts";
import {
  abandonRevision,
  commitRevision,
  createCatalogue,
  deleteCatalogue,
  openRevision,
  recordMerge,
  updateCatalogue,
} from "#services/domain/catalogues/catalogue.ts";
import { given } from "./scenario.ts";

const catalogueId = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const bounds = { ...NO_BOUNDS, min_latitude: -41, max_latitude: -40 };
const worker = "42";

const created: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Wellington", isPublic: false, createdBy: "user_1_a" },
};
const opened = (revision: number, cause: RevisionCause = "created"): CatalogueEvent => ({
  type: "RevisionOpened",
  data: { catalogueId, revision, cause, worker },
});
const content = { chunks: 1, added: 3, updated: 0, removed: 0, bounds, contentHash: "ab" };
const committed = (
  revision: number,
  eventCount: number,
  cause: RevisionCause = "created",
): CatalogueEvent => ({
  type: "RevisionCommitted",
  data: { catalogueId, revision, cause, ...content, eventCount },
});
const abandoned = (revision: number): CatalogueEvent => ({
  type: "RevisionAbandoned",
  data: { catalogueId, revision, reason: "gone" },
});
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
const deleted: CatalogueEvent = { type: "CatalogueDeleted", data: { catalogueId } };

describe("recording what a new catalogue is merged of", () => {
  test("recording what a new catalogue is merged of keeps the configuration and the version of each source", () => {
    given(created)
      .when((state) => recordMerge(state, merge))
      .then({
        type: "CatalogueMerged",
        data: { catalogueId, ...merge, sources: [...merge.sources] },
      });
  });
  test("recording what a new catalogue is merged of is refused once the catalogue has had a revision, and where there is none", () => {
    given(created, opened(1))
      .when((state) => recordMerge(state, merge))
      .thenRefused("CONFLICT");
    given()
      .when((state) => recordMerge(state, merge))
      .thenRefused("NOT_FOUND");
  });
  test("recording what a new catalogue is merged of changes nothing else of the catalogue", () => {
    const recorded = { catalogueId, config: merge.config, sources: [...merge.sources] };
    given(created, { type: "CatalogueMerged", data: recorded })
      .when((state) => openRevision(state, { cause: "merge", worker }))
      .then(opened(1, "merge"));
  });
});

describe("creating a catalogue", () => {
  const command = { catalogueId, name: "  Wellington ", isPublic: false, createdBy: "user_1_a" };

  test("creating a catalogue trims the name", () => {
    given()
      .when((state) => createCatalogue(state, command))
      .then(created);
  });
  test("creating a catalogue refuses a blank name", () => {
    given()
      .when((state) => createCatalogue(state, { ...command, name: " \t\n" }))
      .thenRefused("MISSING_NAME");
  });
  test("creating a catalogue takes a name of 255 characters and refuses one of 256, counting code points", () => {
    const longest = "🌋".repeat(255);
    given()
      .when((state) => createCatalogue(state, { ...command, name: longest }))
      .then({
        type: "CatalogueCreated",
        data: { catalogueId, name: longest, isPublic: false, createdBy: "user_1_a" },
      });
    given()
      .when((state) => createCatalogue(state, { ...command, name: `${longest}x` }))
      .thenRefused("NAME_TOO_LONG");
  });
  test("creating a catalogue refuses a name that UTF-8 text cannot hold", () => {
    for (const name of ["a\u0000b", "a\ud800b"]) {
      given()
        .when((state) => createCatalogue(state, { ...command, name }))
        .thenRefused("VALIDATION_ERROR");
    }
  });
  test("creating a catalogue refuses an id that is taken, also by a deleted catalogue", () => {
    given(created)
      .when((state) => createCatalogue(state, command))
      .thenRefused("CONFLICT");
    given(created, deleted)
      .when((state) => createCatalogue(state, command))
      .thenRefused("CONFLICT");
  });
});

describe("updating a catalogue", () => {
  test("updating a catalogue renames and changes visibility, each by its own event", () => {
    given(created)
      .when((state) => updateCatalogue(state, { name: "Taupō", isPublic: true }))
      .then(
        { type: "CatalogueRenamed", data: { catalogueId, name: "Taupō" } },
        { type: "VisibilityChanged", data: { catalogueId, isPublic: true, publicFrom: 1 } },
      );
  });
  test("updating a catalogue makes no event of what is as it was", () => {
    given(created)
      .when((state) => updateCatalogue(state, { name: " Wellington", isPublic: false }))
      .then();
  });
  test("updating a catalogue is possible while a revision is open", () => {
    given(created, opened(1))
      .when((state) => updateCatalogue(state, { isPublic: true }))
      .then({ type: "VisibilityChanged", data: { catalogueId, isPublic: true, publicFrom: 1 } });
  });
  test("updating a catalogue publishes from the version on that is the latest then, or all of its history", () => {
    const two = [created, opened(1), committed(1, 3), opened(2), committed(2, 6)];
    const changed = (isPublic: boolean, publicFrom: number | null): CatalogueEvent => ({
      type: "VisibilityChanged",
      data: { catalogueId, isPublic, publicFrom },
    });
    given(...two)
      .when((state) => updateCatalogue(state, { isPublic: true }))
      .then(changed(true, 2));
    given(...two)
      .when((state) => updateCatalogue(state, { isPublic: true, publishHistory: true }))
      .then(changed(true, 1));
    const published = [...two, changed(true, 2), opened(3), committed(3, 9)];
    given(...published)
      .when((state) => updateCatalogue(state, { isPublic: true, publishHistory: false }))
      .then();
    given(...published)
      .when((state) => updateCatalogue(state, { isPublic: true, publishHistory: true }))
      .then(changed(true, 1));
    given(...published, changed(false, null))
      .when((state) => updateCatalogue(state, { isPublic: true }))
      .then(changed(true, 3));
  });
  test("updating a catalogue keeps all versions of a catalogue public that was created so", () => {
    const createdPublic: CatalogueEvent = {
      type: "CatalogueCreated",
      data: { catalogueId, name: "Wellington", isPublic: true, createdBy: "user_1_a" },
    };
    given(createdPublic, opened(1), committed(1, 3))
      .when((state) => updateCatalogue(state, { isPublic: true, publishHistory: true }))
      .then();
    given(createdPublic, opened(1), committed(1, 3))
      .when((state) => updateCatalogue(state, { isPublic: false }))
      .then({
        type: "VisibilityChanged",
        data: { catalogueId, isPublic: false, publicFrom: null },
      });
  });
  test("updating a catalogue refuses a blank name, an absent and a deleted catalogue", () => {
    given(created)
      .when((state) => updateCatalogue(state, { name: " " }))
      .thenRefused("MISSING_NAME");
    given()
      .when((state) => updateCatalogue(state, { name: "x" }))
      .thenRefused("NOT_FOUND");
    given(created, deleted)
      .when((state) => updateCatalogue(state, { name: "x" }))
      .thenRefused("NOT_FOUND");
  });
});

describe("revisions", () => {
  const open = { cause: "edit", worker } as const;

  test("revisions are numbered from 1", () => {
    given(created)
      .when((state) => openRevision(state, { cause: "created", worker }))
      .then(opened(1));
  });
  test("revisions are open one at a time", () => {
    given(created, opened(1))
      .when((state) => openRevision(state, open))
      .thenRefused("CONFLICT");
  });
  test("revisions never use an abandoned number again", () => {
    given(created, opened(1), committed(1, 3), opened(2, "edit"), abandoned(2))
      .when((state) => openRevision(state, open))
      .then(opened(3, "edit"));
  });
  test("revisions carry the count of events forward when committed", () => {
    given(created, opened(1), committed(1, 3), opened(2, "edit"))
      .when((state) =>
        commitRevision(state, { ...content, revision: 2, added: 2, updated: 1, removed: 4 }),
      )
      .then({
        type: "RevisionCommitted",
        data: {
          catalogueId,
          cause: "edit",
          ...content,
          revision: 2,
          added: 2,
          updated: 1,
          removed: 4,
          eventCount: 1,
        },
      });
  });
  test("revisions cannot be committed once abandoned, committed or deleted with their catalogue", () => {
    const commit = { ...content, revision: 1 };
    given(created, opened(1, "import"), abandoned(1))
      .when((state) => commitRevision(state, commit))
      .thenRefused("UNAVAILABLE");
    given(created, opened(1), committed(1, 3))
      .when((state) => commitRevision(state, commit))
      .thenRefused("UNAVAILABLE");
    given(created, opened(1), deleted)
      .when((state) => commitRevision(state, commit))
      .thenRefused("NOT_FOUND");
  });
  test("revisions take with them a catalogue that nobody was told of", () => {
    for (const cause of ["created", "merge"] as const) {
      given(created, opened(1, cause))
        .when((state) => abandonRevision(state, { revision: 1, reason: "gone" }))
        .then(abandoned(1), deleted);
    }
  });
  test("revisions leave the catalogue of a first import, and any that has a version", () => {
    given(created, opened(1, "import"))
      .when((state) => abandonRevision(state, { revision: 1, reason: "gone" }))
      .then(abandoned(1));
    given(created, opened(1), committed(1, 3), opened(2, "edit"))
      .when((state) => abandonRevision(state, { revision: 2, reason: "gone" }))
      .then(abandoned(2));
  });
  test("revisions of another number cannot be abandoned", () => {
    given(created, opened(1))
      .when((state) => abandonRevision(state, { revision: 2, reason: "gone" }))
      .thenRefused("UNAVAILABLE");
  });
});

describe("deleting a catalogue", () => {
  test("deleting a catalogue is possible while a revision is open", () => {
    given(created, opened(1)).when(deleteCatalogue).then(deleted);
  });
  test("deleting a catalogue refuses an absent and a deleted one", () => {
    given().when(deleteCatalogue).thenRefused("NOT_FOUND");
    given(created, deleted).when(deleteCatalogue).thenRefused("NOT_FOUND");
  });
});
