import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { newRegion, squareOf, wktOf } from "../regions/region-scene.ts";
import { expectRefusal } from "../support/refusal.ts";
import { eventsOf, importEvents, imported, useImports } from "./import-scene.ts";

const scene = useImports({ events: placedEvents() });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

function* placedEvents(): Generator<ServedEvent> {
  for (const longitude of [-180, -175, -10, 0, 5, 10, 175]) {
    for (const latitude of [0, 5, 80]) yield eventAt(longitude, latitude);
  }
}

function eventAt(longitude: number, latitude: number): ServedEvent {
  const source_id = `${longitude} ${latitude}`;
  const place = { longitude, latitude, depth: 10 };
  return { row: { source_id, time: "2020-06-01T00:00:00Z", magnitude: 5, ...place } };
}

/** Half of the square from 0 to 10, with what lies on its diagonal. */
const TRIANGLE = "POLYGON ((0 0, 10 0, 10 10, 0 0))";
const DAY = { startDate: "2020-06-01", endDate: "2020-06-01" };

async function importedBy(body: Readonly<Record<string, unknown>>) {
  const before = scene.agency.requests.length;
  const result = await imported(editor, { ...DAY, ...body });
  const ids = [...(await eventsOf(editor, result.catalogueId)).keys()].sort();
  const asked = scene.agency.requests.slice(before).map(({ parameters }) => parameters);
  return { ids, asked, fetched: result.totalFetched };
}

describe("an import", () => {
  test("by a polygon has what lies in it, and asks for its box", async () => {
    const { ids, asked, fetched } = await importedBy({ polygon: TRIANGLE });
    expect(ids).toEqual(["0 0", "10 0", "10 5", "5 0", "5 5"]);
    expect(fetched).toBe(5);
    expect(asked).not.toEqual([]);
    for (const { minlatitude, maxlatitude, minlongitude, maxlongitude } of asked) {
      const bounds = [minlatitude, maxlatitude, minlongitude, maxlongitude].map(Number);
      expect(bounds).toEqual([-0.001, 10.001, 0, 10.001]);
    }
  });

  test("by a region has what lies in it, beside the antimeridian on both sides", async () => {
    const region = await newRegion(editor, squareOf(174, -1, 186, 6));
    const { ids, asked } = await importedBy({ region });
    expect(ids).toEqual(["-175 0", "-175 5", "-180 0", "-180 5", "175 0", "175 5"]);
    const longitudes = asked.map(({ minlongitude, maxlongitude }) => [minlongitude, maxlongitude]);
    expect(longitudes.map((pair) => pair.map(Number))).toEqual([
      [173.999, 180],
      [-180, -173.999],
    ]);
  });

  test("by a region at a pole asks for all longitudes", async () => {
    const region = await newRegion(editor, squareOf(0, 70, 10, 90));
    const { ids, asked } = await importedBy({ region });
    expect(ids).toEqual(["0 80", "10 80", "5 80"]);
    expect(asked.map((parameters) => "minlongitude" in parameters)).toEqual([false]);
  });

  test("by a polygon, a region and bounds has what lies in all of them", async () => {
    const region = await newRegion(editor, squareOf(4, 0, 20, 20));
    expect((await importedBy({ polygon: TRIANGLE, region, minLatitude: 1 })).ids).toEqual([
      "10 5",
      "5 5",
    ]);
    const apart = await newRegion(editor, squareOf(100, 50, 110, 60));
    expect((await importedBy({ polygon: TRIANGLE, region: apart })).ids).toEqual([]);
  });

  test("by neither has what there is, where both are null", async () => {
    expect((await importedBy({ polygon: null, region: null })).ids).toHaveLength(21);
  });
});

test("an import by what is no polygon, or by no region, is refused, its field named", async () => {
  const open = "POLYGON ((0 0, 1 0, 1 1))";
  expectRefusal(await importEvents(editor, { polygon: open }), "VALIDATION_ERROR", "polygon");
  const unknown = { region: randomUUID() };
  expectRefusal(await importEvents(editor, unknown), "VALIDATION_ERROR", "region");
  expectRefusal(await importEvents(editor, { region: "here" }), "VALIDATION_ERROR", "region");
  const form = { polygon: wktOf(squareOf(0, 0, 1, 1)), region: 5 };
  expectRefusal(await importEvents(editor, form), "VALIDATION_ERROR", "region");
});
