import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { wholeEvents } from "../../support/api/events-of-file.ts";
import { joinFile } from "../../support/api/join-file.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");

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
    const said = await joinedTo("station,phase,PickTime,event\nBBB,P,06/05/2021 07:08:17.5,e1\n", {
      dateOrder: "dmy",
    });
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
    const head = "network,station,p_arrival_time,p_probability,s_arrival_time,s_probability,event";
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
      expect(bulletin?.origin?.[0]?.arrival).toMatchObject([{ phase: "Sg", timeResidual: -0.12 }]);
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
