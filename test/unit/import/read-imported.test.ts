import { expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createImportedReader } from "#services/domain/import/read-imported.ts";
import { testRows } from "../../support/test-rows.ts";

const read = createImportedReader(Date.UTC(2024, 0, 1));
const row: JsonObject = {
  source_id: "2016p858000",
  time: "2016-11-13T11:02:56.346Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 7.8,
};
const IDS = { sourceId: "2016p858000", publicId: null };
const recordOf = (changes: JsonObject) => {
  const imported = read({ ...row, ...changes });
  if (imported.outcome !== "event") throw new Error(JSON.stringify(imported));
  return imported.record;
};

test("an event is its record, by the agency's id", () => {
  const imported = read(row);
  expect(imported).toMatchObject({ outcome: "event", ids: IDS, record: row });
});

test("a magnitude may be missing", () => {
  expect(recordOf({ magnitude: null }).magnitude).toBeNull();
});

testRows(
  "an agency's values are read as they are meant",
  [
    [{ event_type: "not existing" }, "excluded"],
    [{ event_type: "other event", extra: { event_type: "duplicate" } }, "excluded"],
    [{ event_type: "other event", extra: { EventType: "Duplicate" } }, "excluded"],
    [{ event_type: "other event", extra: { event_type: "lahar" } }, "event"],
    [{ evaluation_status: "rejected" }, "rejected"],
    [{ evaluation_status: "preliminary" }, "event"],
  ] as const,
  (changes, outcome) => {
    expect(read({ ...row, ...changes }).outcome).toBe(outcome);
  },
);

test("what is out of its range is kept in extra, as the agency has it", () => {
  const extra = { version: "3" };
  const region = "x".repeat(300);
  const record = recordOf({ magnitude: 12, depth: -99, region, azimuthal_gap: 400, extra });
  expect(record).toMatchObject({ magnitude: null, depth: null, region: null, azimuthal_gap: null });
  expect(record.extra).toEqual({
    version: "3",
    magnitude: 12,
    depth: -99,
    region,
    azimuthal_gap: 400,
  });
});

test("what is in extra already stays", () => {
  expect(recordOf({ depth: 5_000, extra: { depth: "5000 m" } }).extra).toEqual({ depth: "5000 m" });
});

testRows(
  "a value that is none is an error of the event",
  [
    [{ time: null }, "time is required"],
    [{ time: "2030-01-01T00:00:00Z" }, "time must not be in the future"],
    [{ latitude: 91, magnitude: 12 }, "latitude must be between -90 and 90 deg"],
    [{ longitude: null }, "longitude is required"],
  ],
  (changes, message) => {
    expect(read({ ...row, ...changes })).toEqual({
      outcome: "error",
      ids: IDS,
      message: expect.stringContaining(message),
    });
  },
);

test("an event without an id is an error: it could not be found again", () => {
  const ids = { sourceId: null, publicId: null };
  expect(read({ ...row, source_id: null })).toMatchObject({ outcome: "error", ids });
});

test("a public id that could not stand as source_id is an error of the event", () => {
  const extra = { public_id: `smi:a.bc/${"x".repeat(247)}` };
  expect(read({ ...row, extra })).toEqual({
    outcome: "error",
    ids: IDS,
    message: "the event's public id is longer than 255 characters",
  });
});

test("a public id alone is an id, also of an event that is in error", () => {
  const given = { ...row, source_id: null, extra: { public_id: "smi:a.bc/2024/1" } };
  const ids = { sourceId: null, publicId: "smi:a.bc/2024/1" };
  expect(read(given)).toMatchObject({ outcome: "event", ids });
  expect(read({ ...given, latitude: 91 })).toMatchObject({ outcome: "error", ids });
});
