import { describe, expect, test } from "vitest";
import { sharedService } from "../../support/service.ts";
import { type CreatedCatalogue, createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const editor = () => service.loginAs("editor");

const INVALID = { latitude: 91 };

async function submit(body: unknown) {
  return (await editor()).send<CreatedCatalogue>("POST", "/api/catalogues", body);
}

function mixture(valid: number, invalid: number) {
  return [
    ...Array.from({ length: valid }, () => seismicEvent()),
    ...Array.from({ length: invalid }, () => seismicEvent(INVALID)),
  ];
}

describe("POST /api/catalogues", () => {
  test("POST /api/catalogues answers 201 with every field of the catalogue and the report, and where it is", async () => {
    const answer = await submit({
      name: "Kaikōura",
      events: [
        seismicEvent(),
        seismicEvent({
          time: "2016-11-14T00:34:22.5Z",
          latitude: -41.5,
          longitude: -179,
          magnitude: 6,
        }),
      ],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/api/catalogues/${answer.body.id}`);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Kaikōura",
      created_at: timestamp,
      updated_at: timestamp,
      status: "active",
      event_count: 2,
      min_latitude: -42.69,
      max_latitude: -41.5,
      min_longitude: -179,
      max_longitude: 173.02,
      bbox: [173.02, -42.69, -179, -41.5],
      access: "internal",
      editing: "all",
      min_magnitude: 6,
      max_magnitude: 7.8,
      start_time: "2016-11-13T11:02:56.346Z",
      end_time: "2016-11-14T00:34:22.5Z",
      is_public: false,
      public_from: null,
      version: 1,
      created_by: expect.stringMatching(/^user_\d+_/),
      metadata: null,
      merge_config: null,
      source_catalogues: null,
      importMessage: "Imported 2 events",
      partialImport: false,
      validationReport: {
        totalSubmitted: 2,
        successfullyImported: 2,
        failedValidation: 0,
        successRate: 100,
        invalidEvents: [],
        hasMoreInvalidEvents: false,
      },
    });
  });

  test("POST /api/catalogues imports the valid events and reports each of the others with place, id and faults", async () => {
    const { body } = await submit({
      name: "partial",
      events: [
        seismicEvent(),
        seismicEvent({ id: "bad-1", latitude: 91, magnitude: "strong" }),
        "no event",
      ],
    });
    expect(body).toMatchObject({ event_count: 1, partialImport: true, version: 1 });
    const { invalidEvents, ...counts } = body.validationReport;
    expect(counts).toEqual({
      totalSubmitted: 3,
      successfullyImported: 1,
      failedValidation: 2,
      successRate: 33.33,
      hasMoreInvalidEvents: false,
    });
    expect(invalidEvents).toEqual([
      {
        index: 1,
        id: "bad-1",
        reason: expect.stringContaining("latitude"),
        errors: [
          { field: "latitude", message: expect.stringMatching(/\S/) },
          { field: "magnitude", message: expect.stringMatching(/\S/) },
        ],
      },
      { index: 2, reason: expect.stringMatching(/\S/), errors: [expect.anything()] },
    ]);
  });

  test.each([
    [100, false],
    [101, true],
  ])(
    "POST /api/catalogues lists the first 100 of %i invalid events, and whether there are more: %s",
    async (invalid, more) => {
      const { body } = await submit({ name: "many", events: mixture(1, invalid) });
      const { invalidEvents, hasMoreInvalidEvents, failedValidation } = body.validationReport;
      expect(invalidEvents).toHaveLength(100);
      expect(hasMoreInvalidEvents).toBe(more);
      expect(failedValidation).toBe(invalid);
    },
  );

  test.each([
    [1, 0, 100],
    [1, 1, 50],
    [2, 1, 66.66],
    [1, 7, 12.5],
  ])(
    "POST /api/catalogues says of %i valid and %i invalid events a rate of %d per cent",
    async (valid, invalid, rate) => {
      const { body } = await submit({ name: "rate", events: mixture(valid, invalid) });
      expect(body.validationReport.successRate).toBe(rate);
    },
  );

  test("POST /api/catalogues refuses a submission of invalid events alone, with each as a detail", async () => {
    const answer = await submit({ name: "bad", events: mixture(0, 2) });
    const { details = [] } = expectRefusal(answer, "ALL_EVENTS_INVALID");
    expect(details).toMatchObject([{ index: 0 }, { index: 1, reason: expect.any(String) }]);
  });

  test("POST /api/catalogues takes an empty list of events: an empty catalogue without bounds", async () => {
    const { status, body } = await submit({ name: "empty", events: [] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      event_count: 0,
      status: "active",
      min_latitude: null,
      max_longitude: null,
      min_magnitude: null,
      start_time: null,
      end_time: null,
      validationReport: { totalSubmitted: 0, successRate: 100 },
    });
  });

  test("POST /api/catalogues takes unknown magnitudes, which bound nothing, and refuses one that is left out", async () => {
    const { magnitude: _, ...without } = seismicEvent();
    const unknown = [seismicEvent({ magnitude: null }), seismicEvent({ magnitude: null })];
    const { body } = await submit({ name: "unknown", events: [...unknown, without] });
    expect(body).toMatchObject({
      event_count: 2,
      min_magnitude: null,
      max_magnitude: null,
      min_latitude: -42.69,
      validationReport: {
        failedValidation: 1,
        invalidEvents: [{ index: 2, reason: "magnitude is required" }],
      },
    });
  });

  test("POST /api/catalogues finds the later of two events with one source id invalid", async () => {
    const events = ["a", "b", "a"].map((source_id) => seismicEvent({ source_id }));
    const { body } = await submit({ name: "duplicates", events });
    expect(body.event_count).toBe(2);
    expect(body.validationReport.invalidEvents).toMatchObject([
      { index: 2, id: "a", reason: expect.stringContaining("duplicate id") },
    ]);
  });

  test("POST /api/catalogues makes a catalogue public when asked to", async () => {
    expect(await createCatalogue(await editor(), { is_public: true })).toMatchObject({
      is_public: true,
    });
  });
});

test("a report says 100 per cent only when nothing failed", async () => {
  const events = mixture(20_001, 1);
  const { body } = await submit({ name: "nearly all", events });
  const { successRate } = body.validationReport;
  expect(successRate).toBe(99.99);
});
