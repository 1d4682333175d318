import { describe, expect, it } from "vitest";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv-writer.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text-writer.ts";
import type { FormatWriter } from "#infra/formats/format-writer.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { exportedCatalogue } from "./exported-catalogue.ts";
import { readText } from "./read-delimited.ts";

const EVENT: SeismicEvent = {
  id: "1.0",
  ...emptyRecord({ time: "2011-03-11T05:46:24.120000Z", latitude: 38.297, longitude: 142.373 }),
  depth: 1e-7,
  magnitude: 9.1,
};

function write(writer: FormatWriter, event: Partial<SeismicEvent>): string {
  return writer.begin() + writer.row(exportRowOf({ ...EVENT, ...event })) + writer.end();
}

describe("the CSV writer", () => {
  it("writes a header of canonical names and records that end with CRLF", () => {
    expect(write(createCsvWriter(), {})).toBe(
      "id,time,latitude,longitude,depth,magnitude,magnitude_type,region,source_id,event_type," +
        "event_type_certainty,evaluation_mode,evaluation_status,used_station_count,used_phase_count," +
        "azimuthal_gap,standard_error,minimum_distance,magnitude_uncertainty,magnitude_station_count," +
        "depth_uncertainty,horizontal_uncertainty,time_uncertainty,latitude_uncertainty," +
        "longitude_uncertainty,depth_type,agency_id,author,focal_mechanisms,extra,source_events\r\n" +
        "1.0,2011-03-11T05:46:24.120000Z,38.297,142.373,1e-7,9.1,,,,,,,,,,,,,,,,,,,,,,,,,\r\n",
    );
  });

  it.each<[text: string, field: string]>([
    ["Off Honshu", "Off Honshu"],
    ["Tarapaca, Chile", '"Tarapaca, Chile"'],
    ['the "big" one', '"the ""big"" one"'],
    ["two\nlines", '"two\nlines"'],
    [" padded", '" padded"'],
    ["padded\u00a0", '"padded\u00a0"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", '"\'\rx"'],
    [" =1", "' =1"],
    ["\u00a0\u2003@x", "'\u00a0\u2003@x"],
    ["\ufeff-1", "'\ufeff-1"],
    ["\nx", '"\'\nx"'],
    ["\u2028x", "'\u2028x"],
    ["\u0085x", "'\u0085x"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    [" －1", "' －1"],
    ["＠x", "'＠x"],
    ["' =1", "'' =1"],
    ["'＝1", "''＝1"],
    ["1-1", "1-1"],
    ["'=1+1", "''=1+1"],
    ["'quoted'", "'quoted'"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ])("writes the text %j as %j", (region, field) => {
    const file = write(createCsvWriter(), { region });
    expect(file).toContain(`,9.1,,${field},,`);
    expect(readText(file).rows).toMatchObject([{ region }]);
  });
});

describe("the FDSN text writer", () => {
  const header =
    "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName|EventType\n";

  it("writes 14 columns, times without a zone", () => {
    const event = {
      source_id: "2011p1",
      author: "scolv@user",
      agency_id: "WEL",
      magnitude_type: "Mw",
      region: "Off | Honshu,\r\nJapan ",
      event_type: "earthquake",
    } as const;
    expect(write(createFdsnTextWriter(exportedCatalogue("Main|one")), event)).toBe(
      `${header}2011p1|2011-03-11T05:46:24.120000|38.297|142.373|1e-7|scolv@user|Main one|WEL|2011p1|Mw|9.1||Off   Honshu, Japan|earthquake\n`,
    );
  });

  it("leaves empty what is not known, and names an event without source_id by our id", () => {
    const writer = createFdsnTextWriter(exportedCatalogue("C"));
    expect(write(writer, { depth: null, magnitude: null })).toBe(
      `${header}1.0|2011-03-11T05:46:24.120000|38.297|142.373|||C|||||||\n`,
    );
  });

  it("writes what the reader of FDSN text reads", () => {
    const writer = createFdsnTextWriter(exportedCatalogue("C"));
    const file = write(writer, { source_id: "007", region: 'The "big" one', event_type: "crash" });
    expect(readText(file)).toMatchObject({
      format: "txt",
      errors: [],
      warnings: [],
      rows: [
        {
          EventID: "007",
          Time: "2011-03-11T05:46:24.120000",
          Magnitude: 9.1,
          EventLocationName: 'The "big" one',
          EventType: "crash",
        },
      ],
    });
  });
});
