import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../support/api-client.ts";
import { sample } from "../../../support/formats/sample.ts";
import { sharedService } from "../../../support/service.ts";
import { arrivalsOf, catalogueOfFile, type WholeEvent } from "./events-of-file.ts";

const VERSION_6 = sample("nonlinloc/version-6.hyp");
const VERSION_7 = sample("nonlinloc/version-7.hyp");

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

describe("uploaded hypocentres of NonLinLoc 6 and 7", () => {
  let id = "";
  let taupo: WholeEvent | undefined;
  let valais: WholeEvent | undefined;
  beforeAll(async () => {
    const read = await catalogueOfFile(editor, VERSION_7 + VERSION_6, "last.hyp");
    id = read.id;
    [taupo, valais] = read.events;
    expect(read.upload).toMatchObject({ format: "nonlinloc", rowCount: 2, errors: [] });
  });

  test("are rows in kilometres; one that was rejected is so", () => {
    expect(valais).toMatchObject({
      source_id: "17",
      time: "2024-02-29T23:59:58.504000Z",
      depth: 8.25,
      depth_uncertainty: 1.5,
      horizontal_uncertainty: 2.75,
      azimuthal_gap: 197,
      evaluation_status: null,
    });
    expect(taupo).toMatchObject({
      time: "2020-12-09T16:38:00.000Z",
      depth: -0.5,
      evaluation_status: "rejected",
      magnitude: 1.7,
      magnitude_type: "Md",
    });
  });

  test("have axes of the ellipsoid in metres, of 68 %", () => {
    expect(valais?.bulletin.origin?.[0]?.originUncertainty).toMatchObject([
      {
        confidenceEllipsoid: {
          semiMajorAxisLength: 3250,
          semiMinorAxisLength: 1125,
          semiIntermediateAxisLength: 2500,
        },
        confidenceLevel: 68,
      },
    ]);
  });

  test("have the readings of either version's columns", async () => {
    const readings = async (event: WholeEvent | undefined) =>
      (await arrivalsOf(editor, id, event?.id ?? "")).map((row) => [
        row.station,
        row.phase,
        row.time,
        row.residual,
      ]);
    expect(await readings(valais)).toEqual([
      ["SIMPL", "P", "2024-03-01T00:00:01.2500Z", 0.042],
      ["SIMPL", "S", "2024-03-01T00:00:03.1000Z", -0.1053],
      ["NOWHR", "Pn", "2024-03-01T00:00:07.0000Z", null],
    ]);
    expect(await readings(taupo)).toEqual([["TLZ", "P", "2020-12-09T16:38:19.3339Z", -1.4189]]);
    const [near] = await arrivalsOf(editor, id, valais?.id ?? "");
    // 11.1195 km
    expect(near?.distance).toBeCloseTo(0.1, 6);
    const [first, second] = valais?.bulletin.origin?.[0]?.arrival ?? [];
    expect(first?.takeoffAngle).toEqual({ value: 120 });
    expect(second).not.toHaveProperty("takeoffAngle");
  });
});

test("a hypocentre of NonLinLoc that is cut off is told by line, and the one before makes an event", async () => {
  const file = VERSION_6 + VERSION_7;
  const cut = file.slice(0, VERSION_6.length + VERSION_7.length / 2);
  const { upload, events } = await catalogueOfFile(editor, cut, "last.hyp");
  expect(upload.errors).toEqual([
    {
      line: expect.any(Number),
      message: expect.stringContaining("the hypocentre is cut off before END_NLLOC"),
    },
  ]);
  expect(events).toMatchObject([{ evaluation_status: "rejected" }]);
});
