import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import {
  catalogueOfFile,
  keepFile,
  type WholeEvent,
  wholeEvents,
} from "../../support/api/events-of-file.ts";
import { EVENTS, type JoinAnswer, joinFile, MOMENT_TENSORS } from "../../support/api/join-file.ts";
import { keyed } from "../../support/api/keyed.ts";
import { oneEvent } from "../../support/api/one-event.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sample } from "../../support/formats/sample.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");

const [FIRST, SECOND] = EVENTS;

async function joinedTo(
  content: string,
  options: Readonly<Record<string, unknown>> = {},
  given: readonly object[] = EVENTS,
) {
  const { id } = await createCatalogue(editor, { events: given });
  const { status, body } = await joinFile(editor, id, content, options);
  const events = await wholeEvents(editor, id);
  return { id, status, body, events, bulletin: events[0]?.bulletin };
}

test("a table of moment tensors adds mechanism, Mw and centroid to the events with its ids, in one version", async () => {
  const { id, status, body: answer, events } = await joinedTo(MOMENT_TENSORS);
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    version: 2,
    newEvents: 0,
    updatedEvents: 2,
    skippedEvents: 0,
    unmatched: [{ line: 4, id: "9999999" }],
    unmatchedCount: 1,
    validationReport: { totalSubmitted: 3, successfullyImported: 3, failedValidation: 0 },
  });
  const [first, second] = events as [WholeEvent, WholeEvent];
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

test("a table that is joined twice adds nothing the second time; with preferred it is what rows show, their places stay", async () => {
  const { id, events } = await joinedTo(MOMENT_TENSORS);
  const again = await joinFile(editor, id, MOMENT_TENSORS);
  const unchanged = { version: 2, updatedEvents: 0, skippedEvents: 2, unmatchedCount: 1 };
  expect(again.body).toMatchObject(unchanged);
  expect(await wholeEvents(editor, id)).toEqual(events);
  const preferred = { preferred: true };
  const later = await joinFile(editor, id, MOMENT_TENSORS, preferred);
  expect(later.body).toMatchObject({ version: 3, updatedEvents: 2 });
  const shown = await wholeEvents(editor, id);
  expect(shown).toMatchObject([
    { magnitude: 7, magnitude_type: "Mw", depth: 24.1, time: FIRST?.time },
    { magnitude: 7.8, magnitude_type: "Mw", latitude: -42.69245 },
  ]);
  expect(shown[0]?.focal_mechanisms).toHaveLength(1);
  expect(shown[0]?.bulletin.magnitude).toEqual(events[0]?.bulletin.magnitude);
  const last = await joinFile(editor, id, MOMENT_TENSORS, preferred);
  expect(last.body).toMatchObject({ ...unchanged, version: 3 });
});

test("a corrected solution is a further one, and of several rows for one event each is added, the last shown", async () => {
  const { id } = await joinedTo(MOMENT_TENSORS);
  const [head = "", row = ""] = MOMENT_TENSORS.split("\n");
  const table = `${head}\n${row.replace(",7.0,4.0e+26", ",7.1,5.6e+26")}\n${row}\n${row.replace(",7.0,", ",7.2,")}\n`;
  const { body } = await joinFile(editor, id, table, { preferred: true });
  expect(body).toMatchObject({ version: 3, updatedEvents: 1, unmatchedCount: 0 });
  const [first] = await wholeEvents(editor, id);
  expect(first?.bulletin.magnitude?.map(({ mag }) => mag.value)).toEqual([6.9, 7, 7.1, 7.2]);
  expect(first).toMatchObject({ magnitude: 7.2, magnitude_type: "Mw" });
});

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

