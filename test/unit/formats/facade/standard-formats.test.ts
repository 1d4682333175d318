import { describe, expect, test } from "vitest";
import { COUNT_DOCUMENTS } from "#infra/formats/comcat/count-document.ts";
import { readTable } from "../../../support/formats/readers.ts";
import { answerOf, BARE, BLAST, FULL } from "./facade-answer.ts";

const HEADER =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName|EventType\n";

describe("FDSN text for clients", () => {
  test("FDSN text for clients has times of 0, 3 or 6 digits, a place for each event, and ids that a query takes", () => {
    expect(answerOf("text", [FULL, BARE, BLAST])).toBe(
      `${HEADER}us1000778i|2016-11-13T11:02:56.346090|-42.69|173.02|15.1|a person|Kaikōura <&> “more”|US|us1000778i|Mww|7.8||Kaikōura, "Te Waipounamu"|earthquake\n` +
        "0f0e1d2c000080008000000100000002|1000-01-01T00:00:00|-20.5|-180|||Kaikōura <&> “more”||||||SOUTH OF FIJI ISLANDS|\n" +
        "0f0e1d2c000080008000000100000003|2024-02-29T23:59:59.900|48|12|-0.5||Kaikōura <&> “more”|BGR|pit 7, shot 3||-0.04||GERMANY|quarry blast\n",
    );
  });

  test("FDSN text for clients is read back by our reader", () => {
    const { rows, errors } = readTable(answerOf("text", [FULL, BARE, BLAST]));
    expect(errors).toEqual([]);
    expect(rows.map((row) => row["EventID"])).toEqual([
      "us1000778i",
      "0f0e1d2c000080008000000100000002",
      "0f0e1d2c000080008000000100000003",
    ]);
  });

  test("FDSN text for clients without events is its header", () => {
    expect(answerOf("text", [])).toBe(HEADER);
  });
});

describe("KML for clients", () => {
  test("KML for clients names an event without a region by its Flinn-Engdahl region", () => {
    const text = answerOf("kml", [FULL, BARE]);
    expect(text).toContain('<Placemark><name>M 7.8 - Kaikōura, "Te Waipounamu"</name>');
    expect(text).toContain("<when>2016-11-13T11:02:56.346090Z</when>");
    expect(text).toContain('<SimpleData name="time">2016-11-13T11:02:56.346090Z</SimpleData>');
    expect(text).toContain("<Placemark><name>M ? - SOUTH OF FIJI ISLANDS</name>");
    expect(text).not.toContain('<SimpleData name="region">SOUTH OF FIJI ISLANDS');
  });
});

describe("the count of events", () => {
  test("the count of events is a bare number, JSON or XML as ComCat's", () => {
    expect(COUNT_DOCUMENTS.text.write(37_000)).toBe("37000");
    expect(JSON.parse(COUNT_DOCUMENTS.geojson.write(37_000))).toEqual({
      count: 37_000,
      maxAllowed: 2_147_483_647,
    });
    expect(COUNT_DOCUMENTS.xml.write(0)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        "<query><count>0</count><maxAllowed>2147483647</maxAllowed></query>\n",
    );
  });
});
