import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { eventMetadata, readRecorded, requireKnown } from "#infra/event-log/domain-events.ts";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import { currentVersion, type Upcasts } from "#infra/event-log/upcasts.ts";
import { testRows } from "../../support/test-rows.ts";
import { recordedEvent } from "./recorded-event.ts";

const ID = "6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11";

/** As if catalogues had been created with a title, then with a name and no visibility. */
const UPCASTS: Upcasts = {
  CatalogueCreated: [
    ({ title, ...rest }) => ({ ...rest, name: title ?? "" }),
    (data) => ({ ...data, isPublic: false }),
  ],
};

function created(schemaVersion: number, data: JsonObject) {
  const origin = { commandId: ID, actor: "system", at: new Date(0) };
  const metadata = { ...eventMetadata(origin, "CatalogueCreated"), schemaVersion };
  return recordedEvent({ type: "CatalogueCreated", data, metadata });
}

const TODAY = { catalogueId: ID, name: "Alpine", isPublic: false, createdBy: "a" };

describe("an event of an older version", () => {
  testRows(
    "an earlier version is read as one of today",
    [
      [1, { catalogueId: ID, title: "Alpine", createdBy: "a" }],
      [2, { catalogueId: ID, name: "Alpine", createdBy: "a" }],
      [3, TODAY],
    ],
    (version, data) => {
      expect(readRecorded(created(version, data), UPCASTS)).toEqual({
        type: "CatalogueCreated",
        data: TODAY,
      });
    },
  );

  test("an event of an older version leaves what is recorded as it was", () => {
    const recorded = created(1, { catalogueId: ID, title: "Alpine", createdBy: "a" });
    const before = structuredClone(recorded);
    readRecorded(recorded, UPCASTS);
    expect(recorded).toEqual(before);
  });
});

test("a type is written in the version that its last upcast leads to", () => {
  expect(currentVersion("CatalogueCreated", UPCASTS)).toBe(3);
  expect(currentVersion("CatalogueRenamed", UPCASTS)).toBe(1);
});

test("an event of a newer version is unknown, and the error names it", () => {
  const newer = created(4, TODAY);
  const sentence = `event CatalogueCreated version 4 at revision 0 of catalogue-${ID}`;
  expect(() => readRecorded(newer, UPCASTS)).toThrow(new UnknownEvent(sentence));
  expect(() => requireKnown(newer)).toThrow(new UnknownEvent(sentence));
});
