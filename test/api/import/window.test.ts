import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#contracts/http/table/operations.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { expectRefusal } from "../support/refusal.ts";
import { eventsOf, historyOf, importEvents, imported, useImports } from "./import-scene.ts";

const HOUR_MS = 3_600_000;
const scene = useImports({ events: placedEvents() });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

function eventAt(id: string, overrides: JsonObject): ServedEvent {
  const time = "2020-06-01T00:00:00Z";
  const row = { source_id: id, time, latitude: 0, longitude: 0, depth: 10, magnitude: 5 };
  return { row: { ...row, ...overrides } };
}

function* placedEvents(): Generator<ServedEvent> {
  for (const longitude of [-180, -175, -10, 0, 10, 175, 180]) {
    yield eventAt(`lon ${longitude}`, { longitude });
  }
  for (const magnitude of [3, 4]) yield eventAt(`mag ${magnitude}`, { magnitude, latitude: 50 });
  for (const depth of [0, 700]) yield eventAt(`depth ${depth}`, { depth, latitude: 60 });
  yield eventAt("without", { magnitude: null, depth: null, latitude: 70 });
  yield eventAt("recent", { time: new Date(Date.now() - 2 * HOUR_MS).toISOString() });
  yield eventAt("older", { time: new Date(Date.now() - 30 * HOUR_MS).toISOString() });
}

const IN_2020 = { startDate: "2020-06-01", endDate: "2020-06-01" };

async function idsOf(body: Readonly<Record<string, unknown>>): Promise<string[]> {
  const { catalogueId } = await imported(editor, { ...IN_2020, ...body });
  return [...(await eventsOf(editor, catalogueId)).keys()].sort();
}

describe("the bounds of an import", () => {
  test("the bounds of an import are inclusive, where the agency's own are not", async () => {
    expect(await idsOf({ minMagnitude: 3, maxMagnitude: 4 })).toEqual(["mag 3", "mag 4"]);
    expect(await idsOf({ minDepth: 700 })).toEqual(["depth 700"]);
    expect(await idsOf({ maxDepth: 0 })).toEqual(["depth 0"]);
  });

  test("the bounds of an import hold the one window, ends included", async () => {
    expect(await idsOf({})).toHaveLength(12);
    expect(
      await idsOf({ endDate: "2020-05-31T23:59:59.999999Z", startDate: "2020-05-31" }),
    ).toEqual([]);
  });

  test("the bounds of an import across the antimeridian are two boxes of the agency's", async () => {
    const box = { minLatitude: -1, maxLatitude: 1, minLongitude: 170, maxLongitude: -170 };
    expect(await idsOf(box)).toEqual(["lon -175", "lon -180", "lon 175", "lon 180"].sort());
    const across = { ...box, minLongitude: -20, maxLongitude: 20 };
    expect(await idsOf(across)).toEqual(["lon -10", "lon 0", "lon 10"]);
  });

  test("the bounds of an import that are null are none", async () => {
    const { body } = operations.importEvents;
    const names = Object.keys(body.shape).filter((name) => /^(?:min|max)/.test(name));
    expect(names).toHaveLength(8);
    const unbounded = Object.fromEntries(names.map((name) => [name, null]));
    expect(await idsOf(unbounded)).toContain("without");
    expect(await idsOf({ minMagnitude: -3 })).not.toContain("without");
  });
});

describe("the window of an import", () => {
  test("the window of an import is the last 24 hours, the last hours, or from a start until now", async () => {
    const ids = async (body: object) => {
      const answer = await importEvents(editor, { ...body });
      expect(answer.status).toBe(200);
      return [...(await eventsOf(editor, answer.body.catalogueId)).keys()].sort();
    };
    expect(await ids({})).toEqual(["recent"]);
    expect(await ids({ hours: 48 })).toEqual(["older", "recent"]);
    expect(await ids({ hours: 0.5 })).toEqual([]);
    expect(await ids({ startDate: "2020-06-02" })).toEqual(["older", "recent"]);
  });

  test("the window of an import is in the history to the second, as it was asked for", async () => {
    const before = Date.now();
    const { body } = await importEvents(editor, { hours: 3 });
    const [run] = await historyOf(editor, body.catalogueId);
    const [start, end] = [run?.window_start ?? "", run?.window_end ?? ""].map(Date.parse);
    expect((end ?? 0) - (start ?? 0)).toBe(3 * HOUR_MS);
    expect(end).toBeGreaterThanOrEqual(before);
  });
});

describe("a body is refused, its field named, where", () => {
  const REFUSED: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ["there are hours and a start", { hours: 1, startDate: "2020-01-01" }, "hours"],
    ["there are hours and an end", { hours: 1, endDate: "2020-01-01" }, "hours"],
    ["there is an end alone", { endDate: "2020-01-01" }, "endDate"],
    ["the start is after the end", { startDate: "2020-01-02", endDate: "2020-01-01" }, "startDate"],
    ["the start is to come", { startDate: "2999-01-01" }, "startDate"],
    ["a time is none", { startDate: "yesterday" }, "startDate"],
    ["hours are none", { hours: 0 }, "hours"],
    ["hours are a text", { hours: "24" }, "hours"],
    ["the catalogue's id is none", { catalogueId: "1" }, "catalogueId"],
    ["the name is no text", { catalogueName: 5 }, "catalogueName"],
    ["a magnitude is a text", { minMagnitude: "3" }, "minMagnitude"],
    ["magnitudes are the wrong way round", { minMagnitude: 4, maxMagnitude: 3 }, "minMagnitude"],
    ["depths are the wrong way round", { minDepth: 4, maxDepth: 3 }, "minDepth"],
    ["latitudes are the wrong way round", { minLatitude: 4, maxLatitude: 3 }, "minLatitude"],
    ["a latitude is beyond the pole", { maxLatitude: 91 }, "maxLatitude"],
    ["a longitude is beyond the antimeridian", { minLongitude: 181 }, "minLongitude"],
    ["updateExisting is a text", { updateExisting: "true" }, "updateExisting"],
    ["the detail is another", { detail: "everything" }, "detail"],
  ];
  test.each(REFUSED)("%s", async (_name, body, field) => {
    expectRefusal(await importEvents(editor, body), "VALIDATION_ERROR", field);
  });

  test("the name cannot be one", async () => {
    expectRefusal(await importEvents(editor, { catalogueName: " " }), "MISSING_NAME");
    expectRefusal(await importEvents(editor, { catalogueName: "x".repeat(256) }), "NAME_TOO_LONG");
    expectRefusal(await importEvents(editor, [] as never), "VALIDATION_ERROR");
  });
});
