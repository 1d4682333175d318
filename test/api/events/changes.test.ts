import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import { columnsOf, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { keyed } from "../../support/api/keyed.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { boundsOf } from "../../support/bounds-of.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
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

test("each change of a catalogue's events is refused where the catalogue is another than the caller knows, and while another revision is open", async () => {
  const { id, path, events, catalogue, read, send } = await oneEvent(editor, {
    bulletin: smallBulletin(),
  });
  const before = await read();
  const magnitude = encodeURIComponent(smallBulletin().magnitude?.[1]?.publicID ?? "");
  const changes: readonly [Parameters<ApiClient["send"]>[0], string, unknown?][] = [
    ["POST", events, { events: [seismicEvent()] }],
    ["PATCH", path, { magnitude: 5 }],
    ["DELETE", path],
    ["POST", `${events}/remove`, { events: [before.id] }],
    ["POST", `${path}/restore`, { version: 1 }],
    ["PATCH", `${path}/preferred`, { originID: null }],
    ["DELETE", `${path}/solutions/magnitude/${magnitude}`],
    ["POST", `${path}/comments`, { text: "late" }],
    ["PUT", `${path}/bulletin`, { bulletin: smallBulletin("other") }],
    ["DELETE", `${path}/bulletin`],
    ["POST", `${catalogue}/conversions`, { conversions: [{ ...OURS, from: "Mw" }] }],
    ["POST", `${catalogue}/versions/1/restore`],
  ];
  await send("PATCH", "", { region: "Ōtaki" });
  const now = await read();
  const refused = async (code: "PRECONDITION_FAILED" | "CONFLICT", headers = {}) => {
    for (const [method, to, body] of changes) {
      const answer = await editor.send(method, to, body, headers);
      expect([to, answer.body]).toMatchObject([to, { code }]);
    }
    expect(await read()).toEqual(now);
  };
  await refused("PRECONDITION_FAILED", { "if-match": '"1"' });
  await whileRevisionIsOpen(service, id, async () => {
    await refused("CONFLICT");
    expect((await editor.get(catalogue)).body).toMatchObject({ status: "active", version: 2 });
  });
  // The number of the abandoned revision is not used again.
  const answer = await editor.send("PATCH", path, { magnitude: 5 }, { "if-match": '"2"' });
  expect(answer.body).toMatchObject({ version: 4 });
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

describe("POST …/events/remove", () => {
  type Removed = { readonly version: number; readonly removed: number };

  /** A catalogue of so many events in order of time, and the calls about it. */
  async function catalogueOf(count: number) {
    const events = Array.from({ length: count }, (_, i) =>
      seismicEvent({
        id: `event ${i}`,
        time: `20${String(10 + i).padStart(2, "0")}-01-01T00:00:00Z`,
        latitude: (i * 37) % 90,
        longitude: (i * 71) % 180,
        magnitude: i % 5 === 0 ? null : (i * 13) % 9,
      }),
    );
    const { id } = await createCatalogue(editor, { events });
    const path = `/api/catalogues/${id}`;
    const list = () => listEvents(editor, id);
    const all = await list();
    return {
      id,
      path,
      list,
      all,
      ids: all.map((event) => event.id),
      post: (body: object, query = "", headers?: Record<string, string>) =>
        editor.send<Removed>("POST", `${path}/events/remove${query}`, body, headers),
    };
  }

  test("removes what is named as one version with its reason, which restoring takes back", async () => {
    const { id, path, all, ids, list, post } = await catalogueOf(6);
    const gone = ids.filter((_, i) => i % 2 === 0);
    const answer = await post({ events: gone }, "?reason=counted+twice");
    expect(answer).toMatchObject({ status: 200, body: { version: 2, removed: 3 } });
    expect(answer.headers.get("etag")).toBe('"2"');
    expect((await list()).map((event) => event.id)).toEqual(ids.filter((_, i) => i % 2 === 1));
    const { body } = await editor.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
    expect(body.versions[0]).toMatchObject({ version: 2, cause: "edit", added: 0, removed: 3 });
    const { body: told } = await editor.get(`${path}/events/${gone[0]}/history`);
    expect(told).toMatchObject({
      history: [{ version: 2, change: "removed", reason: "counted twice" }, {}],
    });
    const admin = await service.loginAs("admin");
    const audit = `/api/audit?subject=catalogue-${id}`;
    const { entries } = (await admin.get<{ entries: AuditEntry[] }>(audit)).body;
    expect(entries.map(({ summary }) => summary)).toEqual(
      expect.arrayContaining([
        "Version 2 begun (edit): counted twice",
        expect.stringContaining("0 added, 0 updated, 3 removed, 3 events"),
      ]),
    );
    await editor.send("POST", `${path}/versions/1/restore`);
    expect(await list()).toEqual(all);
  });

  test("removes nothing where one of the events is not there, and counts one that is named twice once", async () => {
    const [{ all, ids, list, post }, other] = [await catalogueOf(3), await catalogueOf(1)];
    const [first = "", second = ""] = ids;
    for (const unknown of [UNKNOWN_ID, other.ids[0] ?? ""]) {
      expectRefusal(await post({ events: [first, unknown, second] }), "NOT_FOUND", unknown);
    }
    expect(await list()).toEqual(all);
    expect((await post({ events: [] })).body).toEqual({ version: 1, removed: 0 });
    const twice = { events: [first, first.toUpperCase()] };
    expect((await post(twice)).body).toEqual({ version: 2, removed: 1 });
    expectRefusal(await post({ events: [first, second] }), "NOT_FOUND", first);
    for (const body of [
      { events: ["event 1"] },
      { events: Array.from({ length: 10_001 }, () => UNKNOWN_ID) },
    ]) {
      expectRefusal(await post(body), "VALIDATION_ERROR", "events");
    }
    expectRefusal(await post({ events: [second] }, "?asOf=1"), "VALIDATION_ERROR", "asOf");
  });

  test("leaves the bounds of what is left", async () => {
    const subsets = fc.array(fc.nat(11), { minLength: 1, maxLength: 11 });
    await fc.assert(
      fc.asyncProperty(subsets, async (places) => {
        const { path, ids, list, post } = await catalogueOf(12);
        const events = [...new Set(places.map((place) => ids[place] ?? ""))];
        expect((await post({ events })).body).toEqual({ version: 2, removed: events.length });
        const left = await list();
        const { body } = await editor.get<Catalogue>(path);
        expect(body).toMatchObject({ event_count: left.length, ...boundsOf(columnsOf(left)) });
      }),
      { numRuns: runs(20) },
    );
  });
});

describe("restoring one event", () => {
  async function restorable(...submitted: readonly object[]) {
    const one = await oneEvent(editor, ...submitted);
    const restore = (version: unknown, headers?: Record<string, string>) =>
      one.send("POST", "/restore", { version }, headers);
    return { ...one, restore, remove: () => one.send("DELETE", "") };
  }
  const OTHER = seismicEvent({ id: "b", time: "2016-11-14T00:00:00Z" });

  test("makes it as it was, as a version of its own, and leaves the others alone", async () => {
    const { id, event, add, change, restore, read, history } = await restorable(
      seismicEvent({ id: "a", region: "Kaikōura", felt: 3 }),
      OTHER,
    );
    expect((await restore(1)).body).toEqual({ event, version: 1 });
    await change({ magnitude: 2, region: null, extra: null });
    await add({ events: [{ ...OTHER, magnitude: 1 }], updateExisting: true });
    const answer = await restore(1);
    expect(answer).toMatchObject({ status: 200, body: { version: 4, event } });
    expect(answer.headers.get("etag")).toBe('"4"');
    expect(await read()).toEqual(event);
    expect(await listEvents(editor, id, "maxMagnitude=1")).toMatchObject([{ source_id: "b" }]);
    const told = { version: 4, change: "updated", cause: "edit", restores: 1 };
    expect((await history())[0]).toMatchObject(told);
    expect((await restore(1)).body).toEqual({ event, version: 4 });
  });

  test("brings a removed one back under its id, and the bounds with it, but not while another has that id", async () => {
    const { catalogue, event, add, remove, restore, read, history } = await restorable(
      seismicEvent({ id: "a", latitude: -47, longitude: 166, magnitude: 8 }),
      OTHER,
    );
    const { updated_at: _, version: __, ...before } = (await editor.get<Catalogue>(catalogue)).body;
    await remove();
    expect(await restore(1)).toMatchObject({ status: 200, body: { version: 3, event } });
    expect(await read()).toEqual(event);
    expect((await editor.get(catalogue)).body).toMatchObject(before);
    expect((await history()).map(({ change }) => change)).toEqual(["added", "removed", "added"]);

    await remove();
    for (const version of [4, 5, 2 ** 40]) expectRefusal(await restore(version), "NOT_FOUND");
    await add({ events: [seismicEvent({ id: "a" })] });
    expectRefusal(await restore(1), "CONFLICT", "source_id");
    for (const version of [0, -1, 1.5, "1", null]) {
      expectRefusal(await restore(version), "VALIDATION_ERROR", "version");
    }
    for (const unknown of [
      `${catalogue}/events/${randomUUID()}`,
      `/api/catalogues/${randomUUID()}/events/${event.id}`,
    ]) {
      expectRefusal(await editor.send("POST", `${unknown}/restore`, { version: 1 }), "NOT_FOUND");
    }
  });

  test("comes with the bulletin that it had, or without where it had none", async () => {
    const { remove, change, restore, event, bulletin, send } = await restorable({
      bulletin: smallBulletin(),
    });
    const given = (await bulletin()).bulletin;
    await change({ depth: 33 });
    await send("DELETE", "/bulletin");
    expect((await restore(1)).body).toEqual({ event, version: 4 });
    expect((await bulletin()).bulletin).toEqual(given);
    await remove();
    expect((await restore(4)).body).toEqual({ event, version: 6 });
    expect((await bulletin()).bulletin).toEqual(given);
    expect((await restore(3)).body.event).toMatchObject({ depth: 33 });
    expect((await bulletin()).source).toBe("row");
    expect((await restore(2)).body.version).toBe(8);
    expect((await bulletin()).bulletin.origin?.at(-1)?.depth?.value).toBe(33_000);
  });
});

type Converted = { version: number; converted: number; outOfRange: number };

const OURS: MagnitudeConversion = {
  name: "Ours, of ML",
  from: "ML",
  to: "Mw",
  slope: 0.5,
  intercept: 2,
  sigma: 0.25,
  range: [2, 6],
  reference: "Our own",
};

const mb = (id: string, magnitude: number | null, given: object = {}) =>
  seismicEvent({ id, magnitude, magnitude_type: "mb", ...given });

function convert(id: string, body: object, headers: Record<string, string> = {}) {
  return editor.send<Converted>("POST", `/api/catalogues/${id}/conversions`, body, headers);
}

async function eventsOf(id: string): Promise<Map<string | null, SeismicEvent>> {
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/export?format=json`,
  );
  return new Map(body.events.map((event) => [event.source_id, event]));
}

async function bulletinOf(id: string, event: string): Promise<Bulletin> {
  const path = `/api/catalogues/${id}/events/${event}/bulletin`;
  return (await editor.get<{ bulletin: Bulletin }>(path)).body.bulletin;
}

test("GET /api/conversions lists the known ones with their source, to anybody", async () => {
  const guest = await service.loginAs("guest");
  type Listed = { conversions: MagnitudeConversion[] };
  const { conversions } = (await guest.get<Listed>("/api/conversions")).body;
  expect(conversions.map(({ name }) => name)).toContain("isc-gem-mb");
  for (const { reference } of conversions) expect(reference).toMatch(/\(\d{4}\).*doi:/);
});

describe("POST /api/catalogues/{id}/conversions", () => {
  test("converts what fits as one edit, and keeps what was", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        mb("a", 5, { magnitude_uncertainty: 0.1, magnitude_station_count: 7, note: "kept" }),
        mb("b", 3.9),
        mb("c", null),
        seismicEvent({ id: "d", magnitude: 6.4, magnitude_type: "MS" }),
        seismicEvent({ id: "e", magnitude: 5, magnitude_type: "mB" }),
        seismicEvent({ id: "f", magnitude: 5 }),
      ],
    });
    const before = await eventsOf(id);
    const answer = await convert(id, { conversions: ["isc-gem-ms-small", "isc-gem-mb", OURS] });
    expect(answer).toMatchObject({
      status: 200,
      body: { version: 2, converted: 2, outOfRange: 1 },
    });
    expect(answer.headers.get("etag")).toBe('"2"');
    const after = await eventsOf(id);
    expect(after.get("a")).toEqual({
      ...before.get("a"),
      magnitude: 5.11,
      magnitude_type: "Mw",
      magnitude_uncertainty: expect.closeTo(Math.hypot(1.38 * 0.1, 0.3), 10),
      extra: {
        note: "kept",
        converted_from: {
          magnitude: 5,
          magnitude_type: "mb",
          magnitude_uncertainty: 0.1,
          conversion: "isc-gem-mb",
        },
      },
    });
    expect(after.get("d")).toMatchObject({ magnitude: 6.418, magnitude_uncertainty: 0.2 });
    for (const name of ["b", "c", "e", "f"]) expect(after.get(name)).toEqual(before.get(name));
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ version: 2, min_magnitude: 3.9, max_magnitude: 6.418 });
    const versions = await editor.get<{ versions: object[] }>(`/api/catalogues/${id}/versions`);
    expect(versions.body.versions[0]).toMatchObject({ cause: "edit", updated: 2, added: 0 });
  });

  test("looks at the events that satisfy the filters, and at an agency's where it is for one", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        mb("a", 5, { agency_id: "ISC" }),
        mb("b", 5, { agency_id: "NEIC", depth: 100 }),
        mb("c", 5, { agency_id: "neic" }),
      ],
    });
    const conversion = { ...OURS, from: "mb", agency: "NEIC" };
    const { body } = await convert(id, {
      conversions: [conversion],
      filters: { maxDepth: 50, magnitudeType: "mb,Mw" },
    });
    expect(body).toEqual({ version: 2, converted: 1, outOfRange: 0 });
    expect((await eventsOf(id)).get("c")).toMatchObject({ magnitude: 4.5, magnitude_type: "Mw" });
  });

  test("keeps the first original of a magnitude that is converted again", async () => {
    const { id } = await createCatalogue(editor, { events: [mb("a", 5)] });
    await convert(id, { conversions: ["isc-gem-mb"] });
    await convert(id, { conversions: [{ ...OURS, from: "Mw", to: "Me" }] });
    expect((await eventsOf(id)).get("a")?.extra?.["converted_from"]).toMatchObject({
      magnitude: 5.11,
      magnitude_type: "Mw",
      conversion: OURS.name,
      converted_from: { magnitude: 5, magnitude_type: "mb", conversion: "isc-gem-mb" },
    });
  });

  test("puts a magnitude of its own into a bulletin, beside the original", async () => {
    const given = smallBulletin();
    const { id } = await createCatalogue(editor, {
      events: [{ bulletin: given }, mb("b", 5)],
    });
    const conversion = { ...OURS, from: "Mw", to: "Mw(GEM)" };
    expect((await convert(id, { conversions: [conversion] })).body.converted).toBe(1);
    const [event] = [...(await eventsOf(id)).values()].filter(
      (one) => one.magnitude_type === "Mw(GEM)",
    );
    expect(event).toMatchObject({
      magnitude: 4.25,
      depth: 12.3,
      magnitude_uncertainty: expect.closeTo(Math.hypot(0.1, 0.25), 10),
    });
    const bulletin = await bulletinOf(id, event?.id ?? "");
    const [first, second, made] = bulletin.magnitude ?? [];
    expect([first, second]).toEqual(given.magnitude);
    expect(made).toMatchObject({
      publicID: bulletin.preferredMagnitudeID,
      mag: { value: 4.25 },
      type: "Mw(GEM)",
      originID: given.preferredOriginID,
      methodID: "smi:local.catalogue/conversion/Ours-of-ML",
      creationInfo: { agencyID: "WEL", version: "2" },
    });
    // What else was said of the event stays.
    expect(bulletin.pick).toEqual(given.pick);
    // A magnitude that was converted once may be again: nothing is replaced.
    const again = { ...OURS, name: "again", from: "Mw(GEM)" };
    await convert(id, { conversions: [again] });
    expect((await bulletinOf(id, event?.id ?? "")).magnitude).toHaveLength(4);
  });

  test("comes back from JSON and QuakeML as it was", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        { bulletin: smallBulletin() },
        mb("b", 5, { magnitude_method_id: "smi:local.test/mb", magnitude_agency_id: "NEIC" }),
      ],
    });
    await convert(id, { conversions: ["isc-gem-mb", { ...OURS, from: "Mw" }] });
    const json = await editor.get<{ events: object[] }>(
      `/api/catalogues/${id}/export?format=json&include=bulletin`,
    );
    const copy = await createCatalogue(editor, { events: json.body.events });
    const known = [...(await eventsOf(id)).values()].map(contentOf);
    expect([...(await eventsOf(copy.id)).values()].map(contentOf)).toEqual(known);
    const xml = await editor.get<string>(`/api/catalogues/${id}/export?format=quakeml`);
    // Of an event without a bulletin too, other programs learn that the magnitude was converted.
    expect(xml.body).toContain("<methodID>smi:local.catalogue/conversion/isc-gem-mb</methodID>");
    const form = fileForm(xml.body, { fileName: "events.xml" });
    const kept = await editor.send<{ uploadId: string }>("POST", "/api/upload?keep=true", form);
    const { uploadId } = kept.body;
    const read = await editor.send<Catalogue>("POST", "/api/catalogues", {
      name: "read",
      uploadId,
    });
    expect(read.status, JSON.stringify(read.body)).toBe(201);
    const rows = [...(await eventsOf(read.body.id)).values()];
    for (const { magnitude, extra } of known) {
      expect(rows.find((row) => row.magnitude === magnitude)?.extra).toMatchObject({
        converted_from: extra?.["converted_from"],
      });
    }
  });

  test("is told of as long as the magnitude is the converted one", async () => {
    const events = [{ bulletin: smallBulletin() }, mb("b", 5), mb("c", 5)];
    const { id } = await createCatalogue(editor, { events });
    const form = { conversions: ["isc-gem-mb", { ...OURS, from: "Mw", to: "Mx" }] };
    expect((await convert(id, form)).body.converted).toBe(3);
    const before = await eventsOf(id);
    const whole = [...before.values()].find((event) => event.magnitude_type === "Mx");
    // Its source says again what it has said: what was made of it here stays preferred.
    const path = `/api/catalogues/${id}/events`;
    await editor.send("POST", path, { events: [events[0]], updateExisting: true });
    expect((await eventsOf(id)).get(whole?.source_id ?? null)).toMatchObject({
      magnitude: 4.25,
      extra: { converted_from: whole?.extra?.["converted_from"] },
    });
    // By hand another magnitude, or another depth.
    for (const one of [whole, before.get("b")]) {
      await editor.send("PATCH", `${path}/${one?.id}`, { magnitude: 6 });
    }
    await editor.send("PATCH", `${path}/${before.get("c")?.id}`, { depth: 3 });
    const after = await eventsOf(id);
    expect(after.get(whole?.source_id ?? null)?.extra).not.toHaveProperty("converted_from");
    expect(after.get("b")?.extra).toBeNull();
    expect(after.get("c")?.extra).toEqual(before.get("c")?.extra);
    const bulletin = await bulletinOf(id, whole?.id ?? "");
    expect(bulletin.magnitude?.at(-1)).toMatchObject({ mag: { value: 6 }, type: "Mx" });
    expect(bulletin.magnitude?.at(-1)).not.toHaveProperty("methodID");
  });

  test("is done once by its key, in the background where it is asked to, and makes no version where nothing fits", async () => {
    const { id } = await createCatalogue(editor, {
      events: [mb("a", 5), mb("b", 7), mb("c", null)],
    });
    const form = { conversions: ["isc-gem-mb"] };
    const headers = { ...keyed(), prefer: "respond-async" };
    const to = `/api/catalogues/${id}/conversions?reason=homogeneous`;
    const asked = () => editor.send<{ operationId: string }>("POST", to, form, headers);
    const { status, body } = await asked();
    expect(status).toBe(202);
    const result = { version: 2, converted: 1, outOfRange: 1 };
    expect((await endOf(editor, body.operationId)).result).toEqual(result);
    expect((await asked()).body).toEqual(body);
    expect((await convert(id, form)).body).toEqual({ ...result, converted: 0 });
  });

  test("is refused without what can be", async () => {
    const { id } = await createCatalogue(editor, { events: [mb("a", 5)] });
    const form = { conversions: ["isc-gem-mb"] };
    for (const [body, words] of [
      [{ conversions: [] }, "conversions"],
      [{ conversions: ["isc-gem"] }, "conversions"],
      [{ conversions: [{ ...OURS, range: [9, 2] }] }, "range"],
      [{ ...form, filters: { minDepth: 9, maxDepth: 2 } }, "minDepth"],
      [{ ...form, filters: { depth: 9 } }, "filters"],
    ] as const) {
      const refused = expectRefusal(await convert(id, body), "VALIDATION_ERROR");
      expect(JSON.stringify(refused)).toContain(words);
    }
    expect((await convert(id, form, { "if-match": '"1"' })).status).toBe(200);
  });
});

function contentOf({ id: _, ...event }: SeismicEvent) {
  return event;
}
