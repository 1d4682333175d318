import { describe, expect, test } from "vitest";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { whileRevisionIsOpen } from "../support/open-revision.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

type Added = {
  readonly version: number;
  readonly validationReport: ValidationReport;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
};
type ListedEvent = SeismicEvent & { readonly source_count: number };
type Changed = { readonly event: SeismicEvent; readonly version: number };

/** A catalogue of one event, `a`, and the calls about it. */
async function oneEvent(overrides: Readonly<Record<string, unknown>> = {}) {
  const client = await service.loginAs("editor");
  const events = [seismicEvent({ id: "a", ...overrides })];
  const { id } = await createCatalogue(client, { events });
  const path = `/api/catalogues/${id}/events`;
  const list = async (): Promise<SeismicEvent[]> => {
    const { body } = await client.get<{ events: ListedEvent[] }>(path);
    return body.events.map(({ source_count: _, ...event }) => event);
  };
  const [event] = await list();
  if (!event) throw new Error("the event is not there");
  const eventPath = `${path}/${event.id}`;
  return {
    client,
    id,
    path,
    event,
    eventPath,
    list,
    add: (body: unknown, headers?: Record<string, string>) =>
      client.send<Added>("POST", path, body, headers),
    change: (body: unknown, headers?: Record<string, string>) =>
      client.send<Changed>("PATCH", eventPath, body, headers),
  };
}

describe("POST …/events", () => {
  const submitted = [
    seismicEvent({ id: "a", magnitude: 6 }),
    seismicEvent({ id: "b" }),
    seismicEvent(),
    seismicEvent({ latitude: 91 }),
  ];

  test.each([
    { updateExisting: false, updatedEvents: 0, skippedEvents: 1, magnitude: 7.8 },
    { updateExisting: true, updatedEvents: 1, skippedEvents: 0, magnitude: 6 },
  ])(
    "POST …/events with updateExisting $updateExisting keeps the events it knows accordingly",
    async (row) => {
      const { add, event, client, eventPath } = await oneEvent();
      const { updateExisting, updatedEvents, skippedEvents, magnitude } = row;
      const { status, body, headers } = await add({ events: submitted, updateExisting });
      expect(status).toBe(200);
      expect(body).toMatchObject({ version: 2, newEvents: 2, updatedEvents, skippedEvents });
      const { newEvents, validationReport } = body;
      expect(newEvents + updatedEvents + skippedEvents).toBe(validationReport.successfullyImported);
      expect(validationReport).toMatchObject({
        totalSubmitted: 4,
        failedValidation: 1,
        successRate: 75,
      });
      expect(headers.get("etag")).toBe('"2"');
      const after = await client.get<{ event: SeismicEvent }>(eventPath);
      expect(after.body.event).toEqual({ ...event, magnitude });
    },
  );

  test("POST …/events takes an unknown magnitude, and refuses an event that leaves it out", async () => {
    const { add, list } = await oneEvent();
    const { magnitude: _, ...without } = seismicEvent({ id: "c" });
    const { body } = await add({ events: [seismicEvent({ id: "b", magnitude: null }), without] });
    expect(body).toMatchObject({ newEvents: 1, validationReport: { failedValidation: 1 } });
    expect(body.validationReport.invalidEvents).toMatchObject([
      { index: 1, id: "c", reason: "magnitude is required" },
    ]);
    expect((await list()).find((event) => event.source_id === "b")?.magnitude).toBeNull();
  });

  test("POST …/events skips events by default", async () => {
    const { add } = await oneEvent();
    const { body } = await add({ events: [seismicEvent({ id: "a", magnitude: 6 })] });
    expect(body).toMatchObject({ version: 1, newEvents: 0, updatedEvents: 0, skippedEvents: 1 });
  });

  test("POST …/events makes no version of what is as it was", async () => {
    const { add } = await oneEvent();
    const same = { events: [seismicEvent({ id: "a" })], updateExisting: true };
    expect((await add(same)).body).toMatchObject({
      version: 1,
      updatedEvents: 0,
      skippedEvents: 1,
    });
    expect((await add({ events: [] })).body).toMatchObject({ version: 1, newEvents: 0 });
  });

  test("POST …/events refuses what is wholly invalid, without a version", async () => {
    const { add, list } = await oneEvent();
    expectRefusal(await add({ events: [seismicEvent({ latitude: 91 })] }), "ALL_EVENTS_INVALID");
    expectRefusal(
      await add({ events: [], updateExisting: "yes" }),
      "VALIDATION_ERROR",
      "updateExisting",
    );
    expect(await list()).toHaveLength(1);
  });

  test("POST …/events widens the catalogue's bounds and count", async () => {
    const { add, client, id } = await oneEvent();
    await add({
      events: [seismicEvent({ time: "2999-01-01", magnitude: 2 }), seismicEvent({ magnitude: 3 })],
    });
    const { body } = await client.get(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ event_count: 2, min_magnitude: 3, version: 2 });
  });
});

