import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { Fault } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { EVERYTHING, eventsOf, historyOf, useAgency } from "../../support/api/imports.ts";
import { countNamed, keyed } from "../../support/api/keyed.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal, type RefusalBody } from "../../support/api/refusal.ts";
import { newRegion, squareOf } from "../../support/api/regions.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const EVENTS = 90;
const HOUR_MS = 3_600_000;
const GIVEN = [...servedEvents(1, EVENTS)];

const service = sharedService();
const scene = useAgency(service, { cap: 40 });
const editor = service.client("editor");
const catalogueOf = async (id: string) =>
  (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;

/** An event of the agency as it is not in `GIVEN`. */
const changed = (index: number, changes: JsonObject): ServedEvent => ({
  row: { ...GIVEN[index]?.row, ...changes },
});

test("an import without a catalogue makes one of all events, in full and in summary", async () => {
  scene.serve(...GIVEN);
  for (const detail of ["full", "summary"] as const) {
    const result = await scene.imported(editor, { detail });
    const kept = { read: EVENTS, kept: EVENTS, dropped: 0 };
    const elements = expect.objectContaining({ event: kept, origin: kept });
    const whole = detail === "full" ? { elements } : {};
    expect(result, detail).toEqual({
      success: true,
      catalogueId: expect.any(String),
      catalogueName: expect.stringMatching(/^Test agency import \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      version: 1,
      totalFetched: EVENTS,
      newEvents: EVENTS,
      updatedEvents: 0,
      skippedEvents: 0,
      skippedReasons: { existing: 0, unchanged: 0, excluded: 0, rejected: 0 },
      errors: [],
      ...whole,
    });
    const { catalogueId } = result;
    const catalogue = { status: "active", version: 1, event_count: EVENTS };
    expect(await catalogueOf(catalogueId), detail).toMatchObject(catalogue);
    expect((await eventsOf(editor, catalogueId)).size, detail).toBe(EVENTS);
    expect(await historyOf(editor, catalogueId), detail).toEqual([
      {
        id: expect.any(String),
        schedule_id: null,
        catalogue_id: catalogueId,
        start_time: expect.stringMatching(/Z$/),
        end_time: expect.stringMatching(/Z$/),
        window_start: "2014-01-01T00:00:00Z",
        window_end: "2024-01-01T00:00:00Z",
        total_fetched: EVENTS,
        new_events: EVENTS,
        updated_events: 0,
        skipped_events: 0,
        errors: null,
        created_at: expect.stringMatching(/Z$/),
        ...whole,
      },
    ]);
  }
});

test("an import makes a restricted catalogue on demand, and changes the access of none that is there", async () => {
  scene.serve(...GIVEN.slice(0, 1));
  const { catalogueId } = await scene.imported(editor, { access: "restricted" });
  expect(await catalogueOf(catalogueId)).toMatchObject({ access: "restricted" });
  const viewer = await service.loginAs("viewer");
  expect((await viewer.get(`/api/catalogues/${catalogueId}`)).status).toBe(404);
  const { status, body } = await scene.ask(editor, { catalogueId, access: "public" });
  expect([status, body]).toMatchObject([400, { details: [{ field: "access" }] }]);
});

test("an import into a catalogue adds what is new, updates what is different on demand, and makes no version of nothing", async () => {
  scene.serve(...GIVEN);
  const { catalogueId, catalogueName } = await scene.imported(editor);
  const again = (body: object = {}) => scene.imported(editor, { catalogueId, ...body });
  const none = { existing: 0, unchanged: 0, excluded: 0, rejected: 0 };
  const first = await catalogueOf(catalogueId);
  const place = GIVEN.findIndex(({ row }) => row["magnitude"] === first.max_magnitude);
  const id = String(GIVEN[place]?.row["source_id"]);
  const revision = { magnitude: 1.5, latitude: -89, region: "elsewhere" };
  const others = GIVEN.filter((_, i) => i !== place);
  const another = changed(0, { source_id: "another" });
  scene.serve(...others, changed(place, revision), another);
  expect(await again({ catalogueName: "not looked at" })).toMatchObject({
    catalogueId,
    catalogueName,
    version: 2,
    totalFetched: EVENTS + 1,
    newEvents: 1,
    updatedEvents: 0,
    skippedEvents: EVENTS,
    skippedReasons: { ...none, existing: EVENTS },
  });
  const before = await eventsOf(editor, catalogueId);
  expect(before.size).toBe(EVENTS + 1);
  expect(await again({ updateExisting: true })).toMatchObject({
    success: true,
    version: 3,
    updatedEvents: 1,
    skippedReasons: { ...none, unchanged: EVENTS },
  });
  const after = await eventsOf(editor, catalogueId);
  expect(after.get(id)).toMatchObject({ ...revision, id: before.get(id)?.id });
  for (const events of [before, after]) events.delete(id);
  expect(after).toEqual(before);
  const strongest = Math.max(...others.map(({ row }) => Number(row["magnitude"])));
  const bounds = { max_magnitude: strongest, min_latitude: -89 };
  expect(await catalogueOf(catalogueId)).toMatchObject(bounds);
  expect(await again({ updateExisting: true })).toMatchObject({
    success: true,
    version: 3,
    skippedReasons: { ...none, unchanged: EVENTS + 1 },
  });
  expect(await catalogueOf(catalogueId)).toMatchObject({ status: "active", version: 3 });
  const { body } = await editor.get<{ versions: CatalogueVersion[] }>(
    `/api/catalogues/${catalogueId}/versions`,
  );
  expect(body.versions.map(({ cause, added }) => [cause, added])).toEqual([
    ["import", 0],
    ["import", 1],
    ["import", EVENTS],
  ]);
  const history = await historyOf(editor, catalogueId);
  expect(history.map((run) => run.skipped_events)).toEqual([EVENTS + 1, EVENTS, EVENTS, 0]);
});

test("an import keeps events that came from elsewhere, and is refused where there is no catalogue", async () => {
  scene.serve(...GIVEN);
  const { id } = await createCatalogue(editor, { events: [seismicEvent({ source_id: "own" })] });
  const result = await scene.imported(editor, { catalogueId: id });
  expect(result).toMatchObject({ version: 2, newEvents: EVENTS });
  expect((await eventsOf(editor, id)).has("own")).toBe(true);
  const body = { ...EVERYTHING, catalogueId: randomUUID() };
  expectRefusal(await scene.ask(editor, body), "NOT_FOUND");
  expectRefusal(await scene.ask(editor, body, { prefer: "respond-async" }), "NOT_FOUND");
});

describe("errors of events", () => {
  const sound = { latitude: -41, longitude: 174, depth: 10, magnitude: 3 };
  const row = (source_id: string, hour: number, values: object = {}) => ({
    row: { source_id, time: `2020-01-01T0${hour}:00:00Z`, ...sound, ...values },
  });
  const xml = '<event publicID="smi:nz.org.geonet/no-origin">\n</event>\n';
  const SERVED = [
    row("first", 1),
    row("beyond", 2, { latitude: 95 }),
    { ...row("no-origin", 3), xml },
    row("too deep", 4, { depth: 5_000 }),
  ];
  const DAY = { startDate: "2020-01-01T00:00:00Z", endDate: "2020-01-02T00:00:00Z" };

  /** The line of an event in the last answer to a request for it. */
  async function servedLine(format: string, id: string): Promise<number> {
    const { parameters } = scene.agency.requests.at(-1) ?? { parameters: {} };
    const query = new URLSearchParams({ ...parameters, format });
    const text = await (await fetch(`${scene.agency.url}/query?${query}`)).text();
    return text.split("\n").findIndex((line) => line.includes(id)) + 1;
  }

  test("errors of QuakeML name the line of the event, in the answer and in the history; a depth that is none is left out", async () => {
    scene.serve(...SERVED);
    const result = await scene.imported(editor, { ...DAY, detail: "full" });
    const { errors, catalogueId } = result;
    expect(result).toMatchObject({ success: false, newEvents: 2, totalFetched: 4 });
    const error = async (source_id: string, message: string, more = "") => {
      const line = await servedLine("xml", source_id);
      const where = `line ${line} of the answer for 2020-01-01T00:00:00.000000Z to 2020-01-02T00:00:00.000000Z${more}`;
      return { message, source_id, line, where };
    };
    const expected = [
      await error("no-origin", "the event has no origin"),
      await error(
        "beyond",
        "latitude must be between -90 and 90 deg",
        ", the event of 2020-01-01T02:00:00Z",
      ),
    ];
    expect(errors).toEqual(expected);
    const [run] = await historyOf(editor, catalogueId);
    expect(run).toMatchObject({ total_fetched: 4, errors: expected });
    const events = await eventsOf(editor, catalogueId);
    expect(events.get("too deep")).toMatchObject({ depth: null, extra: { depth: 5_000 } });
  });

  test("errors of FDSN text name the line of the event; a duplicate is told by the text alone", async () => {
    scene.serve(...SERVED, row("twin", 5, { event_type: "duplicate" }));
    const result = await scene.imported(editor, { ...DAY, detail: "summary" });
    const line = await servedLine("text", "beyond");
    expect(line).toBeGreaterThan(1);
    expect(result.errors).toMatchObject([{ source_id: "beyond", line }]);
    expect(result.skippedReasons).toMatchObject({ excluded: 1 });
  });
});

describe("the history of imports", () => {
  test("is newest first, ten runs unless more are asked for, and empty where there were none", async () => {
    scene.serve(...GIVEN.slice(0, 3));
    const { catalogueId } = await scene.imported(editor);
    for (let i = 1; i < 11; i += 1) await scene.imported(editor, { catalogueId });
    const viewer = await service.loginAs("viewer");
    const runs = await historyOf(viewer, catalogueId);
    const all = await historyOf(viewer, `${catalogueId}&limit=100`);
    expect([runs.length, all.length]).toEqual([10, 11]);
    expect(all.slice(0, 10)).toEqual(runs);
    expect(all.at(-1)).toMatchObject({ new_events: 3, skipped_events: 0 });
    const starts = all.map(({ start_time: start }) => start);
    expect(starts).toEqual(starts.toSorted().reverse());
    for (const { start_time: start, end_time: end } of all) expect(end >= start).toBe(true);
    const upperCase = await historyOf(viewer, `${catalogueId.toUpperCase()}&limit=1`);
    expect(upperCase).toEqual(all.slice(0, 1));
    await editor.send("DELETE", `/api/catalogues/${catalogueId}`);
    const { id } = await createCatalogue(editor);
    for (const one of [catalogueId, id, randomUUID()]) {
      expect(await historyOf(editor, one)).toEqual([]);
    }
  });

  test("is refused without a catalogue's id and with a limit that is none", async () => {
    const limited = (limit: unknown) => `catalogueId=${randomUUID()}&limit=${limit}`;
    for (const [query, field] of [
      ...["", "catalogueId=", "catalogueId=12"].map((query) => [query, "catalogueId"] as const),
      ...[0, 101, "ten"].map((limit) => [limited(limit), "limit"] as const),
    ]) {
      const answer = await editor.get(`/api/import/history?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", field);
    }
  });
});

test("an import with an Idempotency-Key is made once; one that has failed is made again, into the catalogue that it had made", async () => {
  scene.serve(...GIVEN.slice(0, 3));
  const name = `once ${randomUUID()}`;
  const [body, headers] = [{ ...EVERYTHING, catalogueName: name }, keyed()];
  scene.agency.fail(() => ({ kind: "status", status: 400 }));
  expectRefusal(await scene.ask(editor, body, headers), "AGENCY_ERROR");
  scene.agency.fail();
  const first = await scene.ask(editor, body, headers);
  expect(first).toMatchObject({ status: 200, body: { catalogueName: name, newEvents: 3 } });
  const again = await scene.ask(editor, body, headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await countNamed(editor, name)).toBe(1);
  expect(await historyOf(editor, first.body.catalogueId)).toHaveLength(2);
});

describe("the window and the bounds of an import", () => {
  function eventAt(id: string, overrides: JsonObject): ServedEvent {
    const time = "2020-06-01T00:00:00Z";
    const row = { source_id: id, time, latitude: 0, longitude: 0, depth: 10, magnitude: 5 };
    return { row: { ...row, ...overrides } };
  }
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
  const PLACED = [
    ...[-180, -175, -10, 0, 10, 175, 180].map((longitude) =>
      eventAt(`lon ${longitude}`, { longitude }),
    ),
    ...[3, 4].map((magnitude) => eventAt(`mag ${magnitude}`, { magnitude, latitude: 50 })),
    ...[0, 700].map((depth) => eventAt(`depth ${depth}`, { depth, latitude: 60 })),
    eventAt("without", { magnitude: null, depth: null, latitude: 70 }),
    eventAt("recent", { time: hoursAgo(2) }),
    eventAt("older", { time: hoursAgo(30) }),
  ];
  const IN_2020 = { startDate: "2020-06-01", endDate: "2020-06-01" };

  async function idsOf(body: object): Promise<string[]> {
    const { status, body: result } = await scene.ask(editor, { ...body });
    expect(status).toBe(200);
    return [...(await eventsOf(editor, result.catalogueId)).keys()].sort();
  }

  test("the bounds are inclusive, where the agency's own are not; null is none", async () => {
    scene.serve(...PLACED);
    const names = Object.keys(operations.importEvents.body.shape).filter((name) =>
      /^(?:min|max)/.test(name),
    );
    expect(names).toHaveLength(8);
    const box = { minLatitude: -1, maxLatitude: 1, minLongitude: 170, maxLongitude: -170 };
    for (const [bounds, expected] of [
      [{ minMagnitude: 3, maxMagnitude: 4 }, ["mag 3", "mag 4"]],
      [{ minDepth: 700 }, ["depth 700"]],
      [{ maxDepth: 0 }, ["depth 0"]],
      [{ endDate: "2020-05-31T23:59:59.999999Z", startDate: "2020-05-31" }, []],
      [box, ["lon -175", "lon -180", "lon 175", "lon 180"]],
      [{ ...box, minLongitude: -20, maxLongitude: 20 }, ["lon -10", "lon 0", "lon 10"]],
    ] as const) {
      const ids = await idsOf({ ...IN_2020, ...bounds });
      expect(ids, JSON.stringify(bounds)).toEqual(expected.toSorted());
    }
    const unbounded = Object.fromEntries(names.map((name) => [name, null]));
    const all = await idsOf({ ...IN_2020, ...unbounded });
    expect([all.length, all.includes("without")]).toEqual([12, true]);
    expect(await idsOf({ ...IN_2020, minMagnitude: -3 })).not.toContain("without");
  });

  test("the window is the last 24 hours, the last hours, or from a start until now, and in the history as it was asked for", async () => {
    scene.serve(...PLACED);
    expect(await idsOf({})).toEqual(["recent"]);
    expect(await idsOf({ hours: 48 })).toEqual(["older", "recent"]);
    expect(await idsOf({ hours: 0.5 })).toEqual([]);
    expect(await idsOf({ startDate: "2020-06-02" })).toEqual(["older", "recent"]);
    const before = Date.now();
    const { body } = await scene.ask(editor, { hours: 3 });
    const [run] = await historyOf(editor, body.catalogueId);
    const [start = 0, end = 0] = [run?.window_start ?? "", run?.window_end ?? ""].map(Date.parse);
    expect(end - start).toBe(3 * HOUR_MS);
    expect(end).toBeGreaterThanOrEqual(before);
  });

  test("an import by polygons and regions has what lies in all of them, and asks for their box", async () => {
    const longitudes = [-180, -175, -10, 0, 5, 10, 175];
    scene.serve(
      ...longitudes.flatMap((longitude) =>
        [0, 5, 80].map((latitude) => eventAt(`${longitude} ${latitude}`, { longitude, latitude })),
      ),
    );
    const polygon = "POLYGON ((0 0, 10 0, 10 10, 0 0))";
    const region = (...square: Parameters<typeof squareOf>) =>
      newRegion(editor, squareOf(...square));
    const ROWS: readonly [string, object, string[], (number | null)[][] | null][] = [
      ["half a square", { polygon }, ["0 0", "10 0", "10 5", "5 0", "5 5"], [[0, 10.001]]],
      [
        "both sides of the antimeridian",
        { region: await region(174, -1, 186, 6) },
        ["-175 0", "-175 5", "-180 0", "-180 5", "175 0", "175 5"],
        [
          [173.999, 180],
          [-180, -173.999],
        ],
      ],
      [
        "a pole",
        { region: await region(0, 70, 10, 90) },
        ["0 80", "10 80", "5 80"],
        [[null, null]],
      ],
      [
        "all of them",
        { polygon, region: await region(4, 0, 20, 20), minLatitude: 1 },
        ["10 5", "5 5"],
        null,
      ],
      ["two that do not meet", { polygon, region: await region(100, 50, 110, 60) }, [], null],
    ];
    for (const [name, shape, expected, asked] of ROWS) {
      const before = scene.agency.requests.length;
      expect(await idsOf({ ...IN_2020, ...shape }), name).toEqual(expected);
      const boxes = scene.agency.requests.slice(before).map(({ parameters }) => parameters);
      const places = boxes.map(({ minlongitude: west, maxlongitude: east }) =>
        [west, east].map((bound) => (bound === undefined ? null : Number(bound))),
      );
      if (asked !== null) expect(places, name).toEqual(asked);
      if (name === "half a square") {
        expect(boxes[0]).toMatchObject({ minlatitude: "-0.001", maxlatitude: "10.001" });
      }
    }
    expect(await idsOf({ ...IN_2020, polygon: null, region: null })).toHaveLength(21);
  });

  test("a window, bounds or shapes of no meaning are refused, the field named", async () => {
    for (const [body, field] of [
      [{ hours: 1, startDate: "2020-01-01" }, "hours"],
      [{ hours: 1, endDate: "2020-01-01" }, "hours"],
      [{ endDate: "2020-01-01" }, "endDate"],
      [{ startDate: "2020-01-02", endDate: "2020-01-01" }, "startDate"],
      [{ startDate: "2999-01-01" }, "startDate"],
      [{ startDate: "yesterday" }, "startDate"],
      [{ minMagnitude: 4, maxMagnitude: 3 }, "minMagnitude"],
      [{ minDepth: 4, maxDepth: 3 }, "minDepth"],
      [{ minLatitude: 4, maxLatitude: 3 }, "minLatitude"],
      [{ polygon: "POLYGON ((0 0, 1 0, 1 1))" }, "polygon"],
      [{ region: randomUUID() }, "region"],
    ] as const) {
      expectRefusal(await scene.ask(editor, body), "VALIDATION_ERROR", field);
    }
    expectRefusal(await scene.ask(editor, { catalogueName: " " }), "MISSING_NAME");
    expectRefusal(await scene.ask(editor, { catalogueName: "x".repeat(256) }), "NAME_TOO_LONG");
  });
});

const ALL = 120;
const ASYNC = { prefer: "respond-async" };
const POLL = { timeout: 60_000 };
const failing = useAgency(service, {
  events: servedEvents(2, ALL),
  cap: 40,
});
afterEach(() => failing.agency.fail());

type Body = Readonly<Record<string, unknown>>;

/** A catalogue with one event of its own. */
async function own(): Promise<string> {
  return (await createCatalogue(editor, { events: [seismicEvent({ source_id: "own" })] })).id;
}

/** An import that fails, and the catalogue and history that it leaves. */
async function failed(body: Body = {}) {
  const answer = await failing.ask(editor, { ...EVERYTHING, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(500);
  const { catalogueId, code } = answer.body as unknown as RefusalBody & { catalogueId: string };
  const history = await historyOf(editor, catalogueId);
  return { code, catalogueId, catalogue: await catalogueOf(catalogueId), history };
}

/** The agency answers so many requests, and then the next ones with a fault. */
function failAfter(requests: number, fault: Fault): void {
  const before = failing.agency.requests.length;
  failing.agency.fail(() => (failing.agency.requests.length - before >= requests ? fault : null));
}

describe("an import that the agency fails", () => {
  test("is an AGENCY_ERROR of a catalogue in error whose history tells it, and can be made again into it", async () => {
    failing.agency.fail(() => ({ kind: "status", status: 400 }));
    const { code, catalogueId, catalogue, history } = await failed({ catalogueName: "in vain" });
    expect(code).toBe("AGENCY_ERROR");
    expect(catalogue).toMatchObject({ name: "in vain", status: "error", version: 0 });
    const errors = [{ code: "AGENCY_ERROR", message: expect.stringContaining("400") }];
    expect(history).toMatchObject([{ total_fetched: 0, new_events: 0, errors }]);
    failing.agency.fail();
    expect(await failing.imported(editor, { catalogueId })).toMatchObject({
      newEvents: ALL,
    });
    const active = { status: "active", event_count: ALL };
    expect(await catalogueOf(catalogueId)).toMatchObject(active);
    const after = await historyOf(editor, catalogueId);
    expect(after.map((run) => run.errors === null)).toEqual([true, false]);
  });

  test("half-way leaves the catalogue as it was, and its counts in the history", async () => {
    const id = await own();
    failAfter(4, { kind: "status", status: 400 });
    const { catalogue, history } = await failed({ catalogueId: id });
    expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: 1 });
    expect([...(await eventsOf(editor, id)).keys()]).toEqual(["own"]);
    const [run] = history;
    expect(run?.total_fetched).toBeGreaterThan(0);
    expect(run?.total_fetched).toBeLessThan(ALL);
    expect(run?.new_events).toBe(run?.total_fetched);
    expect(run?.errors).toMatchObject([{ code: "AGENCY_ERROR" }]);
    failing.agency.fail();
    const again = await failing.imported(editor, { catalogueId: id });
    expect(again).toMatchObject({ newEvents: ALL });
  });

  test("by an answer that ends too early leaves nothing of its run but the record", async () => {
    const admin = await service.loginAs("admin");
    // An agency that is changed has a circuit anew.
    const change = (requestsAtOnce: number) =>
      admin.send("PATCH", `/api/agencies/${failing.id}`, { requestsAtOnce });
    for (const [detail, atOnce] of [
      ["full", 1],
      ["summary", 3],
    ] as const) {
      await change(atOnce);
      const id = await own();
      for (const kind of ["closed", "ended", "truncated"] as const) {
        const name = `${detail} ${kind}`;
        // One window in the middle, of 36 events.
        failing.agency.fail((address) =>
          address.includes("starttime=2017-09-11") ? { kind } : null,
        );
        const { code, catalogue, history } = await failed({ catalogueId: id, detail });
        expect(code, name).toBe("AGENCY_UNAVAILABLE");
        const active = { status: "active", version: 1, event_count: 1 };
        expect(catalogue, name).toMatchObject(active);
        expect([...(await eventsOf(editor, id)).keys()], name).toEqual(["own"]);
        const message = expect.stringMatching(/^Test agency's answer ends early, at line \d+: /);
        expect(history[0]?.errors, name).toMatchObject([{ code: "AGENCY_UNAVAILABLE", message }]);
      }
    }
    await change(2);
  });

  test("by more than can be told of is an AGENCY_ERROR", async () => {
    const row = { latitude: 99, longitude: 0, magnitude: 1 };
    const broken = Array.from({ length: 450 * 6 }, (_, i) => {
      const time = new Date(Date.UTC(2013, 0, 1) + i * 900_000).toISOString();
      return { row: { ...row, time, source_id: `${i}-${"x".repeat(150)}` } };
    });
    failing.agency.catalogue.add(...broken);
    const window = { startDate: "2013-01-01", endDate: "2013-02-01" };
    const { code, catalogue, history } = await failed(window);
    expect([code, catalogue.status]).toEqual(["AGENCY_ERROR", "error"]);
    expect(history[0]?.errors?.at(-1)?.message).toMatch(/^More than \d+ of the agency's events/);
    expect(history[0]?.total_fetched).toBe((history[0]?.errors?.length ?? 0) - 1);
  });

  test("leaves a new catalogue in error, as does one into which nothing came", async () => {
    const nothing = { startDate: "2001-01-01", endDate: "2001-02-01" };
    const result = await failing.imported(editor, nothing);
    expect(result).toMatchObject({ success: true, totalFetched: 0, version: 0 });
    expect((await catalogueOf(result.catalogueId)).status).toBe("error");
    expect(await historyOf(editor, result.catalogueId)).toMatchObject([{ errors: null }]);
  });
});

describe("an import with Prefer: respond-async", () => {
  type Answer = { operation: Job };

  async function start(body: Body = {}): Promise<string> {
    const answer = await failing.ask(editor, { ...EVERYTHING, ...body }, ASYNC);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return (answer.headers.get("location") ?? "").split("/").at(-1) ?? "";
  }
  const operationOf = async (id: string) =>
    (await editor.get<Answer>(`/api/operations/${id}`)).body.operation;

  /** An import that waits for the agency, having got some events. */
  async function startHanging(catalogueId: string): Promise<string> {
    failAfter(4, { kind: "hang" });
    const id = await start({ catalogueId });
    const events = async () => (await operationOf(id)).progress.events ?? 0;
    await expect.poll(events, POLL).toBeGreaterThan(0);
    return id;
  }

  test("tells its windows and events as it goes on, and ends with the answer of an import", async () => {
    const id = await start({ catalogueName: "in the background" });
    const stream = await (await editor.stream(`/api/operations/${id}/stream`)).text();
    expect(stream).toMatch(/^event: operation\n/);
    const operation = await endOf(editor, id);
    expect(operation).toMatchObject({
      kind: "import",
      status: "succeeded",
      progress: { unit: "windows", events: ALL },
      result: {
        success: true,
        catalogueName: "in the background",
        newEvents: ALL,
        version: 1,
      },
    });
    const { done, total } = operation.progress;
    expect(done).toBe(total);
    expect(done).toBeGreaterThan(3);
  });

  test("that the agency fails ends as failed, with its catalogue", async () => {
    failing.agency.fail(() => ({ kind: "status", status: 400 }));
    const { status, error } = await endOf(editor, await start());
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "AGENCY_ERROR", catalogueId: expect.any(String) });
    expect(await historyOf(editor, error?.catalogueId ?? "")).toHaveLength(1);
  });

  test("keeps its catalogue to itself; cancelled, it is in the history with its counts and has changed nothing", async () => {
    const id = await own();
    const operation = await startHanging(id);
    const body = { ...EVERYTHING, catalogueId: id };
    expectRefusal(await failing.ask(editor, body), "CONFLICT");
    expectRefusal(await failing.ask(editor, body, ASYNC), "CONFLICT");
    const events = { events: [seismicEvent({ source_id: "another" })] };
    expectRefusal(await editor.send("POST", `/api/catalogues/${id}/events`, events), "CONFLICT");
    expect(await historyOf(editor, id)).toEqual([]);
    const cancelled = await editor.send<Answer>("DELETE", `/api/operations/${operation}`);
    expect([cancelled.status, cancelled.body.operation.status]).toEqual([200, "cancelled"]);
    const [run, ...others] = await historyOf(editor, id);
    expect(others).toEqual([]);
    expect(run?.new_events).toBeGreaterThan(0);
    expect(run?.errors).toEqual([{ message: "The import was given up: cancelled" }]);
    const active = { status: "active", version: 1, event_count: 1 };
    expect(await catalogueOf(id)).toMatchObject(active);
    failing.agency.fail();
    const again = await failing.imported(editor, { catalogueId: id });
    expect(again).toMatchObject({ newEvents: ALL });
  });

  test("whose catalogue is deleted meanwhile ends as not found", async () => {
    const id = await own();
    const { promise: until, resolve } = Promise.withResolvers<void>();
    failing.agency.fail(() => ({ kind: "late", until }));
    const operation = await start({ catalogueId: id });
    expect((await editor.send("DELETE", `/api/catalogues/${id}`)).status).toBe(200);
    resolve();
    const error = { code: "NOT_FOUND" };
    expect(await endOf(editor, operation)).toMatchObject({ status: "failed", error });
    expect(await historyOf(editor, id)).toEqual([]);
  });
});

test("an import whose client goes away ends in order", async () => {
  const id = await own();
  const { promise: until, resolve } = Promise.withResolvers<void>();
  failing.agency.fail(() => ({ kind: "late", until }));
  const before = failing.agency.requests.length;
  const leaving = new AbortController();
  const { token } = await (await newAccount(service, "editor")).signIn();
  const request = fetch(new URL("/api/import/agency", service.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...EVERYTHING, agency: failing.id, catalogueId: id }),
    signal: leaving.signal,
  });
  const left = expect(request).rejects.toThrow();
  await expect.poll(() => failing.agency.requests.length, POLL).toBeGreaterThan(before);
  leaving.abort();
  await left;
  resolve();
  await expect.poll(() => historyOf(editor, id), POLL).toHaveLength(1);
  expect(await historyOf(editor, id)).toMatchObject([{ new_events: ALL, errors: null }]);
});

const RUNS = 15;
const counting = useAgency(service, { cap: 15 });
/** What an event of the agency is, and in which of its forms. */
type Kind = "sound" | "without magnitude" | "broken" | "not existing" | "duplicate" | "rejected";
type Form = { readonly kind: Kind; readonly magnitude: number };
/** The agency's events by their ids, at one time. */
type Holding = ReadonlyMap<string, Form>;

const form: fc.Arbitrary<Form> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Kind>("sound") },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Kind>(
        "without magnitude",
        "broken",
        "not existing",
        "duplicate",
        "rejected",
      ),
    },
  ),
  magnitude: fc.constantFrom(2, 3),
});
const holding: fc.Arbitrary<Holding> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 25 }), form), { maxLength: 35 })
  .map((entries) => new Map(entries.map(([id, of]) => [`event ${id}`, of])));
const imports = fc.array(fc.record({ holding, updateExisting: fc.boolean() }), {
  minLength: 2,
  maxLength: 4,
});

function rowOf(id: string, { kind, magnitude }: Form): JsonObject {
  const place = Number(id.split(" ")[1]);
  return {
    source_id: id,
    time: new Date(Date.UTC(2020, 0, 1 + place)).toISOString(),
    latitude: kind === "broken" ? 100 + place : place,
    longitude: place,
    depth: 10,
    magnitude: kind === "without magnitude" ? null : magnitude,
    event_type: kind === "not existing" || kind === "duplicate" ? kind : "earthquake",
    evaluation_status: kind === "rejected" ? "rejected" : "confirmed",
  };
}

/** What an import has to count, and what the catalogue then has: magnitudes by id. */
function oracle(has: Map<string, number | null>, now: Holding, updateExisting: boolean) {
  const counts = {
    new: 0,
    updated: 0,
    existing: 0,
    unchanged: 0,
    excluded: 0,
    rejected: 0,
    broken: 0,
  };
  for (const [id, { kind, magnitude: given }] of now) {
    const magnitude = kind === "without magnitude" ? null : given;
    if (kind === "broken" || kind === "rejected") counts[kind] += 1;
    else if (kind === "not existing" || kind === "duplicate") counts.excluded += 1;
    else if (!has.has(id)) counts.new += 1;
    else if (!updateExisting) counts.existing += 1;
    else if (has.get(id) === magnitude) counts.unchanged += 1;
    else counts.updated += 1;
    const isEvent = kind === "sound" || kind === "without magnitude";
    if (isEvent && (updateExisting || !has.has(id))) has.set(id, magnitude);
  }
  return counts;
}

function hold(now: Holding): void {
  const { catalogue } = counting.agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...[...now].map(([id, of]) => ({ row: rowOf(id, of) })));
}

function countsOf({ newEvents, updatedEvents, skippedReasons, errors }: ImportResult) {
  return { new: newEvents, updated: updatedEvents, ...skippedReasons, broken: errors.length };
}

test("every event that is fetched is counted once, whatever becomes of it", async () => {
  await fc.assert(
    fc.asyncProperty(imports, async (steps) => {
      const has = new Map<string, number | null>();
      let catalogueId: string | undefined;
      for (const { holding: now, updateExisting } of steps) {
        hold(now);
        const body = { updateExisting, ...(catalogueId && { catalogueId }) };
        const result = await counting.imported(editor, body);
        ({ catalogueId } = result);
        const { totalFetched, newEvents, updatedEvents, skippedEvents, errors } = result;
        expect(totalFetched).toBe(newEvents + updatedEvents + skippedEvents + errors.length);
        expect(totalFetched).toBe(now.size);
        expect(countsOf(result)).toEqual(oracle(has, now, updateExisting));
        expect(result.success).toBe(errors.length === 0);
        const [run] = await historyOf(editor, catalogueId);
        expect(run).toMatchObject({
          total_fetched: totalFetched,
          new_events: newEvents,
          updated_events: updatedEvents,
          skipped_events: skippedEvents,
          errors: errors.length === 0 ? null : errors,
        });
      }
      const events = await eventsOf(editor, catalogueId ?? "");
      const magnitudes = [...events].map(([id, { magnitude }]) => [id, magnitude] as const);
      expect(new Map(magnitudes)).toEqual(has);
    }),
    { seed: 4, numRuns: runs(RUNS) },
  );
});
