import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { UploadResult } from "#contracts/http/uploads.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { type FileFormOptions, fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { zip } from "../../support/zip.ts";

const MIB = 1024 * 1024;
const service = useService({ MAX_UPLOAD_MB: "1" });
const client = service.client("editor");
type Content = string | Uint8Array<ArrayBuffer>;

const upload = (content: Content, options: FileFormOptions = {}): Promise<ApiAnswer> =>
  client.send("POST", "/api/upload", fileForm(content, options));

/** The answer of a file that was read; strict, so that no member is unknown. */
async function resultOf(content: Content, options: FileFormOptions = {}) {
  const { status, body } = await upload(content, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return UploadResult.strict().parse(body);
}

const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);
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

  test("an uploaded file takes the delimiter that the form names, before the file or behind", async () => {
    const text = "time|lat,lon\n2020-01-01|1,2\n";
    const named = await resultOf(text, { fields: { delimiter: "comma" } });
    expect(named.headers).toEqual(["time|lat", "lon"]);
    const found = await resultOf(text.replaceAll(",", "|"), { fields: { delimiter: "auto" } });
    expect(found.headers).toEqual(["time", "lat", "lon"]);
    const form = fileForm(text);
    form.append("delimiter", "comma");
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
      const lines = Array.from({ length: 6_000 }, (_, i) => `2020-01-01,${seed},${i % 180},3`);
      return `time,lat,lon,mag\n${lines.join("\n")}\n`;
    };
    const results = await Promise.all([1, 2, 3, 4].map((seed) => resultOf(fileOf(seed))));
    for (const [i, { data, rowCount }] of results.entries()) {
      expect(rowCount).toBe(6_000);
      expect(data.map((row) => row["lon"])).toEqual(data.map((_, row) => row % 180));
      expect(new Set(data.map((row) => row["lat"]))).toEqual(new Set([i + 1]));
    }
  });

  test("an uploaded file has notes of what is said of all its rows, also where it is kept", async () => {
    const ROWS = 150;
    const DAY_ONE = Date.UTC(2021, 0, 1);
    const days = Array.from({ length: ROWS }, (_, i) => new Date(DAY_ONE + i * 86_400_000));

    // Files with a position that is out of range in every row, and one row that cannot be read.
    const FILES = {
      "table.csv": [
        "time,lat,lon,mag",
        ...days.map((day, i) => `${day.toISOString()},${91 + i},0,1`),
        "2021-01-01,1",
      ].join("\n"),
      "events.ndjson": [
        ...days.map((time, i) => JSON.stringify({ time, lat: 91 + i, lon: 0, mag: 1 })),
        '{"nothing": 1}',
      ].join("\n"),
    } as const;
    for (const [fileName, content] of Object.entries(FILES)) {
      for (const query of ["", "?keep=true"]) {
        const form = fileForm(content, { fileName });
        const { body } = await client.send<UploadResult>("POST", `/api/upload${query}`, form);
        const { notes, warnings, errors, warningCount, errorCount } = body;
        expect(warnings).toHaveLength(100);
        const latitudes = notes.filter(({ message }) => /latitude|lat:/.test(message));
        const { message, line: first } = warnings[0] ?? {};
        expect(latitudes, fileName).toEqual([{ message, count: ROWS, first }]);
        const one = { message: errors[0]?.message, count: 1, first: errors[0]?.line };
        expect(notes).toContainEqual(one);
        expect(notes.reduce((sum, { count }) => sum + count, 0)).toBe(warningCount + errorCount);
      }
    }
  });
});

test("a compressed file is read as what is in it, and bounded like one that is not", async () => {
  const plain = await resultOf(CSV);
  for (const [fileName, content] of [
    ["events.csv.gz", bytesOf(gzipSync(CSV))],
    ["events.csv", bytesOf(gzipSync(CSV))],
    ["events.zip", zip({ "events.csv": CSV })],
    ["events", zip({ "d/": "", "d/events.csv": CSV, "__MACOSX/d/._events.csv": "x" }, false)],
  ] as const) {
    expect(await resultOf(content, { fileName }), fileName).toEqual(plain);
  }
  for (const [why, content] of [
    ["holds 2 files", zip({ "a.csv": CSV, "b.csv": CSV })],
    ["holds no file", zip({ "d/": "" })],
    ["broken", zip({ "a.csv": CSV }).slice(0, -30)],
    ["broken", bytesOf(gzipSync(CSV).subarray(0, 30))],
    ["broken", bytesOf(Buffer.concat([gzipSync(CSV).subarray(0, 15), Buffer.alloc(20, 7)]))],
  ] as const) {
    expectRefusal(await upload(content), "UNSUPPORTED_FORMAT", why);
  }
  const large = CSV + "2021-02-03,1,2,3\n".repeat(70_000);
  for (const content of [bytesOf(gzipSync(large)), zip({ "a.csv": large })]) {
    expect(content.length).toBeLessThan(100_000);
    expectRefusal(await upload(content), "FILE_TOO_LARGE");
  }
});