describe("PATCH …/events/{eventId}", () => {
  test("PATCH …/events/{eventId} changes what is given, answers the event and the version that shows it", async () => {
    const { change, event, client, eventPath } = await oneEvent();
    const { status, body, headers } = await change({ magnitude: 7.9, magnitudeType: "Mww" });
    expect(status).toBe(200);
    expect(body).toEqual({
      version: 2,
      event: { ...event, magnitude: 7.9, magnitude_type: "Mww" },
    });
    expect(headers.get("etag")).toBe('"2"');
    expect((await client.get<{ event: SeismicEvent }>(eventPath)).body.event).toEqual(body.event);
  });

  test("PATCH …/events/{eventId} clears an optional attribute by null", async () => {
    const { change } = await oneEvent({ region: "Kaikōura" });
    expect((await change({ depth: null, region: null })).body.event).toMatchObject({
      depth: null,
      region: null,
    });
  });

  test("PATCH …/events/{eventId} takes a depth in metres by the name that says so, as a submission does", async () => {
    const { change } = await oneEvent();
    expect((await change({ DepthMeters: 8500.4 })).body.event.depth).toBe(8.5004);
    expectRefusal(await change({ DepthMeters: 1, depth: 2 }), "VALIDATION_ERROR", "depth");
  });

  test("PATCH …/events/{eventId} says by null that the magnitude is not known, and the catalogue's bounds follow", async () => {
    const { change, client, id, add } = await oneEvent();
    await add({ events: [seismicEvent({ id: "b", magnitude: 4 })] });
    expect((await change({ magnitude: null })).body).toMatchObject({
      event: { magnitude: null },
      version: 3,
    });
    const { body } = await client.get(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ min_magnitude: 4, max_magnitude: 4, event_count: 2 });
    expect((await change({ magnitude: 5 })).body.event.magnitude).toBe(5);
  });

  test.each([
    [{ time: null }, "time"],
    [{ latitude: null }, "latitude"],
    [{ longitude: null }, "longitude"],
    [{ latitude: 91 }, "latitude"],
    [{ magnitude: 11 }, "magnitude"],
    [{ time: "2024-02-30" }, "time"],
    [{ time: "2999-01-01" }, "time"],
    [{ event_type: "party" }, "event_type"],
    [{ used_station_count: 1.5 }, "used_station_count"],
    [{ id: UNKNOWN_ID }, "id"],
    [{ source_events: [] }, "source_events"],
    [{ magnitude: 5, mag: 6 }, "magnitude"],
    [{ region: "a\0b" }, "region"],
    [{ region: "\ud800" }, "region"],
    [{ note: "\ud800" }, "extra"],
  ])("PATCH …/events/{eventId} refuses %j and names the attribute", async (patch, field) => {
    const { change, event, client, eventPath } = await oneEvent();
    expectRefusal(await change(patch), "VALIDATION_ERROR", field);
    const after = await client.get<{ event: SeismicEvent }>(eventPath);
    expect(after.body.event).toEqual(event);
    expect(after.headers.get("etag")).toBe('"1"');
  });

  test("PATCH …/events/{eventId} keeps an unknown attribute under extra, and takes it away by null", async () => {
    const { change } = await oneEvent({ felt: 12 });
    const given = { reviewer: "Ana", nested: { list: [1, null, { deep: true }] } };
    expect((await change(given)).body.event.extra).toEqual({ felt: 12, ...given });
    expect((await change({ felt: null, nested: null })).body.event.extra).toEqual({
      reviewer: "Ana",
    });
    expect((await change({ reviewer: null })).body.event.extra).toBeNull();
  });

  test("PATCH …/events/{eventId} makes no version of a change that changes nothing", async () => {
    const { change, event } = await oneEvent();
    for (const patch of [{}, { magnitude: 7.8 }]) {
      expect((await change(patch)).body).toEqual({ version: 1, event });
    }
    const warnings = [{ path: "unknown", message: "is no attribute of events" }];
    expect((await change({ unknown: null })).body).toEqual({ version: 1, event, warnings });
  });

  test("PATCH …/events/{eventId} refuses a source id that another event of the catalogue has", async () => {
    const { add, change } = await oneEvent();
    await add({ events: [seismicEvent({ id: "b" })] });
    expectRefusal(await change({ source_id: "b" }), "CONFLICT", "source_id");
    expect((await change({ source_id: "c" })).body.event.source_id).toBe("c");
  });
});

