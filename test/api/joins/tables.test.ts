import { beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { keepFile, wholeEvents } from "../bulletins/files/events-of-file.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { EVENTS, joinFile, MOMENT_TENSORS } from "./join-file.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

const [FIRST, SECOND] = EVENTS;

async function joinedTo(
  content: string,
  options: Readonly<Record<string, unknown>> = {},
  given: readonly object[] = EVENTS,
) {
  const { id } = await createCatalogue(editor, { events: given });
  const { body } = await joinFile(editor, id, content, options);
  return { id, body, events: await wholeEvents(editor, id) };
}

/** In the shape of GeoNet's table of MLNZ20. */
const LOCAL_MAGNITUDES = `ID,OT,Lat,Lon,Dep,NrStaMLv,NrStaMLNZ20,MLv,MLNZ20,Ratio
2016p858000,2016-11-13T11:02:56.3Z,-42.692,173.022,15.12,48,45,7.1,6.85,0.96
smi:nz.org.geonet/2103645,2003-08-21T12:12:49.8Z,-45.19,166.83,24.1,12,11,6.7,6.5,0.97
2016p858001,2016-11-13T11:10:00.0Z,-42.7,173.1,10,8,8,4.4,4.1,0.93
`;

test("MLNZ20 of a table is a further magnitude with its stations; the magnitude and place that there are already are not added", async () => {
  const { body, events } = await joinedTo(LOCAL_MAGNITUDES);
  expect(body).toMatchObject({
    version: 2,
    updatedEvents: 2,
    unmatched: [{ line: 4, id: "2016p858001" }],
  });
  const magnitudes = events.map(({ bulletin }) =>
    bulletin.magnitude?.map(({ type, mag, stationCount }) => [type, mag.value, stationCount]),
  );
  expect(magnitudes).toEqual([
    [
      ["ML", 6.9, undefined],
      ["MLv", 6.7, 12],
      ["MLNZ20", 6.5, 11],
    ],
    [
      ["MLv", 7.1, undefined],
      ["MLv", 7.1, 48],
      ["MLNZ20", 6.85, 45],
    ],
  ]);
  expect(events.map(({ bulletin }) => bulletin.origin?.length)).toEqual([1, 1]);
  expect(events).toMatchObject([{ magnitude: 6.9 }, { magnitude: 7.1 }]);
});

test("with columns and preferred, MLNZ20 becomes the magnitude that rows show", async () => {
  const columns = { MLNZ20: "magnitude", MLv: null };
  const { id, events } = await joinedTo(LOCAL_MAGNITUDES, { columns, preferred: true });
  expect(events).toMatchObject([
    { ...FIRST, magnitude: 6.5, magnitude_type: "MLNZ20", magnitude_station_count: 11 },
    { ...SECOND, magnitude: 6.85, magnitude_type: "MLNZ20", magnitude_station_count: 45 },
  ]);
  const again = await joinFile(editor, id, LOCAL_MAGNITUDES, { columns, preferred: true });
  expect(again.body).toMatchObject({ version: 2, updatedEvents: 0, skippedEvents: 2 });
});

test("a place in more digits than the event's is a further origin, which preferred shows; its magnitude stays", async () => {
  const table =
    "id,time,latitude,longitude,depth\n2103645,2003-08-21T12:12:49.751Z,-45.1911,166.8307,23.25\n";
  const { events } = await joinedTo(table, { preferred: true });
  expect(events[0]).toMatchObject({ latitude: -45.1911, depth: 23.25, magnitude: 6.9 });
  expect(events[0]?.bulletin.origin?.map(({ latitude }) => latitude.value)).toEqual([
    -45.1904, -45.1911,
  ]);
  const same = "id,time,latitude,longitude,depth\n2103645,2003-08-21T12:12:50Z,-45.19,166.83,24\n";
  expect((await joinedTo(same)).body).toMatchObject({ version: 1, updatedEvents: 0 });
});

test("an event whose magnitude is not known shows the one that a table gives", async () => {
  const given = [{ ...SECOND, magnitude: null, magnitude_type: null }];
  const { events } = await joinedTo("evid,mw\n2016p858000,7.8\n", {}, given);
  expect(events).toMatchObject([{ magnitude: 7.8, magnitude_type: "Mw" }]);
});

const PICKS = {
  SeisBench: `event,station,time,start_time,end_time,probability,phase
2016p858000,NZ.WEL.10.HHZ,2016-11-13T11:03:30.125000Z,2016-11-13T11:03:30.0Z,2016-11-13T11:03:30.5Z,0.93,P
2016p858000,NZ.WEL.10.HHN,2016-11-13T11:03:52.500000Z,2016-11-13T11:03:52.0Z,2016-11-13T11:03:53.0Z,0.61,S
2016p858009,NZ.WEL.10.HHN,2016-11-13T11:03:52.500000Z,2016-11-13T11:03:52.0Z,2016-11-13T11:03:53.0Z,0.61,S
`,
  PhaseNet: `event_index,station_id,phase_index,phase_time,phase_score,phase_type,phase_amp
2016p858000,NZ.WEL.10.HHZ,6035,2016-11-13T11:03:30.125,0.93,P,1e-5
2016p858000,NZ.WEL.10.HHN,8113,2016-11-13T11:03:52.500,0.61,S,2e-5
2016p858009,NZ.WEL.10.HHN,8113,2016-11-13T11:03:52.500,0.61,S,2e-5
`,
  GaMMA: `id,timestamp,prob,type,amp,event_index,gamma_score
NZ.WEL.10.HHZ,2016-11-13T11:03:30.125,0.93,p,1e-5,2016p858000,3.2
NZ.WEL.10.HHN,2016-11-13T11:03:52.500,0.61,s,2e-5,2016p858000,2.9
NZ.WEL.10.HHN,2016-11-13T11:03:52.500,0.61,s,2e-5,-1,-1
`,
  PyOcto: `event_idx,pick_idx,residual,station,phase,time
2016p858000,3,0.12,NZ.WEL.10.HHZ,P,1479035010.125
2016p858000,4,-0.31,NZ.WEL.10.HHN,S,1479035032.5
2016p858009,4,-0.31,NZ.WEL.10.HHN,S,1479035032.5
`,
};

test.each(Object.entries(PICKS))("picks of %s are at their events", async (_, table) => {
  const { id, body, events } = await joinedTo(table);
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, unmatchedCount: 1 });
  expect(body.unmatched).toMatchObject([{ line: 4 }]);
  const picks = events[1]?.bulletin.pick ?? [];
  expect(
    picks.map(({ time, phaseHint, waveformID }) => [phaseHint, Date.parse(time.value), waveformID]),
  ).toEqual([
    [
      "P",
      Date.parse("2016-11-13T11:03:30.125Z"),
      { networkCode: "NZ", stationCode: "WEL", locationCode: "10", channelCode: "HHZ" },
    ],
    [
      "S",
      Date.parse("2016-11-13T11:03:52.5Z"),
      { networkCode: "NZ", stationCode: "WEL", locationCode: "10", channelCode: "HHN" },
    ],
  ]);
  expect(events[1]).toMatchObject({ ...SECOND });
  expect((await joinFile(editor, id, table)).body).toMatchObject({ version: 2, skippedEvents: 1 });
});

