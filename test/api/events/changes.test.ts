import { describe, expect, test } from "vitest";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { keyed } from "../../support/api/keyed.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

type Added = {
  readonly version: number;
  readonly validationReport: ValidationReport;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
};

/** A catalogue of one event, `a`. */
const a = (overrides: Readonly<Record<string, unknown>> = {}) =>
  oneEvent(editor, seismicEvent({ id: "a", ...overrides }));

describe("POST …/events", () => {
  test("keeps the events that it knows, or updates them where it is asked to, and reports the invalid ones", async () => {
    const { event, events, catalogue, read, list, add } = await a();
    const { magnitude: _, ...without } = seismicEvent({ id: "d" });
    const submitted = [
      seismicEvent({ id: "a", magnitude: 6 }),
      seismicEvent({ id: "b", magnitude: null }),
      seismicEvent({ time: "2017-01-01", magnitude: 3 }),
      seismicEvent({ latitude: 91, time: "2999-01-01" }),
      without,
    ];
    const first = await add<Added>({ events: submitted });
    expect(first).toMatchObject({
      status: 200,
      body: { version: 2, newEvents: 2, updatedEvents: 0, skippedEvents: 1 },
    });
    expect(first.headers.get("etag")).toBe('"2"');
    expect(first.body.validationReport).toMatchObject({
      ...{ totalSubmitted: 5, successfullyImported: 3, failedValidation: 2, successRate: 60 },
      invalidEvents: [{ index: 3 }, { index: 4, id: "d", reason: "magnitude is required" }],
    });
    expect(await read()).toEqual(event);
    expect((await list()).map(({ magnitude }) => magnitude)).toEqual([7.8, null, 3]);
    expect((await editor.get(catalogue)).body).toMatchObject({
      ...{ event_count: 3, min_magnitude: 3, max_magnitude: 7.8, version: 2 },
      end_time: "2017-01-01T00:00:00Z",
    });

    const updating = { events: submitted.slice(0, 2), updateExisting: true };
    const updated = { version: 3, newEvents: 0, updatedEvents: 1, skippedEvents: 1 };
    expect((await add<Added>(updating)).body).toMatchObject(updated);
    expect(await read()).toEqual({ ...event, magnitude: 6 });
    const same = { version: 3, newEvents: 0, updatedEvents: 0, skippedEvents: 2 };
    expect((await add<Added>(updating)).body).toMatchObject(same);
    expect((await add<Added>({ events: [] })).body).toMatchObject({ version: 3, newEvents: 0 });

    const invalid = { events: [seismicEvent({ latitude: 91 })] };
    expectRefusal(await editor.send("POST", events, invalid), "ALL_EVENTS_INVALID");
    expect(await list()).toHaveLength(3);
  });
});

