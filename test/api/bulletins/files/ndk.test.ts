import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../support/api-client.ts";
import { sample } from "../../../support/formats/sample.ts";
import { sharedService } from "../../../support/service.ts";
import { catalogueOfFile, type WholeEvent } from "./events-of-file.ts";

const ANDES = sample("ndk/andes.ndk");
const RIDGE = sample("ndk/ridge.ndk");

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

describe("an uploaded file of the Global CMT project", () => {
  let id = "";
  let ridge: WholeEvent | undefined;
  let andes: WholeEvent | undefined;
  beforeAll(async () => {
    const read = await catalogueOfFile(editor, ANDES + RIDGE, "events.txt");
    id = read.id;
    [ridge, andes] = read.events;
    expect(read.upload).toMatchObject({ format: "ndk", rowCount: 2, errors: [] });
    expect(read.created.validationReport.elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 4, kept: 4, dropped: 0 },
      magnitude: { read: 5, kept: 5, dropped: 0 },
    });
  });

  test("has hypocentres in its rows: second 60 in the next minute, 1.1 km above sea level, no mb of 0.0", () => {
    expect(ridge).toMatchObject({
      source_id: "B202012312359A",
      time: "2021-01-01T00:00:00.0Z",
      latitude: 71.62,
      longitude: -9.18,
      depth: -1.1,
      magnitude_type: "Mwc",
      region: "JAN MAYEN ISLAND REGION",
      agency_id: "SWE",
    });
    // 2/3 (log10 3.681e16 − 9.1)
    expect(ridge?.magnitude).toBe(5);
    expect(ridge?.bulletin.magnitude?.map(({ type }) => type)).toEqual(["MS", "Mwc"]);
    expect(andes).toMatchObject({ time: "2021-06-09T20:50:46.0Z", depth: 34.6, longitude: -70.24 });
    expect(andes?.bulletin.magnitude?.map(({ type }) => type)).toEqual(["mb", "MS", "Mwc"]);
  });

  test("has the centroid as second origin, of which the tensor is in N·m", () => {
    const { origin = [], focalMechanism = [], preferredOriginID } = andes?.bulletin ?? {};
    expect(origin.map(({ type, depth }) => [type, depth?.value])).toEqual([
      ["hypocenter", 34_600],
      ["centroid", 39_000],
    ]);
    expect(preferredOriginID).toBe(origin[0]?.publicID);
    expect(focalMechanism[0]?.momentTensor).toMatchObject([
      {
        derivedOriginID: origin[1]?.publicID,
        scalarMoment: { value: 5.035e17 },
        tensor: { Mrr: { value: 4.18e17, uncertainty: 6.9e15 }, Mtp: { value: -2.28e17 } },
      },
    ]);
    expect(andes?.focal_mechanisms).toMatchObject([
      {
        momentTensor: { scalarMoment: 5.035e17, tensor: { Mpp: -2.48e17 } },
        nodalPlanes: { nodalPlane1: { strike: 49, dip: 30, rake: 106 } },
      },
    ]);
  });

  test("has tables of all its solutions", async () => {
    const rows = async (table: string) => {
      const path = `/api/catalogues/${id}/export?format=json&table=${table}`;
      return (await editor.get<{ rows: Record<string, unknown>[] }>(path)).body.rows;
    };
    const preferred = (await rows("origins")).filter((row) => row["preferred"]);
    expect(preferred.map(({ depth }) => depth).toSorted()).toEqual([-1.1, 34.6]);
    expect(await rows("magnitudes")).toHaveLength(5);
    expect(await rows("focal_mechanisms")).toHaveLength(2);
  });
});

test("faulty records of the Global CMT project are told by line, and the others make events", async () => {
  const short = ANDES.replace(/(?<=^(?:.*\n){3}).*\n/, "");
  const noDay = ANDES.replace("2021/06/09", "2021/06/31");
  const read = await catalogueOfFile(editor, short + RIDGE + noDay + ANDES, "events.ndk");
  expect(read.upload.errors).toEqual([
    { line: 4, message: expect.stringContaining("an event has 5 lines, this one has 4") },
    { line: 10, message: "there is no time of the calendar in columns 6 to 26" },
  ]);
  expect(read.events.map(({ source_id }) => source_id)).toEqual([
    "B202012312359A",
    "C202106092050A",
  ]);
  expect(read.upload.elements?.["event"]).toEqual({ read: 4, kept: 2, dropped: 2 });
});