test("rows without an id, or that say nothing, are invalid and told; what is left is joined", async () => {
  const { body } = await joinedTo("id,mw,strike\n,5,\n2016p858000,,12\n2103645,7.1,\n");
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, unmatchedCount: 0 });
  expect(body.validationReport).toMatchObject({
    totalSubmitted: 3,
    failedValidation: 2,
    invalidEvents: [
      { index: 0, reason: "source_id is missing: it says of which event the row is" },
      {
        index: 1,
        id: "2016p858000",
        reason: "row has neither magnitude, mechanism, origin nor pick",
      },
    ],
  });
});

test("what cannot be joined is refused with a sentence, and changes nothing", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const { uploadId } = await keepFile(editor, MOMENT_TENSORS, "table.csv");
  const path = `/api/catalogues/${id}/events`;
  const bodies = [
    [
      { join: "source_id", events: [] },
      "join: joins the rows of a kept upload, which uploadId must name",
    ],
    [{ uploadId, join: "region" }, "join"],
    [{ uploadId, join: "source_id", preferred: 1 }, "preferred"],
    [
      { uploadId, preferred: true },
      "preferred: is for a join, which says by what id rows belong to events",
    ],
    [
      { uploadId, join: "source_id", updateExisting: true },
      "updateExisting: is for events that are added; a join adds to those that are there",
    ],
    [
      { uploadId, join: "source_id", columns: { PublicID: null } },
      "columns: leave no id: say which column is source_id",
    ],
    [
      { uploadId, join: "source_id", columns: { Nothing: "source_id" } },
      "columns.Nothing: is not a column of the file",
    ],
  ] as const;
  for (const [body, sentence] of bodies) {
    const answer = await editor.send("POST", path, body);
    expectRefusal(answer, "VALIDATION_ERROR", sentence);
  }
  const { body } = await editor.get<{ catalogue: { version: number } }>(`/api/catalogues/${id}`);
  expect(body).toMatchObject({ version: 1 });
});

test("a viewer joins nothing; an unknown catalogue and another's upload are 404", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const viewer = await service.loginAs("viewer");
  const { uploadId } = await keepFile(editor, MOMENT_TENSORS, "table.csv");
  const body = { uploadId, join: "source_id" };
  const path = `/api/catalogues/${id}/events`;
  expectRefusal(await viewer.send("POST", path, body), "FORBIDDEN");
  const admin = await service.loginAs("admin");
  expectRefusal(await admin.send("POST", path, body), "NOT_FOUND");
});