describe("PATCH …/events/{eventId}", () => {
  test("changes what is given, takes away what is null, and makes no version of what changes nothing", async () => {
    const { event, catalogue, read, change, add } = await a({ region: "Kaikōura" });
    const answer = await change({ magnitude: 7.9, magnitudeType: "Mww" });
    const changed = { ...event, magnitude: 7.9, magnitude_type: "Mww" };
    expect(answer).toMatchObject({ status: 200, body: { version: 2, event: changed } });
    expect(answer.headers.get("etag")).toBe('"2"');
    expect(await read()).toEqual(changed);
    for (const patch of [{}, { magnitude: 7.9 }]) {
      expect((await change(patch)).body).toEqual({ version: 2, event: changed });
    }
    const warnings = [{ path: "unknown", message: "is no attribute of events" }];
    const unknown = (await change({ unknown: null })).body;
    expect(unknown).toEqual({ version: 2, event: changed, warnings });

    const cleared = (await change({ depth: null, region: null })).body.event;
    expect(cleared).toEqual({ ...changed, depth: null, region: null });
    expect((await change({ DepthMeters: 8500.4 })).body.event.depth).toBe(8.5004);
    await add({ events: [seismicEvent({ id: "b", magnitude: 4 })] });
    expect((await change({ magnitude: null })).body.event.magnitude).toBeNull();
    const bounds = { min_magnitude: 4, max_magnitude: 4, event_count: 2 };
    expect((await editor.get(catalogue)).body).toMatchObject(bounds);
    expect((await change({ magnitude: 5 })).body.event.magnitude).toBe(5);

    expectRefusal(await change({ source_id: "b" }), "CONFLICT", "source_id");
    expect((await change({ source_id: "c" })).body.event.source_id).toBe("c");
  });

  test("keeps an unknown attribute under extra, and takes it away by null", async () => {
    const { change } = await a({ felt: 12 });
    const given = { reviewer: "Ana", nested: { list: [1, null, { deep: true }] } };
    expect((await change(given)).body.event.extra).toEqual({ felt: 12, ...given });
    const left = (await change({ felt: null, nested: null })).body.event.extra;
    expect(left).toEqual({ reviewer: "Ana" });
    expect((await change({ reviewer: null })).body.event.extra).toBeNull();
  });

  test("refuses what cannot be of an event and names the attribute", async () => {
    const { change, event, path } = await a();
    for (const [patch, field] of [
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
      [{ DepthMeters: 1, depth: 2 }, "depth"],
      [{ region: "a\0b" }, "region"],
      [{ region: "\ud800" }, "region"],
      [{ note: "\ud800" }, "extra"],
    ] as const) {
      expectRefusal(await change(patch), "VALIDATION_ERROR", field);
    }
    const after = await editor.get(path);
    expect(after.body).toEqual({ event });
    expect(after.headers.get("etag")).toBe('"1"');
  });
});

test("DELETE …/events/{eventId} removes the event by a version of its own", async () => {
  const { path, catalogue, list, send } = await a();
  expect(await send("DELETE", "")).toMatchObject({
    status: 200,
    body: { success: true, version: 2 },
  });
  expect(await list()).toEqual([]);
  expectRefusal(await editor.get(path), "NOT_FOUND");
  expectRefusal(await send("DELETE", ""), "NOT_FOUND");
  const empty = { event_count: 0, version: 2, min_latitude: null, end_time: null };
  expect((await editor.get(catalogue)).body).toMatchObject(empty);
});

test("an event that is unknown or another catalogue's is 404 to every call", async () => {
  const [{ events }, other] = [await a(), await a()];
  for (const id of [other.event.id, UNKNOWN_ID, "no-uuid", "%00", "%2e%2e", "9".repeat(201)]) {
    const unknown = `${events}/${id}`;
    expectRefusal(await editor.get(unknown), "NOT_FOUND");
    expectRefusal(await editor.get(`${unknown}/history`), "NOT_FOUND");
    expectRefusal(await editor.send("PATCH", unknown, { magnitude: 5 }), "NOT_FOUND");
    expectRefusal(await editor.send("DELETE", unknown), "NOT_FOUND");
  }
});

test("a change is refused where the catalogue is another than the caller knows, and while another revision is open", async () => {
  const { id, catalogue, event, list, add, change, send } = await a();
  const changes = async (code: "PRECONDITION_FAILED" | "CONFLICT", headers = {}) => {
    expectRefusal(await add({ events: [seismicEvent()] }, headers), code);
    expectRefusal(await change({ magnitude: 5 }, headers), code);
    expectRefusal(await send("DELETE", "", undefined, headers), code);
    expect(await list()).toMatchObject([event]);
  };
  await changes("PRECONDITION_FAILED", { "if-match": '"7"' });
  await whileRevisionIsOpen(service, id, async () => {
    await changes("CONFLICT");
    expect((await editor.get(catalogue)).body).toMatchObject({ status: "active", version: 1 });
  });
  // The number of the abandoned revision is not used again.
  expect((await change({ magnitude: 5 }, { "if-match": '"1"' })).body.version).toBe(3);
});

