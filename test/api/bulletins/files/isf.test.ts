import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { ApiClient } from "../../../support/api-client.ts";
import { tangledBulletin } from "../../../support/bulletins/tangled-bulletin.ts";
import { sample } from "../../../support/formats/sample.ts";
import { sharedService } from "../../../support/service.ts";
import { exportFile } from "../../formats/file-round.ts";
import { createCatalogue } from "../../support/catalogue.ts";
import { arrivalsOf, catalogueOfFile, type WholeEvent, wholeEvents } from "./events-of-file.ts";

// The expected values are read by hand from the columns of test/fixtures/formats/isf/*.isf.

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

const exported = async (id: string) =>
  new TextDecoder().decode(await exportFile(editor, id, "isf"));

/** Of each arrival the origin that it is of, its phase, and when the pick was. */
async function readings(id: string, event: WholeEvent | undefined) {
  const rows = await arrivalsOf(editor, id, event?.id ?? "");
  return rows.map(({ origin_id, phase, time }) => [origin_id, phase, time]);
}

describe("an uploaded bulletin in ISF 2.1", () => {
  let id = "";
  let event: WholeEvent | undefined;
  beforeAll(async () => {
    const read = await catalogueOfFile(editor, sample("isf/extended.isf"), "isc.txt");
    id = read.id;
    [event] = read.events;
    expect(read.upload).toMatchObject({ format: "isf", rowCount: 1, errors: [] });
    expect(read.created.validationReport.elements).toMatchObject({
      origin: { read: 3, kept: 3, dropped: 0 },
      arrival: { read: 3, kept: 3, dropped: 0 },
      focalMechanism: { read: 1, kept: 1, dropped: 0 },
    });
  });

  test("shows its prime origin, with the best of that one's magnitudes", () => {
    expect(event).toMatchObject({
      source_id: "600516598",
      time: "2024-05-06T23:59:52.25Z",
      latitude: -41.45,
      depth: 25.1,
      depth_uncertainty: 2.5,
      horizontal_uncertainty: 5.5,
      magnitude: 5.3,
      magnitude_type: "mb",
      region: "North Island, New Zealand",
      agency_id: "ISC",
    });
    const { origin = [], magnitude = [], preferredOriginID } = event?.bulletin ?? {};
    expect([preferredOriginID, ...origin.map(({ publicID }) => publicID)]).toEqual([
      "99",
      "12345678901",
      "77",
      "99",
    ]);
    expect(magnitude.map(({ type, mag, originID }) => [type, mag.value, originID])).toEqual([
      ["mb", 5.3, "99"],
      ["MW", 5.5, "77"],
      ["ML", -0.5, "12345678901"],
    ]);
  });

  test("has arrivals at their origins, those after midnight on the next day", async () => {
    expect(await readings(id, event)).toEqual([
      ["12345678901", "Sg", "2024-05-07T00:00:20.5Z"],
      ["99", "Pn", "2024-05-06T23:59:59.125Z"],
      ["99", "Sn", "2024-05-07T00:00:20.5Z"],
    ]);
  });

  test("has tensor, planes and axes as one mechanism of the centroid", () => {
    expect(event?.focal_mechanisms).toMatchObject([
      {
        nodalPlanes: {
          preferredPlane: 2,
          nodalPlane1: { strike: 210, dip: 45, rake: -90 },
          nodalPlane2: { strike: 30, dip: 45.5, rake: -89.5 },
        },
        principalAxes: {
          tAxis: { azimuth: 120, plunge: 5, length: 1.2e17 },
          nAxis: { azimuth: 210, plunge: 2, length: 1e16 },
          pAxis: { azimuth: 300, plunge: 84, length: -1.3e17 },
        },
        momentTensor: {
          scalarMoment: 1.25e17,
          clvd: 0.1,
          tensor: { Mrr: 1e17, Mtt: -5e16, Mpp: -5e16, Mrt: 2.5e16, Mtp: -1.25e16, Mrp: 7.5e16 },
        },
      },
    ]);
    expect(event?.bulletin.focalMechanism?.[0]?.momentTensor?.[0]?.derivedOriginID).toBe("77");
  });

  test("comes back equal from its export", async () => {
    const again = await catalogueOfFile(editor, await exported(id), "again.isf");
    expect(again.events.map(({ bulletin }) => bulletin)).toEqual([event?.bulletin]);
    expect(again.events[0]?.bulletin_sha256).toBe(event?.bulletin_sha256);
  });
});

test("a bulletin in ISF 1.0 prefers the last origin, and has the dates of its phase information", async () => {
  const { id, upload, events } = await catalogueOfFile(editor, sample("isf/first.isf"), "reb.dat");
  expect(upload).toMatchObject({ format: "isf", rowCount: 2, errors: [] });
  expect(events).toMatchObject([
    { source_id: "4021", time: "2000-01-01T00:01:00.00Z", magnitude: 3.4, author: "IDC_REB" },
    { source_id: "4022", time: "2000-01-02T01:02:03.00Z", magnitude: null },
  ]);
  expect(await readings(id, events[0])).toEqual([
    ["2", "P", "2000-01-01T23:59:58.000Z"],
    ["2", "S", "2000-01-01T00:01:30.250Z"],
  ]);
  // What phase information alone says has no columns in what is written; it is counted.
  expect(await exported(id)).toContain("(not written: 1 of arrival, 1 of pick)");
});

test("a bulletin of QuakeML that is exported as ISF comes back equal within the columns", async () => {
  const given = tangledBulletin();
  const { id } = await createCatalogue(editor, { events: [{ bulletin: given }] });
  const [before] = await wholeEvents(editor, id);
  const file = await exported(id);
  const again = await catalogueOfFile(editor, file, "again.isf");
  const [event] = again.events;
  expect(again.upload.errors).toEqual([]);
  for (const name of ["time", "latitude", "longitude", "depth", "magnitude", "region"] as const) {
    expect([name, event?.[name]]).toEqual([name, before?.[name]]);
  }
  const inColumns = ({ origin = [], magnitude = [] }: Bulletin) => ({
    origins: origin.map(({ time, latitude, longitude, depth, type }) => [
      time.value.slice(0, 21),
      latitude.value,
      longitude.value,
      depth?.value,
      type === "centroid",
    ]),
    magnitudes: magnitude.map(({ mag, type }) => [type, mag.value]),
  });
  expect(inColumns(event?.bulletin ?? given)).toMatchObject(inColumns(given));
  // Two arrivals of which one has a pick, and the other origin's.
  expect(event?.bulletin_counts).toMatchObject({ origins: 3, magnitudes: 2, arrivals: 2 });
  expect(file.split("\nSTOP\n")[1]).toMatch(/\(not written: .*\b1 of arrival\b/);
});