test("picks of SeisBench, PhaseNet, GaMMA and PyOcto are at their events", async () => {
  const picked = [
    ["P", "2016-11-13T11:03:30.125Z", "HHZ"],
    ["S", "2016-11-13T11:03:52.5Z", "HHN"],
  ].map(([phase, time = "", channelCode]) => [
    ...[phase, Date.parse(time)],
    { networkCode: "NZ", stationCode: "WEL", locationCode: "10", channelCode },
  ]);
  for (const [name, table] of Object.entries(PICKS)) {
    const { id, body, events } = await joinedTo(table);
    expect(body, name).toMatchObject({ version: 2, updatedEvents: 1, unmatched: [{ line: 4 }] });
    const picks = events[1]?.bulletin.pick?.map(({ time, phaseHint, waveformID }) => [
      ...[phaseHint, Date.parse(time.value), waveformID],
    ]);
    expect(picks, name).toEqual(picked);
    expect(events[1]).toMatchObject({ ...SECOND });
    const again = await joinFile(editor, id, table);
    expect(again.body).toMatchObject({ version: 2, skippedEvents: 1 });
  }
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

test("a viewer joins nothing, nor does anybody by another's upload", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const { uploadId } = await keepFile(editor, MOMENT_TENSORS, "table.csv");
  const body = { uploadId, join: "source_id" };
  const path = `/api/catalogues/${id}/events`;
  expectRefusal(await (await service.loginAs("viewer")).send("POST", path, body), "FORBIDDEN");
  expectRefusal(await (await service.loginAs("admin")).send("POST", path, body), "NOT_FOUND");
});

test("solutions of the Global CMT project come to the events with their names, which show their own magnitudes still", async () => {
  const given = [{ ...EVENTS[0], source_id: "B202012312359A", extra: null }];
  const { id } = await createCatalogue(editor, { events: given });
  const content = sample("ndk/andes.ndk") + sample("ndk/ridge.ndk");
  const { body } = await joinFile(editor, id, content, { fileName: "events.ndk" });
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, unmatchedCount: 1 });
  expect(body.validationReport.elements?.["focalMechanism"]).toEqual({
    read: 2,
    kept: 1,
    dropped: 1,
  });
  const [event] = await wholeEvents(editor, id);
  expect(event).toMatchObject({ ...given[0], focal_mechanisms: [{}] });
  expect(event?.bulletin.origin).toHaveLength(3);
  const again = await joinFile(editor, id, content, { fileName: "events.ndk" });
  expect(again.body).toMatchObject({ version: 2, skippedEvents: 1 });
});

test("relocations of hypoDD are shown where they are preferred, the readings stay", async () => {
  const { id, events: before } = await catalogueOfFile(
    editor,
    sample("hypodd/phases.pha"),
    "events.pha",
  );
  const [first = ""] = sample("hypodd/relocated.reloc").split("\n");
  const line = `${first.replace("20202331", "7")}\n`;
  const options = { fileName: "events.reloc" };
  expect((await joinFile(editor, id, line, options)).body).toMatchObject({ updatedEvents: 1 });
  const seventh = async () => (await wholeEvents(editor, id)).find((e) => e.source_id === "7");
  const former = before.find(({ source_id }) => source_id === "7");
  expect(await seventh()).toMatchObject({ latitude: former?.latitude, depth: former?.depth });
  await joinFile(editor, id, line, { ...options, preferred: true });
  const after = await seventh();
  expect(after).toMatchObject({ latitude: 60, longitude: 7.5, depth: 9.25 });
  expect(after?.bulletin.origin).toHaveLength(2);
  expect(after?.bulletin.pick).toEqual(former?.bulletin.pick);
});

test("rows find an event by an id that it had, unless another has it now", async () => {
  const { id, events: path, change } = await oneEvent(editor, EVENTS[1] ?? {});
  expect((await change({ source_id: "2016p858000a" })).status).toBe(200);
  const table = "id,mw\n2016p858000,7.8\n";
  expect((await joinFile(editor, id, table)).body).toMatchObject({
    version: 3,
    updatedEvents: 1,
    unmatchedCount: 0,
  });
  await editor.send("POST", path, { events: [EVENTS[1]] });
  const { body: joined } = await joinFile(editor, id, table.replace("7.8", "7.9"), {});
  expect(joined).toMatchObject({ version: 5, updatedEvents: 1 });
  const after = await wholeEvents(editor, id);
  const values = after.map(({ source_id: name, bulletin }) => [
    name,
    bulletin?.magnitude?.at(-1)?.mag.value,
  ]);
  expect(Object.fromEntries(values)).toEqual({ "2016p858000a": 7.8, "2016p858000": 7.9 });
});

test("a join is done once by its key, also when nobody waits for it, and has its reason", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const { uploadId } = await keepFile(editor, MOMENT_TENSORS, "table.csv");
  const path = `/api/catalogues/${id}/events?reason=moment%20tensors`;
  const headers = { ...keyed(), prefer: "respond-async" };
  const body = { uploadId, join: "source_id" };
  const started = await editor.send<{ operationId: string }>("POST", path, body, headers);
  expect(started.status).toBe(202);
  const { result, status } = await endOf(editor, started.body.operationId);
  expect(status).toBe("succeeded");
  expect(result).toMatchObject({ version: 2, updatedEvents: 2, unmatchedCount: 1 });
  const again = await editor.send<JoinAnswer>("POST", path, body, headers);
  expect(again.body).toEqual(started.body);
  const [event] = await wholeEvents(editor, id);
  const { body: told } = await editor.get<{ history: readonly object[] }>(
    `/api/catalogues/${id}/events/${event?.id}/history`,
  );
  expect(told.history).toMatchObject([
    { version: 2, change: "updated", cause: "edit", reason: "moment tensors" },
    { version: 1, change: "added" },
  ]);
});