describe("DELETE …/events/{eventId}", () => {
  test("DELETE …/events/{eventId} removes the event by a version of its own", async () => {
    const { client, eventPath, id, list } = await oneEvent();
    const answer = await client.send("DELETE", eventPath);
    expect(answer).toMatchObject({ status: 200, body: { success: true, version: 2 } });
    expect(await list()).toEqual([]);
    expectRefusal(await client.get(eventPath), "NOT_FOUND");
    expectRefusal(await client.send("DELETE", eventPath), "NOT_FOUND");
    const { body } = await client.get(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ event_count: 0, version: 2, min_latitude: null, end_time: null });
  });
});

test.each([UNKNOWN_ID, "no-uuid", "%00", "%2e%2e", "9".repeat(201)])(
  "the service answers 404 for the event %s",
  async (eventId) => {
    const { client, path } = await oneEvent();
    const unknown = `${path}/${eventId}`;
    expectRefusal(await client.get(unknown), "NOT_FOUND");
    expectRefusal(await client.get(`${unknown}/history`), "NOT_FOUND");
    expectRefusal(await client.send("PATCH", unknown, { magnitude: 5 }), "NOT_FOUND");
    expectRefusal(await client.send("DELETE", unknown), "NOT_FOUND");
  },
);

test("the service answers 404 for an event of another catalogue", async () => {
  const [one, other] = [await oneEvent(), await oneEvent()];
  const foreign = `${one.path}/${other.event.id}`;
  expectRefusal(await one.client.get(foreign), "NOT_FOUND");
  expectRefusal(await one.client.send("PATCH", foreign, { magnitude: 5 }), "NOT_FOUND");
  expectRefusal(await one.client.send("DELETE", foreign), "NOT_FOUND");
});

test("If-Match guards every change by the version", async () => {
  const { add, change, client, eventPath, event, list } = await oneEvent();
  const stale = { "if-match": '"7"' };
  expectRefusal(await add({ events: [seismicEvent()] }, stale), "PRECONDITION_FAILED");
  expectRefusal(await change({ magnitude: 5 }, stale), "PRECONDITION_FAILED");
  const removal = await client.send("DELETE", eventPath, undefined, stale);
  expectRefusal(removal, "PRECONDITION_FAILED");
  expect(await list()).toEqual([event]);
  expect((await change({ magnitude: 5 }, { "if-match": '"1"' })).body.version).toBe(2);
});

test("the service answers 409 to every change while another revision is open, and reads go on", async () => {
  const { add, change, client, eventPath, event, id, list } = await oneEvent();
  await whileRevisionIsOpen(service, id, async () => {
    expectRefusal(await add({ events: [seismicEvent()] }), "CONFLICT");
    expectRefusal(await change({ magnitude: 5 }), "CONFLICT");
    expectRefusal(await client.send("DELETE", eventPath), "CONFLICT");
    expect(await list()).toEqual([event]);
    expect((await client.get(`/api/catalogues/${id}`)).body).toMatchObject({
      status: "active",
      version: 1,
    });
  });
  // The number of the abandoned revision is not used again.
  expect((await change({ magnitude: 5 })).body.version).toBe(3);
});
