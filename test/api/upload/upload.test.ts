import { describe, expect, test } from "vitest";
import { UploadResult } from "#contracts/http/upload.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { documentOf, eventOf, originOf } from "../../support/formats/quakeml-documents.ts";
import { sharedService } from "../../support/service.ts";
import { type FileFormOptions, fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

async function upload(
  content: string | Uint8Array<ArrayBuffer>,
  options: FileFormOptions = {},
): Promise<ApiAnswer> {
  const client = await service.loginAs("editor");
  return client.send("POST", "/api/upload", fileForm(content, options));
}

/** The answer of a file that was read; strict, so that no member is unknown. */
async function resultOf(content: string | Uint8Array<ArrayBuffer>, options: FileFormOptions = {}) {
  const { status, body } = await upload(content, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return UploadResult.strict().parse(body);
}

const CSV =
  "time,latitude,longitude,magnitude,depth\n2016-11-13T11:02:56Z,-42.69,173.02,7.8,15.1\n";

describe("an uploaded file", () => {
  test("an uploaded file is answered with rows, headers, format, and errors and warnings with their counts", async () => {
    expect(await resultOf(CSV)).toEqual({
      data: [
        {
          time: "2016-11-13T11:02:56Z",
          latitude: -42.69,
          longitude: 173.02,
          magnitude: 7.8,
          depth: 15.1,
        },
      ],
      headers: ["time", "latitude", "longitude", "magnitude", "depth"],
      format: "csv",
      rowCount: 1,
      errors: [],
      warnings: [],
      notes: [],
      errorCount: 0,
      warningCount: 0,
      emptyCounts: { time: 0, latitude: 0, longitude: 0, magnitude: 0, depth: 0 },
    });
  });

  test.each([
    ["events.txt", "text/plain"],
    ["query", "application/octet-stream"],
    ["events.xml", "text/html"],
  ])("an uploaded file of QuakeML is read as %s of type %s", async (fileName, type) => {
    const text = `\ufeff\n<?xml version="1.0"?>\n${documentOf(eventOf(originOf()))}`;
    const bytes = new Uint8Array(await new Blob([text]).arrayBuffer());
    const { format, rowCount } = await resultOf(bytes, { fileName, type });
    expect([format, rowCount]).toEqual(["quakeml", 1]);
  });

  test("an uploaded file of FDSN text is read whatever its type, and a web page is not", async () => {
    const text = "#EventID|Time|Latitude|Longitude\na|2020-01-01T00:00:00|1|2\n";
    const options = { fileName: "query.txt", type: "text/html" };
    expect(await resultOf(text, options)).toMatchObject({ format: "txt", rowCount: 1 });
    const page = await upload("<!DOCTYPE html>\n<html><body>sign in</body></html>", options);
    expectRefusal(page, "UNSUPPORTED_FORMAT");
  });

  test.each(["events.csv", "events.tsv", "events.zmap", "events.pdf", "../../events.sh", "events"])(
    "an uploaded file is read by its content when its name is %s",
    async (fileName) => {
      const json = '[{"time":"2020-01-01","latitude":1,"longitude":2}]';
      const { format, warnings } = await resultOf(json, { fileName });
      expect(format).toBe("json");
      expect(warnings).toHaveLength(1);
    },
  );

  test.each(["utf16le", "latin1"] as const)("an uploaded file in %s is read", async (encoding) => {
    const text = "time;lat;lon;mag;region\n2020-01-01;1;2;3;Málaga\n";
    const mark = encoding === "utf16le" ? "\uFEFF" : "";
    const { data, headers } = await resultOf(new Uint8Array(Buffer.from(mark + text, encoding)));
    expect(headers).toEqual(["time", "lat", "lon", "mag", "region"]);
    expect(data).toEqual([{ time: "2020-01-01", lat: 1, lon: 2, mag: 3, region: "Málaga" }]);
  });

  test("an uploaded file takes the delimiter that the form names", async () => {
    const text = "time|lat,lon\n2020-01-01|1,2\n";
    const named = await resultOf(text, { fields: { delimiter: "comma" } });
    expect(named.headers).toEqual(["time|lat", "lon"]);
    const found = await resultOf(text.replaceAll(",", "|"), { fields: { delimiter: "auto" } });
    expect(found.headers).toEqual(["time", "lat", "lon"]);
  });

  test("an uploaded file takes the delimiter that comes behind the file", async () => {
    const form = fileForm("time|lat,lon\n2020-01-01|1,2\n");
    form.append("delimiter", "comma");
    const client = await service.loginAs("editor");
    const { body } = await client.send("POST", "/api/upload", form);
    expect(body).toMatchObject({ headers: ["time|lat", "lon"] });
  });

  test("an uploaded file lists its first 100 unreadable rows with their lines, and counts the others", async () => {
    const rows = Array.from({ length: 150 }, () => '2020-01-01,1,"broken\n').join("");
    const { rowCount, errors, errorCount } = await resultOf(
      `time,lat,lon\n2020-01-01,1,2\n${rows}`,
    );
    expect(rowCount).toBe(1);
    expect(errors).toHaveLength(100);
    expect(errors[0]?.line).toBe(3);
    expect(errorCount).toBe(150);
  });

  test("an uploaded file keeps its rows in order when there are many, in any number at once", async () => {
    const fileOf = (seed: number) => {
      const lines = Array.from({ length: 40_000 }, (_, i) => `2020-01-01,${seed},${i % 180},3`);
      return `time,lat,lon,mag\n${lines.join("\n")}\n`;
    };
    const results = await Promise.all([1, 2, 3, 4].map((seed) => resultOf(fileOf(seed))));
    for (const [i, { data, rowCount }] of results.entries()) {
      expect(rowCount).toBe(40_000);
      expect(data.map((row) => row["lon"])).toEqual(data.map((_, row) => row % 180));
      expect(new Set(data.map((row) => row["lat"]))).toEqual(new Set([i + 1]));
    }
  });
});

describe("an upload is 400", () => {
  test("an upload is 400 without a form, without a file, and with a file under another name", async () => {
    const client = await service.loginAs("editor");
    const other = new FormData();
    other.append("data", new Blob([CSV]), "events.csv");
    const fields = new FormData();
    fields.append("delimiter", "comma");
    for (const body of [undefined, {}, "not json", other, fields, new FormData()]) {
      expectRefusal(await client.send("POST", "/api/upload", body), "NO_FILE");
    }
    for (const type of ["text/csv", "", "a"]) {
      const headers = { "content-type": type };
      expectRefusal(await client.send("POST", "/api/upload", CSV, headers), "NO_FILE");
    }
  });

  test("an upload is 400 with an empty file", async () => {
    expectRefusal(await upload(""), "NO_FILE", "empty");
  });

  test("an upload is 400 of bytes that are no text, and of XML that is no QuakeML", async () => {
    const zip = new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, ...Buffer.alloc(200)]);
    expectRefusal(await upload(zip), "UNSUPPORTED_FORMAT", "ZIP file is broken");
    expectRefusal(await upload("a\0\0b"), "UNSUPPORTED_FORMAT", "not text");
    expectRefusal(await upload("%PDF-1.7\n1 0 obj"), "UNSUPPORTED_FORMAT", "PDF document");
    const kml = "<kml><Document/></kml>";
    expectRefusal(
      await upload(kml, { fileName: "a.xml" }),
      "UNSUPPORTED_FORMAT",
      "neither QuakeML nor SCML",
    );
  });

  test("an upload is 400 with an unknown delimiter", async () => {
    const unknown = await upload(CSV, { fields: { delimiter: "dot" } });
    expectRefusal(unknown, "VALIDATION_ERROR", "delimiter");
  });

  test.each(["file", "delimiter", "dateOrder", "encoding"])(
    "an upload is 400 with %s twice",
    async (field) => {
      const client = await service.loginAs("editor");
      const form = fileForm(CSV, {
        fields: { delimiter: "comma", dateOrder: "dmy", encoding: "utf-8" },
      });
      if (field === "file") form.append(field, new Blob([CSV]), "more.csv");
      else form.append(field, String(form.get(field)));
      expectRefusal(await client.send("POST", "/api/upload", form), "VALIDATION_ERROR", field);
    },
  );

  test("an upload is 400 of a form that is broken off or malformed", async () => {
    const client = await service.loginAs("editor");
    const headers = { "content-type": "multipart/form-data; boundary=xx" };
    const open = `--xx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${CSV}`;
    for (const body of [open, "--xx\r\n", "nothing of the kind"]) {
      const answer = await client.send("POST", "/api/upload", body, headers);
      expect(answer.status).toBe(400);
    }
    const unbounded = await client.send("POST", "/api/upload", open, {
      "content-type": "multipart/form-data",
    });
    expect(unbounded.status).toBe(400);
  });
});

describe("a file without a readable row", () => {
  test.each([
    ["broken JSON", '[{"time": }', "events.json"],
    ["JSON of something else", '{"name": "x"}', "events.json"],
    ["XML that ends at once", "<quakeml>", "events.xml"],
    ["a document type", '<!DOCTYPE q [<!ENTITY a "b">]><quakeml>&a;</quakeml>', "events.xml"],
  ])("a file without a readable row is 500 PARSE_ERROR: %s", async (_, content, fileName) => {
    const { details } = expectRefusal(await upload(content, { fileName }), "PARSE_ERROR");
    expect(details?.length).toBeGreaterThan(0);
  });
});