describe("the reason of a write of events", () => {
  test("stands in the event's history and in the audit, whatever the write", async () => {
    const { id, path, catalogue, history } = await oneEvent(editor, { bulletin: smallBulletin() });
    const writes: [Parameters<ApiClient["send"]>[0], string, unknown?][] = [
      ["PATCH", path, { magnitude: 2 }],
      ["PATCH", `${path}/preferred`, { magnitudeID: smallBulletin().magnitude?.[0]?.publicID }],
      ["POST", `${path}/comments`, { text: "felt" }],
      ["DELETE", `${path}/bulletin`],
      ["PUT", `${path}/bulletin`, { bulletin: smallBulletin() }],
      ["POST", `${path}/restore`, { version: 2 }],
      ["DELETE", path],
      ["POST", `${catalogue}/versions/1/restore`],
    ];
    const told = writes.map((_, i) => `Grund ${i}: "Ā & <b>"`);
    for (const [i, [method, to, body]] of writes.entries()) {
      const reason = encodeURIComponent(told[i] ?? "");
      const answer = await editor.send<{ version: number }>(method, `${to}?reason=${reason}`, body);
      const status = to.endsWith("comments") ? 201 : 200;
      expect([answer.status, answer.body.version], `${method} ${to}`).toEqual([status, i + 2]);
    }
    const reasons = (await history()).map(({ reason }) => reason);
    expect(reasons).toEqual([...told.toReversed(), null]);
    const admin = await service.loginAs("admin");
    const audit = `/api/audit?subject=catalogue-${id}&type=RevisionOpened`;
    const { entries } = (await admin.get<{ entries: AuditEntry[] }>(audit)).body;
    const audited = entries.map(({ summary }) => summary);
    expect(audited[1]).toBe(`Version 2 begun (edit): ${told[0]}`);
    expect(audited[6]).toBe(`Version 7 begun (edit as of 2): ${told[5]}`);
    expect(audited[8]).toBe(`Version 9 begun (restore as of 1): ${told[7]}`);
    const shaOf = async (version: number) =>
      (await editor.get<{ version: VersionRecord }>(`${catalogue}/versions/${version}`)).body
        .version.sha256;
    expect(await shaOf(9)).toBe(await shaOf(1));

    const more = { events: [seismicEvent({ id: "b", magnitude: 1 })] };
    await editor.send("POST", `${catalogue}/events?reason=late+data`, more);
    const [added] = await listEvents(editor, id, "maxMagnitude=1");
    const { body } = await editor.get(`${catalogue}/events/${added?.id}/history`);
    expect(body).toMatchObject({ history: [{ change: "added", reason: "late data" }] });
  });

  test("has up to 500 characters, belongs to the request that a key repeats, and is no guest's business", async () => {
    const { path, catalogue, history, send } = await a();
    const change = (reason: string, headers = {}) =>
      send("PATCH", `?reason=${reason}`, { magnitude: 2 }, headers);
    for (const query of ["", "%20%20", "r".repeat(501), "%00", "a&reason=b"]) {
      expectRefusal(await change(query), "VALIDATION_ERROR", "reason");
      expectRefusal(await send("DELETE", `?reason=${query}`), "VALIDATION_ERROR", "reason");
    }
    const key = keyed();
    const longest = "r".repeat(500);
    for (const _time of [1, 2]) expect((await change(longest, key)).status).toBe(200);
    expectRefusal(await change("two", key), "CONFLICT");
    expect((await history()).map(({ reason }) => reason)).toEqual([longest, null]);
    await editor.send("PATCH", catalogue, { is_public: true });
    await send("PATCH", "?reason=as+Ann+says", { magnitude: 3 });
    const guest = await service.loginAs("guest");
    const seen = await guest.get<{ history: object[] }>(`${path}/history`);
    expect(seen.body.history[0]).toMatchObject({ version: 3, actor: null, reason: null });
  });
});