describe("an upload is refused", () => {
  test("without a form, without a file, and with a file under another name", async () => {
    const other = new FormData();
    other.append("data", new Blob([CSV]), "events.csv");
    const fields = new FormData();
    fields.append("delimiter", "comma");
    expectRefusal(await client.send("POST", "/api/upload", other), "NO_FILE", "field file");
    expectRefusal(await upload(""), "NO_FILE", "empty");
    for (const body of [undefined, {}, "not json", other, fields, new FormData()]) {
      expectRefusal(await client.send("POST", "/api/upload", body), "NO_FILE");
    }
    for (const type of ["text/csv", "", "a"]) {
      const headers = { "content-type": type };
      expectRefusal(await client.send("POST", "/api/upload", CSV, headers), "NO_FILE");
    }
  });

  test("of what is no text, no format of ours, or has no row that can be read", async () => {
    const zipped = new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, ...Buffer.alloc(200)]);
    for (const [content, why] of [
      [zipped, "ZIP file is broken"],
      ["a\0\0b", "not text"],
      ["%PDF-1.7\n1 0 obj", "PDF document"],
      ["<kml><Document/></kml>", "neither QuakeML nor SCML"],
    ] as const) {
      const answer = await upload(content, { fileName: "a.xml" });
      expectRefusal(answer, "UNSUPPORTED_FORMAT", why);
    }
    for (const content of [
      '[{"time": }',
      '{"name": "x"}',
      "<quakeml>",
      "<quakeml></quakeml>",
      '<!DOCTYPE q [<!ENTITY a "b">]><quakeml>&a;</quakeml>',
      "a line of prose",
      "{}",
      "alpha,beta\n",
    ]) {
      const { details } = expectRefusal(await upload(content), "PARSE_ERROR");
      expect(details?.length, content).toBeGreaterThan(0);
    }
  });

  test("with fields that are unknown, given twice or meant otherwise; others are ignored", async () => {
    for (const [fields, sentence] of [
      [{ delimiter: "dot" }, "delimiter"],
      [{ dateOrder: "ydm" }, "dateOrder"],
      [{ encoding: "klingon" }, "encoding"],
      [{ dateorder: "comma" }, "dateorder: is not known; do you mean dateOrder?"],
      [{ Encoding: "comma" }, "Encoding: is not known; do you mean encoding?"],
      [{ delim: "comma" }, "delim: is not known; do you mean delimiter?"],
    ] as const) {
      expectRefusal(await upload(CSV, { fields }), "VALIDATION_ERROR", sentence);
    }
    for (const field of ["file", "delimiter", "dateOrder", "encoding"]) {
      const fields = { delimiter: "comma", dateOrder: "dmy", encoding: "utf-8" };
      const form = fileForm(CSV, { fields });
      if (field === "file") form.append(field, new Blob([CSV]), "more.csv");
      else form.append(field, String(form.get(field)));
      expectRefusal(await client.send("POST", "/api/upload", form), "VALIDATION_ERROR", field);
    }
    expect((await upload(CSV, { fields: { comment: "comma" } })).status).toBe(200);
  });

  test("as a form that is broken off or malformed; a part without a name is ignored", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data;${name}\r\n\r\n${value}\r\n`;
    const open = part(' name="file"; filename="a.csv"', CSV);
    for (const body of [open, "--x\r\n", "nothing of the kind"]) {
      expect((await client.send("POST", "/api/upload", body, headers)).status).toBe(400);
    }
    const unbounded = { "content-type": "multipart/form-data" };
    expect((await client.send("POST", "/api/upload", open, unbounded)).status).toBe(400);
    const whole = `${open}${part("", "nameless")}--x--\r\n`;
    expect((await client.send("POST", "/api/upload", whole, headers)).status).toBe(200);
  });
});

/** A file of so many columns beside the first, whose names have so many characters, and empty rows. */
function sparse(columns: number, length: number, rows: number): string {
  const names = Array.from({ length: columns }, (_, i) => `${i}_`.padEnd(length, "n"));
  return `time,${names.join(",")}\n${`2020-01-01${",".repeat(columns)}\n`.repeat(rows)}`;
}

test("a file has at most 1,000 columns with names of 256 characters", async () => {
  const row = (cells: number) => `2020-01-01${",1".repeat(cells - 1)}\n`;
  expect((await resultOf(sparse(999, 8, 1))).headers).toHaveLength(1000);
  expectRefusal(await upload(sparse(1000, 8, 1)), "UNSUPPORTED_FORMAT", "1001 columns");
  // Where there is no header.
  expect((await resultOf(row(1000).repeat(3))).headers).toHaveLength(1000);
  expectRefusal(await upload(row(1001).repeat(3)), "UNSUPPORTED_FORMAT", "1001 columns");
  expect((await upload(sparse(3, 256, 1))).status).toBe(200);
  expectRefusal(await upload(sparse(3, 257, 1)), "UNSUPPORTED_FORMAT", "256 characters");
});

test("the rows of a file, however small it is, come to ten times the largest file at most", async () => {
  const bytesOfRow = JSON.stringify({ time: "2020-01-01" }).length + 900 * (250 + 8);
  const fitting = Math.floor((9.5 * MIB) / bytesOfRow);
  expect((await resultOf(sparse(900, 250, fitting))).rowCount).toBe(fitting);
  const refused = await upload(sparse(900, 250, Math.ceil((10.5 * MIB) / bytesOfRow)));
  expectRefusal(refused, "FILE_TOO_LARGE", "larger than 10 MiB as JSON");
  expect(refused.status).toBe(413);
  // A piece of the file that holds a thousand times more.
  expectRefusal(await upload(sparse(999, 256, 500)), "FILE_TOO_LARGE", "10 MiB");
});

describe("a file larger than MAX_UPLOAD_MB", () => {
  const ROW = "2020-01-01,1,2,3\n";

  const fileOf = (bytes: number) =>
    `time,lat,lon,mag\n${ROW.repeat(bytes / ROW.length)}`.slice(0, bytes - 1).padEnd(bytes, "\n");

  /** Sends the beginning of an upload, and gives what is answered until the connection closes. */
  async function beginUpload(
    token: string,
    head: readonly string[],
    body: string,
  ): Promise<{ text: () => Promise<string>; end: () => void }> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8");
    await once(socket, "connect");
    const lines = [
      "POST /api/upload HTTP/1.1",
      "host: x",
      `authorization: Bearer ${token}`,
      ...head,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    return {
      text: async () => (await socket.toArray()).join(""),
      end: () => socket.destroy(),
    };
  }

  const newToken = async () => (await (await newAccount(service, "editor")).signIn()).token;

  const FORM = "content-type: multipart/form-data; boundary=xx";
  const PART = `--xx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntime,lat,lon\n`;

  test("is 413, whatever its length says, and 403 from who may not upload", async () => {
    expect((await upload(fileOf(MIB))).status).toBe(200);
    expectRefusal(await upload(fileOf(MIB + 1)), "FILE_TOO_LARGE");
    const viewer = await service.loginAs("viewer");
    const answer = await viewer.send("POST", "/api/upload", fileForm(fileOf(MIB + 1)));
    expectRefusal(answer, "FORBIDDEN");
    // Before anything of it is read.
    const claiming = await beginUpload(
      await newToken(),
      [FORM, "content-length: 2147483648"],
      PART,
    );
    expect(await claiming.text()).toMatch(/^HTTP\/1.1 413 [\s\S]*FILE_TOO_LARGE/);
  });

  test("that stands still does not hold up others, and going away ends it", async () => {
    const token = await newToken();
    const stalled = await Promise.all(
      Array.from({ length: 40 }, () => beginUpload(token, [FORM, "content-length: 1000"], PART)),
    );
    expect((await upload(fileOf(10_000))).status).toBe(200);
    for (const { end } of stalled) end();
    expect((await upload(fileOf(10_000))).status).toBe(200);
  });
});
