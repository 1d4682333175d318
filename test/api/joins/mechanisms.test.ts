import { beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { type WholeEvent, wholeEvents } from "../bulletins/files/events-of-file.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { EVENTS, joinFile, MOMENT_TENSORS } from "./join-file.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

async function joined(options: Readonly<Record<string, unknown>> = {}) {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const answer = await joinFile(editor, id, MOMENT_TENSORS, options);
  const events = await wholeEvents(editor, id);
  return { id, answer, events: events as [WholeEvent, WholeEvent] };
}

test("a table of moment tensors adds mechanism, Mw and centroid to the events with its ids, in one version", async () => {
  const { id, answer, events } = await joined();
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    version: 2,
    newEvents: 0,
    updatedEvents: 2,
    skippedEvents: 0,
    unmatched: [{ line: 4, id: "9999999" }],
    unmatchedCount: 1,
    validationReport: { totalSubmitted: 3, successfullyImported: 3, failedValidation: 0 },
  });
  const [first, second] = events;
  const { origin = [], magnitude = [], focalMechanism = [] } = first.bulletin;
  expect(magnitude.map(({ type, mag }) => [type, mag.value])).toEqual([
    ["ML", 6.9],
    ["Mw", 7],
  ]);
  const [, centroid] = origin;
  expect(centroid).toMatchObject({
    type: "centroid",
    time: { value: "2003-08-21T12:12:49.75Z" },
    depth: { value: 22_000 },
    depthType: "from moment tensor inversion",
  });
  const at = (value: number) => ({ value });
  expect(focalMechanism).toMatchObject([
    {
      nodalPlanes: {
        nodalPlane1: { strike: at(0), dip: at(90), rake: at(180) },
        nodalPlane2: { strike: at(90), dip: at(90), rake: at(0) },
      },
      principalAxes: {
        tAxis: { azimuth: at(45), plunge: at(0), length: at(4e19) },
        pAxis: { azimuth: at(135), plunge: at(0), length: at(-4e19) },
        nAxis: { azimuth: at(0), plunge: at(90), length: at(0) },
      },
      momentTensor: [
        {
          derivedOriginID: centroid?.publicID,
          momentMagnitudeID: magnitude[1]?.publicID,
          scalarMoment: at(4e19),
          tensor: { Mrr: at(0), Mtt: at(0), Mpp: at(0), Mtp: at(-4e19) },
          dataUsed: [{ waveType: "unknown", stationCount: 5 }],
          varianceReduction: 83,
          doubleCouple: 0.87,
        },
      ],
    },
  ]);
  // What the rows show stays, but for the mechanism that there was not.
  expect(first).toMatchObject({ ...EVENTS[0], focal_mechanisms: [{ momentTensor: {} }] });
  expect(second).toMatchObject({ ...EVENTS[1], source_id: "2016p858000" });
  expect(second.bulletin.focalMechanism?.[0]?.momentTensor).toBeUndefined();
  const { body } = await editor.get<{ history: readonly { cause: string }[] }>(
    `/api/catalogues/${id}/events/${first.id}/history`,
  );
  expect(body.history.map(({ cause }) => cause)).toEqual(["edit", "created"]);
});

test("with preferred the added magnitude and mechanism are what rows show, their places stay", async () => {
  const { id, events } = await joined({ preferred: true });
  expect(events).toMatchObject([
    { magnitude: 7, magnitude_type: "Mw", depth: 24.1, time: EVENTS[0]?.time },
    { magnitude: 7.8, magnitude_type: "Mw", latitude: -42.69245 },
  ]);
  expect(events[0].focal_mechanisms).toHaveLength(1);
  const again = await joinFile(editor, id, MOMENT_TENSORS, { preferred: true });
  expect(again.body).toMatchObject({ version: 2, updatedEvents: 0, skippedEvents: 2 });
});

test("a table that is joined twice adds nothing the second time, and makes no version", async () => {
  const { id, events } = await joined();
  const again = await joinFile(editor, id, MOMENT_TENSORS);
  expect(again.body).toMatchObject({
    version: 2,
    updatedEvents: 0,
    skippedEvents: 2,
    unmatchedCount: 1,
  });
  expect(await wholeEvents(editor, id)).toEqual(events);
  const later = await joinFile(editor, id, MOMENT_TENSORS, { preferred: true });
  expect(later.body).toMatchObject({ version: 3, updatedEvents: 2 });
  const [first] = await wholeEvents(editor, id);
  expect(first).toMatchObject({ magnitude: 7, magnitude_type: "Mw" });
  expect(first?.bulletin.magnitude).toEqual(events[0].bulletin.magnitude);
});

test("a corrected solution is a further one, and of several rows for one event each is added, the last shown", async () => {
  const { id } = await joined();
  const [head = "", row = ""] = MOMENT_TENSORS.split("\n");
  const table = `${head}\n${row.replace(",7.0,4.0e+26", ",7.1,5.6e+26")}\n${row}\n${row.replace(",7.0,", ",7.2,")}\n`;
  const { body } = await joinFile(editor, id, table, { preferred: true });
  expect(body).toMatchObject({ version: 3, updatedEvents: 1, unmatchedCount: 0 });
  const [first] = await wholeEvents(editor, id);
  expect(first?.bulletin.magnitude?.map(({ mag }) => mag.value)).toEqual([6.9, 7, 7.1, 7.2]);
  expect(first).toMatchObject({ magnitude: 7.2, magnitude_type: "Mw" });
});
