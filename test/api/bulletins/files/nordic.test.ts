import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../support/api-client.ts";
import { nordicEventAt, timeInMinute } from "../../../support/formats/nordic-event.ts";
import { sample } from "../../../support/formats/sample.ts";
import { sharedService } from "../../../support/service.ts";
import { arrivalsOf, catalogueOfFile, type WholeEvent } from "./events-of-file.ts";

const OLD = sample("nordic/old.nor");
const NEW = sample("nordic/new.nor");

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

describe("uploaded events in the Nordic formats", () => {
  let id = "";
  let ofNew: WholeEvent | undefined;
  let ofOld: WholeEvent | undefined;
  beforeAll(async () => {
    const read = await catalogueOfFile(editor, OLD + NEW, "collect.out");
    id = read.id;
    [ofNew, ofOld] = read.events;
    expect(read.upload).toMatchObject({ format: "nordic", rowCount: 2, errors: [] });
  });

  test("have the digits of line H and the errors of line E in their rows", () => {
    expect(ofOld).toMatchObject({
      source_id: "20240229235954",
      time: "2024-02-29T23:59:54.912Z",
      time_uncertainty: 2.78,
      latitude: 60.001,
      longitude: 7.502,
      depth: 12.345,
      depth_uncertainty: 12.8,
      azimuthal_gap: 177,
      magnitude: 2.5,
      magnitude_type: "Mw",
      event_type: "explosion",
    });
    expect(ofNew).toMatchObject({ latitude: -60.109, magnitude: -0.7 });
  });

  test("have planes of lines F, and a tensor of lines M with its centroid", () => {
    expect(ofOld?.focal_mechanisms).toMatchObject([
      { nodalPlanes: { nodalPlane1: { strike: 41, dip: 60, rake: -90 } } },
      { nodalPlanes: { nodalPlane1: { strike: 8.3, dip: 41, rake: 74.7 } } },
    ]);
    expect(ofNew?.focal_mechanisms).toMatchObject([
      { momentTensor: { scalarMoment: 1.6e16, tensor: { Mrr: 1.5e16, Mtp: 1.25e15 } } },
    ]);
    expect(ofNew?.bulletin.origin?.map(({ type }) => type)).toEqual([undefined, "centroid"]);
    expect([ofOld, ofNew].map((event) => event?.bulletin_counts)).toMatchObject([
      { origins: 2, magnitudes: 5, picks: 5, arrivals: 4, amplitudes: 2, focal_mechanisms: 2 },
      { origins: 2, magnitudes: 2, picks: 5, arrivals: 2, amplitudes: 3, focal_mechanisms: 1 },
    ]);
  });

  test("have readings of both forms, those after midnight on the next day", async () => {
    const readings = async (event: WholeEvent | undefined) =>
      (await arrivalsOf(editor, id, event?.id ?? "")).map((one) => [one.phase, one.time]);
    expect(await readings(ofOld)).toEqual([
      ["P", "2024-02-29T23:59:58.25Z"],
      ["S", "2024-03-01T00:00:01.5Z"],
      ["Pn", "2024-03-01T00:01:12.123Z"],
      ["PKiKP", "2024-03-01T00:01:46.859Z"],
    ]);
    expect(await readings(ofNew)).toEqual([
      ["P", "2021-01-03T03:45:26.970Z"],
      ["S", "2021-01-03T03:46:00.600Z"],
    ]);
  });
});

test("a hundred events in the Nordic format are a hundred events, each with its time and its pick", async () => {
  const minutes = Array.from({ length: 100 }, (_, i) => i);
  const file = minutes.map(nordicEventAt).join("");
  const { events } = await catalogueOfFile(editor, file, "select.out");
  expect(events.map(({ time }) => time)).toEqual(minutes.map((i) => timeInMinute(i, "01.5")));
  expect(events.map(({ bulletin }) => bulletin.pick?.map(({ time }) => time.value))).toEqual(
    minutes.map((i) => [timeInMinute(i, "02.25")]),
  );
});