describe("picks", () => {
  const EVENT = {
    source_id: "e1",
    time: "2021-05-06T07:08:09.25Z",
    latitude: 41.5,
    longitude: 23.75,
    depth: 12,
    magnitude: 3.1,
  };

  async function joinedTo(content: string, options: Readonly<Record<string, unknown>> = {}) {
    const { id } = await createCatalogue(editor, { events: [EVENT] });
    const { status, body } = await joinFile(editor, id, content, options);
    const [event] = await wholeEvents(editor, id);
    return { id, status, body, bulletin: event?.bulletin };
  }

  describe("a pick without a time that is understood", () => {
    test("is invalid, and the others are joined", async () => {
      const head = (column: string) => `Station,Phase,${column},EventID\n`;
      const good = "BBB,P,2021-05-06T07:08:17.5Z,e1\n";
      for (const [time, message, column, columns] of [
        ["", "of the pick is required", "time", {}],
        ["NaN", "of the pick is required", "PickTime", {}],
        ["None", "of the pick is required", "PickTime", { PickTime: "time" }],
        ["-", "of the pick is required", "when", { when: "time", EventID: "source_id" }],
        ["05/06/2021 07:08:17.5", "of the pick may be 2021-06-05 or 2021-05-06", "PickTime", {}],
        ["soon", 'of the pick is not a valid ISO 8601 time: "soon"', "time", {}],
      ] as const) {
        const content = `${head(column)}AAA,P,${time},e1\n${good}`;
        const { status, body, bulletin } = await joinedTo(content, { columns });
        expect([status, body.validationReport]).toMatchObject([
          200,
          { totalSubmitted: 2, failedValidation: 1, invalidEvents: [{ index: 0, id: "e1" }] },
        ]);
        expect(body.validationReport.invalidEvents[0]?.reason).toContain(`time ${message}`);
        expect(bulletin?.pick?.map(({ waveformID }) => waveformID.stationCode)).toEqual(["BBB"]);
      }
    });

    test("is read in the order of the column's dates, or as is said", async () => {
      const rows = "AAA,P,13/06/2021 07:08:17.5,x\nBBB,P,06/05/2021 07:08:17.5,e1\n";
      for (const column of ["time", "PickTime", "peak_time", "Arrival Time"]) {
        const { bulletin } = await joinedTo(`station,phase,${column},event\n${rows}`);
        expect(bulletin?.pick?.map(({ time }) => time.value)).toEqual(["2021-05-06T07:08:17.5Z"]);
      }
      const said = await joinedTo(
        "station,phase,PickTime,event\nBBB,P,06/05/2021 07:08:17.5,e1\n",
        {
          dateOrder: "dmy",
        },
      );
      expect(said.bulletin?.pick).toHaveLength(1);
    });
  });

  const TIME = "2021-05-06T07:08:17.5Z";

  describe("names of columns of pickers' tables", () => {
    test("make picks of rows", async () => {
      for (const [head, row] of [
        ["trace_id,peak_time,phase,event", `AA.BBB..,${TIME},P,e1`],
        ["trace_id,p_arrival_time,event", `AA.BBB..,${TIME},e1`],
        ["seed_id,Arrival Time,phase,event", `AA.BBB..HHZ,${TIME},P,e1`],
        ["seed_id,Arrival Time,phase,event", `AA_BBB__HHZ,${TIME},P,e1`],
        ["network,station,p_arrival_time,s_arrival_time,event", `AA,BBB,${TIME},,e1`],
        ["seed_id,network,time,phase,event", `ZZ.BBB..HHZ,AA,${TIME},P,e1`],
      ] as const) {
        const { bulletin } = await joinedTo(`${head}\n${row}\n`);
        const waveformID = { networkCode: "AA", stationCode: "BBB" };
        const pick = { phaseHint: "P", time: { value: TIME }, waveformID };
        expect(bulletin?.pick, head).toMatchObject([pick]);
      }
    });

    test("names of two arrivals make two picks of one row, each with its own probability", async () => {
      const head =
        "network,station,p_arrival_time,p_probability,s_arrival_time,s_probability,event";
      const { bulletin } = await joinedTo(
        `${head}\nAA,BBB,${TIME},0.9,2021-05-06T07:08:20Z,0.5,e1\n`,
      );
      expect(bulletin?.pick).toMatchObject([
        { phaseHint: "P", foreign: [{ attributes: [{ name: "score", text: "0.9" }] }] },
        { phaseHint: "S", foreign: [{ attributes: [{ name: "score", text: "0.5" }] }] },
      ]);
    });

    test("columns are station, network, channel, location, phase and residual where that is said", async () => {
      const head = "a,b,c,d,e,f,station_id,phase_type,time,event";
      const row = `BBB,AA,HHZ,05,Sg,-120,XX.OTHER,P,${TIME},e1`;
      const columns = {
        a: "station",
        b: "network",
        c: "channel",
        d: "location",
        e: "phase",
        f: { attribute: "residual", unit: "ms" },
      };
      for (const content of [`${head}\n${row}\n`, jsonOf(head, row)]) {
        const { status, body, bulletin } = await joinedTo(content, { columns });
        expect([status, JSON.stringify(body)]).toEqual([200, expect.any(String)]);
        expect(bulletin?.pick).toMatchObject([
          {
            phaseHint: "Sg",
            waveformID: {
              networkCode: "AA",
              stationCode: "BBB",
              locationCode: "05",
              channelCode: "HHZ",
            },
          },
        ]);
        expect(bulletin?.origin?.[0]?.arrival).toMatchObject([
          { phase: "Sg", timeResidual: -0.12 },
        ]);
      }
    });
  });

  function jsonOf(head: string, row: string): string {
    const cells = row.split(",");
    const members = head.split(",").map((name, i) => [name, cells[i]]);
    return JSON.stringify([Object.fromEntries(members)]);
  }

  describe("a pick and its event's origin", () => {
    const HEAD = "station,phase,time,residual,event";

    test("a pick with a residual is an arrival of the preferred origin, once", async () => {
      const table = `${HEAD}\nAAA,Pg,${TIME},0.25,e1\nBBB,Sg,2021-05-06T07:08:21Z,,e1\n`;
      const { id, bulletin } = await joinedTo(table);
      const [origin, ...others] = bulletin?.origin ?? [];
      const pickID = bulletin?.pick?.[0]?.publicID;
      expect(others).toEqual([]);
      expect(bulletin?.preferredOriginID).toBe(origin?.publicID);
      expect(origin?.arrival).toMatchObject([{ pickID, phase: "Pg", timeResidual: 0.25 }]);
      const again = await joinFile(editor, id, table);
      expect(again.body).toMatchObject({ version: 2, updatedEvents: 0, skippedEvents: 1 });
      const later = await joinFile(editor, id, `${HEAD}\nBBB,Sg,2021-05-06T07:08:21Z,-0.5,e1\n`);
      expect(later.body).toMatchObject({ version: 3 });
      const [event] = await wholeEvents(editor, id);
      expect(event?.bulletin.pick).toHaveLength(2);
      expect(event?.bulletin.origin?.[0]?.arrival).toMatchObject([
        { phase: "Pg" },
        { phase: "Sg", timeResidual: -0.5 },
      ]);
    });

    test("a pick is at most 10 s before its event's origin, and with a warning more than a day after", async () => {
      const table = (time: string) => `${HEAD}\nBBB,P,${TIME},,e1\nAAA,P,${time},,e1\n`;
      const early = await joinedTo(table("2021-05-06T07:07:59.24Z"));
      expect(early.bulletin?.pick).toHaveLength(1);
      const reason = "time of the pick is 10.01 s before its event's origin; 10 s are the most";
      expect(early.body.validationReport.invalidEvents).toMatchObject([{ index: 1, reason }]);
      for (const [time, warnings] of [
        ["2021-05-06T07:07:59.25Z", undefined],
        ["2021-05-07T07:08:09.25Z", undefined],
        [
          "2021-05-07T07:08:09.26Z",
          [
            {
              path: "line 3",
              message: "the pick is more than a day after the origin of its event e1",
            },
          ],
        ],
      ] as const) {
        const { body, bulletin } = await joinedTo(table(time));
        expect(bulletin?.pick, time).toHaveLength(2);
        expect((body as { warnings?: unknown }).warnings).toEqual(warnings);
        expect(body.validationReport.failedValidation).toBe(0);
      }
    });

    test("a file of none but picks before their origin changes nothing", async () => {
      const { status, body } = await joinedTo(`${HEAD}\nAAA,P,2020-05-06T07:08:09Z,,e1\n`);
      expect([status, body]).toMatchObject([400, { code: "ALL_EVENTS_INVALID" }]);
    });
  });
});
