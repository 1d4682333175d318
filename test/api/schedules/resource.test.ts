import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ImportResult, Schedule } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { eventsOf, historyOf } from "../../support/api/imports.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { askForSchedule, newSchedule, scheduleOf } from "../../support/api/schedules.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

type FileServer = {
  /** Address of the file of that name. */
  readonly url: (name: string) => string;
  /** What it has from now on under a name; null for nothing. */
  readonly put: (name: string, content: string | Buffer | null) => void;
  /** Whether answers have an ETag, and the requests' are looked at. */
  readonly validates: (does: boolean) => void;
  /** The requests so far, and the statuses of their answers. */
  readonly requests: { path: string; status: number; headers: IncomingHttpHeaders }[];
  readonly close: () => Promise<void>;
};

/** Files on a free port of the loopback, with an ETag of their content each. */
async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const requests: FileServer["requests"] = [];
  let doesValidate = true;
  const server = createServer(({ url = "", headers }, response) => {
    const content = files.get(url.slice(1));
    const etag = content && `"${createHash("sha1").update(content).digest("hex")}"`;
    const isSame = doesValidate && etag !== undefined && headers["if-none-match"] === etag;
    const status = content === undefined ? 404 : isSame ? 304 : 200;
    requests.push({ path: url, status, headers });
    response.writeHead(status, etag !== undefined && doesValidate ? { etag } : {});
    response.end(status === 200 ? content : undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    put(name, content) {
      if (content === null) files.delete(name);
      else files.set(name, Buffer.from(content));
    },
    validates(does) {
      doesValidate = does;
    },
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

let files: FileServer;
beforeAll(async () => {
  files = await startFileServer();
});
// Registered before those of the service, so it runs after them.
afterAll(() => files.close());
const service = useService({
  AGENCY_ALLOW_PRIVATE: "true",
  AGENCY_RETRIES: "0",
  MAX_UPLOAD_MB: "1",
});
const editor = service.client("editor");
beforeEach(() => {
  files.validates(true);
  files.requests.splice(0);
});

/** The file of that name as an agency of that id, and a schedule of it for a new catalogue. */
async function scheduled(name: string, events: readonly unknown[] = [], settings: object = {}) {
  const admin = await service.loginAs("admin");
  const form = { id: name, name: `Table ${name}`, url: files.url(name), dialect: "table" };
  expect((await admin.send("POST", "/api/agencies", form)).status).toBe(201);
  const { id } = await createCatalogue(editor, { events });
  const schedule = await newSchedule(editor, id, { agency: name, ...settings });
  const run = async (): Promise<Job> => {
    const path = `/api/schedules/${schedule}/run`;
    const { body } = await editor.send<{ operationId: string }>("POST", path);
    return endOf(editor, body.operationId);
  };
  const imported = async () => (await run()).result as unknown as ImportResult;
  const ids = async () => [...(await eventsOf(editor, id)).keys()].sort();
  return { id, schedule, run, imported, ids };
}

const statuses = () => files.requests.map(({ status }) => status);
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** A table of events, `id` with a magnitude each, some hours ago. */
function csv(rows: readonly (readonly [id: string, hours: number, magnitude: number])[]): string {
  const lines = rows.map(
    ([id, hours, magnitude]) => `${id},${hoursAgo(hours)},-42,173,10,${magnitude}`,
  );
  return ["source_id,time,latitude,longitude,depth,magnitude", ...lines, ""].join("\n");
}

test("a schedule of a table imports the rows in its window and bounds, asks by the ETag, and does nothing where the file is as it was", async () => {
  const content = csv([
    ["a", 1, 4],
    ["b", 2, 5],
    ["small", 3, 1],
    ["old", 48, 6],
  ]);
  files.put("events", content);
  const { id, schedule, imported, ids } = await scheduled("events", [], { minMagnitude: 2 });
  expect(await imported()).toMatchObject({ success: true, newEvents: 2 });
  expect(await ids()).toEqual(["a", "b"]);
  const { version } = await imported();
  expect(statuses()).toEqual([200, 304]);
  files.validates(false);
  expect(await imported()).toMatchObject({ version, totalFetched: 0 });
  expect(statuses().at(-1)).toBe(200);
  files.put("events", `${content}c,${hoursAgo(4)},-42,173,10,3\n`);
  expect(await imported()).toMatchObject({ version: version + 1, newEvents: 1 });
  const { last_whole, last_run, failures } = await scheduleOf(editor, schedule);
  expect({ last_whole, failures }).toEqual({ last_whole: last_run, failures: 0 });
  expect(await historyOf(editor, id)).toHaveLength(4);
});

test("a schedule of a table withdraws what the file has no more, unless a row of it has no id, and never much of it", async () => {
  const all = Array.from({ length: 10 }, (_, i) => [`w${i}`, 1 + i / 10, 3] as const);
  const { imported, ids } = await scheduled("withdrawing", [], { withdrawn: "remove" });
  files.put("withdrawing", csv(all));
  expect(await imported()).toMatchObject({ newEvents: 10 });
  const fewer = csv(all.slice(1));
  files.put("withdrawing", `${fewer},${hoursAgo(1)},-42,173,10,3\n`);
  expect((await imported()).withdrawnEvents).toBeUndefined();
  files.put("withdrawing", fewer);
  expect(await imported()).toMatchObject({ withdrawnEvents: 1, newEvents: 0 });
  expect(await ids()).not.toContain("w0");
  files.put("withdrawing", csv(all.slice(5)));
  // The file is as it was in all runs but the first.
  for (let i = 0; i < 4; i += 1) expect(await imported()).toMatchObject({ withheld: 4 });
  expect(await ids()).toHaveLength(9);
  files.put("withdrawing", csv(all.slice(4)));
  expect(await imported()).toMatchObject({ withdrawnEvents: 3 });
  expect(await ids()).toHaveLength(6);
});

/** Two earthquakes as GeoNet's search gives them. */
const EVENTS = [
  seismicEvent({
    ...{ source_id: "2103645", time: "2003-08-21T12:12:49.75Z", magnitude: 6.9 },
    extra: { public_id: "smi:nz.org.geonet/2103645" },
  }),
  seismicEvent({ source_id: "2016p858000", time: "2016-11-13T11:02:56.346094Z" }),
];
/** In the shape of GeoNet's table of moment tensors. */
const TENSORS = `PublicID,Date,Latitude,Longitude,strike1,dip1,rake1,strike2,dip2,rake2,ML,Mw
2103645,20030821121200,-45.1904,166.8302,0,90,180,90,90,0,6.9,7.0
2016p858000,20161113110200,-42.69,173.02,226,33,141,350,71,64,7.1,7.8
9999999,20161113120000,-42.69,173.02,226,33,141,350,71,64,5.1,5.0
`;

test("a schedule of a table joins what rows say to events that are there, also such as have come since, and the history tells what matches nothing", async () => {
  files.put("tensors", TENSORS);
  const join = { join: "source_id" };
  const { id, imported } = await scheduled("tensors", EVENTS.slice(0, 1), join);
  expect(await imported()).toMatchObject({ version: 2, updatedEvents: 1, unmatchedCount: 2 });
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS.slice(1) });
  const unmatched = [{ line: 4, id: "9999999" }];
  const told = { unmatched, unmatchedCount: 1 };
  const joined = { newEvents: 0, updatedEvents: 1, skippedEvents: 1, ...told };
  expect(await imported()).toMatchObject({ version: 4, ...joined });
  const [record] = await historyOf(editor, id);
  expect(record).toMatchObject({ updated_events: 1, unmatched, unmatched_count: 1 });
  type Whole = SeismicEvent & { bulletin: { focalMechanism?: unknown[] } };
  const { body } = await editor.get<{ events: Whole[] }>(
    `/api/catalogues/${id}/events/filtered?include=bulletin`,
  );
  expect(body.events.map(({ bulletin }) => bulletin.focalMechanism?.length)).toEqual([1, 1]);
  expect(await imported()).toMatchObject({ version: 4, updatedEvents: 0 });
  expect(statuses()).toEqual([200, 200, 304]);
});

test("a schedule of a table reads columns as it is told, and compressed files", async () => {
  const lines = ["who,OT,Y,X,km,M", `n1,${hoursAgo(1)},-42,173,10,4.5`, ""];
  files.put("columns", gzipSync(lines.join("\n")));
  const columns = {
    ...{ who: "source_id", OT: "time", Y: "latitude", X: "longitude" },
    ...{ km: "depth", M: "magnitude" },
  };
  const { id, schedule, imported } = await scheduled("columns", [], { columns });
  expect(await scheduleOf(editor, schedule)).toMatchObject({ columns });
  expect(await imported()).toMatchObject({ newEvents: 1 });
  expect((await eventsOf(editor, id)).get("n1")).toMatchObject({ magnitude: 4.5 });
});

test("a schedule of a table fails where its file cannot be read, and says so", async () => {
  for (const [name, content, more, message] of [
    ["not-there", null, {}, /answered with status 404/],
    ["larger-than-uploads", "x".repeat(1024 ** 2 + 1), {}, /larger than 1 MB/],
    ["of-no-kind", "no table\n", {}, /no row can be read|not supported/],
    ["other-columns", csv([]), { columns: { none: "depth" } }, /columns.none is not/],
    ["no-ids", "depth,magnitude\n10,4\n", { join: "source_id" }, /has no ids/],
  ] as const) {
    files.put(name, content);
    const { schedule, run, ids } = await scheduled(name, [seismicEvent()], more);
    const failed = { status: "failed", error: { code: "AGENCY_ERROR" } };
    expect(await run(), name).toMatchObject(failed);
    expect((await scheduleOf(editor, schedule)).error, name).toMatch(message);
    expect(await ids(), name).toHaveLength(1);
  }
});

test("what is said of a table is refused for an event service, and is taken back with null", async () => {
  const { id, schedule } = await scheduled("changing", [], { join: "source_id" });
  const change = (path: string, settings: object) =>
    editor.send("PATCH", `/api/schedules/${path}`, settings);
  const service = await newSchedule(editor, id);
  for (const [field, settings] of [
    ["join", { join: "source_id" }],
    ["columns", { columns: { a: "depth" } }],
  ] as const) {
    expectRefusal(await askForSchedule(editor, id, settings), "VALIDATION_ERROR", field);
    expectRefusal(await change(service, settings), "VALIDATION_ERROR", field);
    expect(await scheduleOf(editor, service)).not.toHaveProperty(field);
  }
  const agency = "geonet";
  expectRefusal(await change(schedule, { agency }), "VALIDATION_ERROR", "join");
  expect((await change(schedule, { agency, join: null })).status).toBe(200);
  expect(await scheduleOf(editor, schedule)).not.toHaveProperty("join");
});

const MINUTE_MS = 60_000;
let catalogue: string;
beforeAll(async () => {
  catalogue = (await createCatalogue(editor)).id;
});

const pathOf = (id: string) => `/api/schedules/${id}`;
const listed = async (client: ApiClient, query = "") => {
  const { body } = await client.get<{ schedules: Schedule[] }>(`/api/schedules${query}`);
  return body.schedules.map(({ id }) => id);
};

test("a schedule is made with defaults, changed in part, paused, resumed and ended, and the audit tells of it", async () => {
  const { status, headers, body } = await askForSchedule(editor, catalogue, { everyMinutes: 90 });
  expect(status).toBe(201);
  const { id, created_at, updated_at, created_by, next_run, ...rest } = body.schedule;
  expect(headers.get("location")).toBe(pathOf(id));
  expect(created_by).toMatch(/^user_/);
  expect(updated_at).toBe(created_at);
  const untilRun = (next: string | null) => Date.parse(next ?? "") - Date.parse(created_at);
  expect(untilRun(next_run)).toBe(90 * MINUTE_MS);
  expect(rest).toEqual({
    catalogueId: catalogue,
    agency: "geonet",
    everyMinutes: 90,
    lookbackHours: 24,
    minMagnitude: null,
    maxMagnitude: null,
    minDepth: null,
    maxDepth: null,
    minLatitude: null,
    maxLatitude: null,
    minLongitude: null,
    maxLongitude: null,
    polygon: null,
    region: null,
    detail: "full",
    updateExisting: true,
    withdrawn: "keep",
    push: false,
    paused: false,
    running: false,
    last_run: null,
    last_whole: null,
    failures: 0,
    error: null,
  });
  expect(await scheduleOf(editor, id)).toEqual(body.schedule);

  const change = { everyMinutes: 5, minMagnitude: 2, maxMagnitude: 4, paused: true };
  const changed = await editor.send<{ schedule: Schedule }>("PATCH", pathOf(id), change);
  expect(changed.status).toBe(200);
  expect(changed.body.schedule).toMatchObject({ ...change, next_run: null });
  for (const [wrong, field] of [
    [{ maxMagnitude: 1 }, "minMagnitude"],
    [{ agency: "nobody" }, "agency"],
  ] as const) {
    expectRefusal(await editor.send("PATCH", pathOf(id), wrong), "VALIDATION_ERROR", field);
  }
  const resumed = { paused: false, minMagnitude: null };
  await editor.send("PATCH", pathOf(id), resumed);
  const after = await scheduleOf(editor, id);
  expect(after).toMatchObject({ ...change, ...resumed });
  expect(untilRun(after.next_run)).toBe(5 * MINUTE_MS);

  const ended = await editor.send("DELETE", pathOf(id));
  expect([ended.status, ended.body]).toEqual([200, { success: true }]);
  expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
  expectRefusal(await editor.send("DELETE", pathOf(id)), "NOT_FOUND");
  expectRefusal(await editor.send("POST", `${pathOf(id)}/run`), "NOT_FOUND");
  expect(await listed(editor)).not.toContain(id);
  type Audit = { entries: { summary: string }[] };
  const admin = await service.loginAs("admin");
  const audit = await admin.get<Audit>(`/api/audit?subject=catalogue-${catalogue}`);
  const told = audit.body.entries.map(({ summary }) => summary);
  expect(told).toContain(
    "Scheduled: geonet every 90 min for the last 24 h, withdrawn events: keep",
  );
  expect(told).toContain(`Schedule ${id} ended`);
});

test("a schedule keeps what is said, is made once for a repeated key, and ends with its catalogue", async () => {
  const other = (await createCatalogue(editor)).id;
  const form = {
    catalogueId: other,
    agency: "geonet",
    everyMinutes: 10_080,
    lookbackHours: 87_600,
    ...{ minMagnitude: 2.5, maxMagnitude: 9, minDepth: -1, maxDepth: 700 },
    ...{ minLatitude: -48, maxLatitude: -34, minLongitude: 165, maxLongitude: -175 },
    ...{ detail: "summary", updateExisting: false, withdrawn: "mark", push: true },
  };
  const headers = { "idempotency-key": randomUUID() };
  const send = () => editor.send<{ schedule: Schedule }>("POST", "/api/schedules", form, headers);
  const first = await send();
  expect(first.body.schedule).toMatchObject(form);
  expect((await send()).body).toEqual(first.body);
  const { id } = first.body.schedule;
  expect(await listed(editor, `?catalogueId=${other}`)).toEqual([id]);
  await editor.send("DELETE", `/api/catalogues/${other}`);
  expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
  expect(await listed(editor)).not.toContain(id);
});

test("a schedule without an agency or a catalogue that is there, or with crossed bounds, is refused", async () => {
  for (const [wrong, field] of [
    [{ agency: "" }, "agency"],
    [{ agency: "nobody" }, "agency"],
    [{ minMagnitude: 5, maxMagnitude: 4 }, "minMagnitude"],
  ] as const) {
    expectRefusal(await askForSchedule(editor, catalogue, wrong), "VALIDATION_ERROR", field);
  }
  expectRefusal(await askForSchedule(editor, randomUUID()), "NOT_FOUND");
});

describe("the list of schedules", () => {
  test("has the newest first, of one catalogue where that is asked for, in pages", async () => {
    const own = (await createCatalogue(editor)).id;
    const first = await newSchedule(editor, own);
    const second = await newSchedule(editor, own);
    expect(await listed(editor, `?catalogueId=${own}`)).toEqual([second, first]);
    const page = await editor.get<{ schedules: Schedule[]; nextCursor: string }>(
      `/api/schedules?catalogueId=${own}&limit=1`,
    );
    const cursor = encodeURIComponent(page.body.nextCursor);
    expect(page.body.schedules.map(({ id }) => id)).toEqual([second]);
    expect(await listed(editor, `?catalogueId=${own}&limit=1&cursor=${cursor}`)).toEqual([first]);
    expect(await listed(editor, `?catalogueId=${randomUUID()}`)).toEqual([]);
  });

  test("has none of a restricted catalogue for who is no member", async () => {
    const admin = await service.loginAs("admin");
    const { id: hidden } = await createCatalogue(admin, { access: "restricted" });
    const id = await newSchedule(admin, hidden);
    expect(await listed(admin)).toContain(id);
    expect(await listed(editor)).not.toContain(id);
    expect(await listed(editor, `?catalogueId=${hidden}`)).toEqual([]);
    for (const answer of [
      await editor.get(pathOf(id)),
      await editor.send("PATCH", pathOf(id), {}),
      await editor.send("POST", `${pathOf(id)}/run`),
    ]) {
      expectRefusal(answer, "NOT_FOUND", "Schedule not found");
    }
    expectRefusal(await askForSchedule(editor, hidden), "NOT_FOUND", "Catalogue not found");
  });

  test("is there for who may not change the catalogue, whose schedules he changes neither", async () => {
    const admin = await service.loginAs("admin");
    const { id: kept } = await createCatalogue(admin, { editing: "members" });
    const id = await newSchedule(admin, kept);
    expect(await listed(editor)).toContain(id);
    for (const answer of [
      await askForSchedule(editor, kept),
      await editor.send("PATCH", pathOf(id), { paused: true }),
      await editor.send("DELETE", pathOf(id)),
      await editor.send("POST", `${pathOf(id)}/run`),
    ]) {
      expectRefusal(answer, "FORBIDDEN");
    }
  });
});
