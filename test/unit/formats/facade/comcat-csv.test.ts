import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unguardFormula } from "#contracts/formula-guard.ts";
import { readTable } from "../../../support/formats/readers.ts";
import { answerOf, BARE, BLAST, eventsOf, FULL, MERGED, storedRecord } from "./facade-answer.ts";

const HEADER =
  "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type,horizontalError,depthError,magError,magNst,status,locationSource,magSource\n";

describe("ComCat's CSV", () => {
  test("ComCat's CSV of events that are known well and hardly", () => {
    const extra = { magnitude_agency_id: "WEL" };
    expect(answerOf("csv", [FULL, BARE, { ...BLAST, extra }])).toBe(
      `${HEADER}2016-11-13T11:02:56.346Z,-42.69,173.02,15.1,7.8,Mww,93,21.5,0.23,0.62,US,us1000778i,` +
        '2024-05-07T08:24:09.853Z,"Kaikōura, ""Te Waipounamu""",earthquake,4.2,1.8,0.04,61,reviewed,US,\n' +
        "1000-01-01T00:00:00.000Z,-20.5,-180,,,,,,,,,0f0e1d2c000080008000000100000002," +
        '2024-05-07T08:24:09.853Z,"SOUTH OF FIJI ISLANDS",,,,,,,,\n' +
        "2024-02-29T23:59:59.900Z,48,12,-0.5,-0.04,,,,,,BGR,0f0e1d2c000080008000000100000003," +
        '2024-05-07T08:24:09.853Z,"GERMANY",quarry blast,,,,,automatic,BGR,WEL\n',
    );
  });

  test("ComCat's CSV without events is its header", () => {
    expect(answerOf("csv", [])).toBe(HEADER);
  });

  test("ComCat's CSV of any records is CSV of 22 columns, and nothing in it runs as a formula", () => {
    fc.assert(
      fc.property(fc.array(storedRecord, { maxLength: 4 }), (records) => {
        const text = answerOf("csv", eventsOf(records));
        const rows: Record<string, string>[] = parse(text, {
          columns: true,
          record_delimiter: "\n",
        });
        expect(rows).toHaveLength(records.length);
        for (const [i, row] of rows.entries()) {
          const record = records[i];
          expect(Object.keys(row).join()).toBe(HEADER.trim());
          for (const name of ["magType", "net", "id", "place", "locationSource", "magSource"]) {
            expect(row[name]).not.toMatch(/^\s*[=+\-@]/);
          }
          expect(row["time"]).toMatch(/\.\d{3}Z$/);
          expect(Number(row["latitude"])).toBe(record?.latitude);
          expect(row["depth"]).toBe(record?.depth === null ? "" : String(record?.depth));
          expect(unguardFormula(row["net"] ?? "")).toBe(record?.agency_id ?? "");
          if (record?.region) expect(unguardFormula(row["place"] ?? "")).toBe(record.region);
        }
      }),
    );
  });

  test("ComCat's CSV is read back by the reader of USGS's files", () => {
    const { rows, errors, warnings } = readTable(answerOf("csv", [FULL, BARE, BLAST, MERGED]));
    expect([errors, warnings]).toEqual([[], []]);
    expect(rows[0]).toMatchObject({
      time: "2016-11-13T11:02:56.346Z",
      depth: 15.1,
      mag: 7.8,
      net: "US",
      id: "us1000778i",
      place: FULL.region,
      horizontalError: 4.2,
      status: "reviewed",
    });
    expect(rows[1]).toMatchObject({ depth: null, mag: null, type: null, status: null });
    expect(rows).toHaveLength(4);
  });
});
