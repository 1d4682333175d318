import { describe, expect, it } from "vitest";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { readText } from "./read-delimited.ts";

/** The records that a file's rows become when they are posted; a refused row is its errors. */
function recordsOf(...fileLines: readonly string[]): unknown[] {
  const validate = createEventValidator({ nowMs: Date.UTC(2025) });
  return readText(`${fileLines.join("\n")}\n`).rows.map((row) => {
    const result = validate(row);
    return result.ok ? result.record : result.errors;
  });
}

describe("rows of agencies' files that are posted as they are", () => {
  it("give USGS's network as the agency, and its status as evaluation", () => {
    const head = "time,latitude,longitude,depth,mag,magType,net,id,type,status";
    const row = (status: string) => `2021-03-04,1,2,10,5.1,mww,us,x${status},earthquake,${status}`;
    expect(
      recordsOf(head, row("reviewed"), row("automatic"), row("deleted"), row("other")),
    ).toMatchObject([
      {
        agency_id: "us",
        evaluation_mode: "manual",
        evaluation_status: "reviewed",
        extra: { status: "reviewed" },
      },
      { evaluation_mode: "automatic", evaluation_status: null, extra: { status: "automatic" } },
      { evaluation_mode: null, evaluation_status: "rejected" },
      { evaluation_mode: null, evaluation_status: null, extra: { status: "other" } },
    ]);
  });

  it("give hmtk's agency and magnitude uncertainty", () => {
    expect(
      recordsOf(
        "eventID,Agency,year,month,day,hour,minute,second,longitude,latitude,depth,magnitude,sigmaMagnitude",
        "a1,oGCMT,2011,03,11,5,47,32.5,143.05,37.52,20,9.1,0.12",
      ),
    ).toMatchObject([
      {
        agency_id: "oGCMT",
        time: "2011-03-11T05:47:32.5Z",
        magnitude_uncertainty: 0.12,
        extra: null,
      },
    ]);
  });

  it("give the magnitude of ISC's that is of the best type, and keep the others", () => {
    const head =
      "EVENTID,TYPE,AUTHOR   ,DATE      ,TIME       ,LAT     ,LON      ,DEPTH,DEPFIX,AUTHOR   ,TYPE  ,MAG";
    const origin = (id: number) => `${id},ke,ISC,2011-03-11,05:46:23.15,38.29,142.49,19.7`;
    expect(
      recordsOf(
        head,
        `${origin(1)},TRUE  ,ISC,mb    ,7.2,NEIC,ML,,GCMT ,MW ,9.1,NEIC,MW,9.0`,
        `${origin(2)},      ,ISC,mb    ,6.2`,
        `${origin(3)},FALSE ,ISC,      ,5.2,IDC,MS,`,
        `${origin(4)},`,
      ),
    ).toMatchObject([
      {
        author: "ISC",
        event_type: "earthquake",
        magnitude: 9.1,
        magnitude_type: "MW",
        depth_type: "operator assigned",
        extra: {
          DEPFIX: "TRUE",
          "TYPE.1": "mb",
          MAG: 7.2,
          "TYPE.2": "ML",
          "AUTHOR.3": "GCMT",
          "TYPE.4": "MW",
          "MAG.3": 9,
        },
      },
      { magnitude: 6.2, magnitude_type: "mb", depth_type: null },
      { magnitude: 5.2, magnitude_type: null, depth_type: null, extra: { "TYPE.2": "MS" } },
      { magnitude: null, magnitude_type: null },
    ]);
  });

  it("give ISC's magnitude type where its table has no event types", () => {
    expect(
      recordsOf(
        "EVENTID,AUTHOR,DATE,TIME,LAT,LON,DEPTH,DEPFIX,AUTHOR,TYPE,MAG",
        "1,ISC,2011-03-11,05:46:23.15,38.29,142.49,19.7,TRUE,ISC,mb,7.2,GCMT,MW,9.1",
      ),
    ).toMatchObject([{ event_type: null, magnitude: 9.1, magnitude_type: "MW" }]);
  });

  it("give ISC-GEM's uncertainties of depth and magnitude, by the column that each stands behind", () => {
    expect(
      recordsOf(
        "#  date, lat, lon, smajax, q, depth, unc, q, mw, unc, q, eventid",
        "1904-04-04 10:02:34.56, 41.802, 23.108, 8.6, B, 15.0, 4.8, C, 7.02, 0.40, C, 610326271",
      ),
    ).toMatchObject([
      {
        depth: 15,
        depth_uncertainty: 4.8,
        magnitude: 7.02,
        magnitude_type: "Mw",
        magnitude_uncertainty: 0.4,
        extra: { smajax: 8.6, q: "B" },
      },
    ]);
  });

  it("give SCEDC's time, id, and magnitude with its type", () => {
    expect(
      recordsOf(
        "#YYY/MM/DD HH:mm:SS.ss ET GT MAG M LAT LON DEPTH Q EVID NPH NGRM",
        "2021/03/04 13:27:34.81 eq l 3.46 l 33.123 -116.456 9.7 A 90000001 112 430",
        "2021/03/04 17:41:23.00 eq l 0.00 n 33.500 -116.500 0.0 C 90000002 12 31",
      ),
    ).toMatchObject([
      {
        time: "2021-03-04T13:27:34.81Z",
        source_id: "90000001",
        magnitude: 3.46,
        magnitude_type: "ML",
        used_phase_count: 112,
      },
      { source_id: "90000002", magnitude: null, magnitude_type: null },
    ]);
  });

  it("give QQuake's depth in metres as kilometres", () => {
    expect(
      recordsOf(
        "EventID,Time,Latitude,Longitude,DepthMeters,Magnitude",
        "1,2021-03-04T13:27:34,42.1,13.2,8500.4,4",
        "2,2021-03-04T13:27:35,42.1,13.2,,4",
      ),
    ).toMatchObject([{ depth: 8.5004, extra: null }, { depth: null }]);
  });

  it("carry HORUS's full minutes and seconds over, with a warning", () => {
    const head = "Year\tMo\tDa\tHo\tMi\tSe\tLat\tLon\tDepth\tMw\tsigMw";
    const row = (clock: string) => `1960\t12\t31\t${clock}\t39.3\t15.3\t29.0\t6.15\t0.22`;
    const rows = ["23\t60\t1.5", "23\t59\t60", "22\t60\t75.25", "7\t5\t0"].map(row);
    expect(recordsOf(head, ...rows)).toMatchObject([
      { time: "1961-01-01T00:00:01.5Z", magnitude_uncertainty: 0.22, extra: null },
      { time: "1961-01-01T00:00:00Z" },
      { time: "1960-12-31T23:01:15.25Z" },
      { time: "1960-12-31T07:05:00Z" },
    ]);
    const { warnings } = readText([head, ...rows].join("\n"));
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toBe(
      "2: time: Year 1960, Mo 12, Da 31, Ho 23, Mi 60, Se 1.5 are read as 1961-01-01T00:00:01.5Z",
    );
  });

  it.each([
    ["1960\t13\t1\t0\t0\t0", "Year 1960, Mo 13, Da 1, Ho 0, Mi 0, Se 0"],
    ["1960\t0\t0\t0\t0\t0", "Year 1960, Mo 0, Da 0, Ho 0, Mi 0, Se 0"],
    ["1960\t2\t\t0\t0\t0", "Year 1960, Mo 2, Da, Ho 0, Mi 0, Se 0"],
    ["1960\t2\t1\t0\t61\t0", "Year 1960, Mo 2, Da 1, Ho 0, Mi 61, Se 0"],
    ["1960\t2\t1\t0\t0\tx", "Year 1960, Mo 2, Da 1, Ho 0, Mi 0, Se x"],
  ])("are warned of where the parts %j make no time", (parts, named) => {
    const head = "Year\tMo\tDa\tHo\tMi\tSe\tLat\tLon\tMw";
    const { warnings } = readText(`${head}\n${parts}\t39.3\t15.3\t6.1\n`);
    expect(warnings).toContain(`2: time: no time can be made of ${named}`);
  });

  it("are not warned of where a row has its time in one piece", () => {
    const { warnings } = readText(
      "time,year,month,day,lat,lon,mag\n2011-03-11,0,0,0,1,2,3\n,2011,3,11,1,2,3\n,2011,13,1,1,2,3\n",
    );
    expect(warnings).toEqual(["4: time: no time can be made of year 2011, month 13, day 1"]);
  });

  it.each(["yyyy, mm, dd, hh, mi, ss", "year, month, hour"])(
    "are warned of for the file where the columns %s hold no whole date",
    (names) => {
      const cells = names.replaceAll(/[^,]+/g, "1");
      const { warnings } = readText(`${names},lat,lon,mag\n${cells},2,3,4\n`);
      expect(warnings).toEqual([
        `1: No time can be made of ${names}: a year, a month and a day are needed`,
      ]);
    },
  );
});
