import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { useService } from "../../support/service.ts";
import { zip } from "../../support/zip.ts";
import { type CreatedCatalogue, createCatalogue } from "../support/catalogue.ts";
import { type FileFormOptions, fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService({ MAX_UPLOAD_MB: "1" });

type Content = string | Uint8Array<ArrayBuffer>;

async function upload(content: Content, options: FileFormOptions = {}, query = "") {
  const editor = await service.loginAs("editor");
  return editor.send<UploadResult>("POST", `/api/upload${query}`, fileForm(content, options));
}

async function resultOf(content: Content, options: FileFormOptions = {}, query = "") {
  const { status, body } = await upload(content, options, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The events of a catalogue made of a kept upload, with what is said of it. */
async function madeOf(content: Content, said: object, options: FileFormOptions = {}) {
  const { uploadId } = await resultOf(content, options, "?keep=true");
  const editor = await service.loginAs("editor");
  const body = { name: "made", uploadId, ...said };
  const made = await editor.send<CreatedCatalogue>("POST", "/api/catalogues", body);
  if (made.status !== 201) return { refused: made };
  const path = `/api/catalogues/${made.body.id}/export?format=json&orderBy=time-asc`;
  const { events } = (await editor.get<{ events: SeismicEvent[] }>(path)).body;
  return { events, report: made.body.validationReport };
}

const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);
const CSV = "time,lat,lon,mag\n2021-02-03T04:05:06Z,1,2,3\n";

test("a file of bulletins tells how many elements of each kind were read, kept and dropped", async () => {
  const file = await readFile(new URL("../../fixtures/formats/isf/first.isf", import.meta.url));
  for (const query of ["", "?keep=true"]) {
    const { format, elements } = await resultOf(bytesOf(file), {}, query);
    expect(format).toBe("isf");
    expect(elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 3, kept: 3, dropped: 0 },
      magnitude: { read: 2, kept: 2, dropped: 0 },
      arrival: { read: 2, kept: 2, dropped: 0 },
    });
  }
  expect(await resultOf(CSV)).not.toHaveProperty("elements");
});

describe("a compressed file", () => {
  test.each([
    ["events.csv.gz", bytesOf(gzipSync(CSV))],
    ["events.csv", bytesOf(gzipSync(CSV))],
    ["events.zip", zip({ "events.csv": CSV })],
    ["events", zip({ "d/": "", "d/events.csv": CSV, "__MACOSX/d/._events.csv": "x" }, false)],
  ])("a compressed file is read as what is in it: %s", async (fileName, content) => {
    expect(await resultOf(content, { fileName })).toEqual(await resultOf(CSV));
    const { events } = await madeOf(content, {}, { fileName });
    expect(events).toMatchObject([{ time: "2021-02-03T04:05:06Z", magnitude: 3 }]);
  });

  test.each([
    ["holds 2 files", zip({ "a.csv": CSV, "b.csv": CSV })],
    ["holds no file", zip({ "d/": "" })],
    ["broken", zip({ "a.csv": CSV }).slice(0, -30)],
    ["broken", bytesOf(gzipSync(CSV).subarray(0, 30))],
    ["broken", bytesOf(Buffer.concat([gzipSync(CSV).subarray(0, 15), Buffer.alloc(20, 7)]))],
  ])("a compressed file is refused that %s", async (why, content) => {
    expectRefusal(await upload(content), "UNSUPPORTED_FORMAT", why);
  });

  test("a compressed file is bounded like one that is not", async () => {
    const large = CSV + "2021-02-03,1,2,3\n".repeat(70_000);
    for (const content of [bytesOf(gzipSync(large)), zip({ "a.csv": large })]) {
      expect(content.length).toBeLessThan(100_000);
      expectRefusal(await upload(content), "FILE_TOO_LARGE");
    }
  });
});

describe("how a file is read", () => {
  const dates = (...texts: readonly string[]) =>
    `time,lat,lon,mag\n${texts.map((text) => `${text},1,2,3\n`).join("")}`;

  test("how a file is read, its whole decides: the order of dates, what numbers count", async () => {
    const { data, warnings } = await resultOf(dates("02/03/2021", "25/03/2021"));
    expect(data.map(({ time }) => time)).toEqual(["2021-03-02", "2021-03-25"]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining("day, month, year") }]);
    const json = JSON.stringify([{ time: 1_600_000_000, lat: 1, lon: 2, mag: 3 }]);
    expect((await resultOf(json)).data).toMatchObject([{ time: "2020-09-13T12:26:40Z" }]);
    const { events } = await madeOf(dates("02/03/2021", "25/03/2021"), {});
    expect(events?.map(({ time }) => time.slice(0, 10))).toEqual(["2021-03-02", "2021-03-25"]);
  });

  test("how a file is read, the form's fields say, and what is beside the columns of a kept one", async () => {
    const text = dates("02/03/2021");
    const said = await resultOf(text, { fields: { dateOrder: "mdy" } });
    expect(said.data).toMatchObject([{ time: "2021-02-03" }]);
    const kept = await madeOf(text, { dateOrder: "dmy" });
    expect(kept.events).toMatchObject([{ time: "2021-03-02T00:00:00Z" }]);
    const { refused } = await madeOf(text, {});
    expect(JSON.stringify(refused?.body)).toContain("02/03/2021");
  });

  test("how a file is read, a column decides that only a person maps to the time", async () => {
    const text = "Tag,lat,lon,mag\n02.03.2021,1,2,3\n25.03.2021,1,2,3\n";
    const { events } = await madeOf(text, { columns: { Tag: "time" } });
    expect(events?.map(({ time }) => time.slice(0, 10))).toEqual(["2021-03-02", "2021-03-25"]);
  });

  test("how a file is read, an encoding says, or its bytes do", async () => {
    // GB 2312: 地点 is B5 D8 B5 E3, 成都 is B3 C9 B6 BC, 四川 is CB C4 B4 A8.
    const chinese = Buffer.concat([
      Buffer.from("time,lat,lon,mag,"),
      Buffer.from("b5d8b5e3", "hex"),
      Buffer.from("\n2021-02-03,1,2,3,"),
      Buffer.from("cbc4b4a8b3c9b6bc", "hex"),
      Buffer.from("\n"),
    ]);
    const found = await resultOf(bytesOf(chinese));
    expect(found.data).toMatchObject([{ 地点: "四川成都" }]);
    expect(found.warnings).toMatchObject([{ message: expect.stringContaining("GB18030") }]);
    const latin = bytesOf(
      Buffer.from("time,lat,lon,mag,place\n2021-02-03,1,2,3,Málaga\n", "latin1"),
    );
    expect((await resultOf(latin)).data).toMatchObject([{ place: "Málaga" }]);
    const fields = { encoding: "iso-8859-5" };
    expect((await resultOf(latin, { fields })).data).toMatchObject([{ place: "Mсlaga" }]);
    const columns = { 地点: "region" };
    const wrong = { fields: { encoding: "windows-1252" } };
    const { events } = await madeOf(bytesOf(chinese), { columns, encoding: "gbk" }, wrong);
    expect(events).toMatchObject([{ region: "四川成都" }]);
  });

  test.each([
    [{ dateOrder: "ydm" }, "dateOrder"],
    [{ encoding: "klingon" }, "encoding"],
  ])("how a file is read is 400 by %j", async (fields, name) => {
    expectRefusal(await upload(CSV, { fields }), "VALIDATION_ERROR", name);
    const { refused } = await madeOf(CSV, fields);
    expect(refused?.status).toBe(400);
  });
});

describe("columns that a person maps", () => {
  test("columns that a person maps have the unit that their name says, or are refused", async () => {
    const text = "time,lat,lon,mag,Tiefe (m),Herd (ft)\n2021-02-03,1,2,3,7500,9\n";
    const { events } = await madeOf(text, { columns: { "Tiefe (m)": "depth" } });
    expect(events).toMatchObject([{ depth: 7.5 }]);
    const { refused } = await madeOf(text, { columns: { "Herd (ft)": "depth" } });
    expect(JSON.stringify(refused?.body)).toContain("ft");
  });

  test("columns that a person maps suffice for JSON whose own names say nothing", async () => {
    const json = JSON.stringify([
      { WANN: "2018-02-03 04:05:06", B: "31.5", L: "95.5", T: 9, M: "4.4" },
    ]);
    const columns = { WANN: "time", B: "latitude", L: "longitude", T: "depth" };
    const { events } = await madeOf(json, { columns });
    expect(events).toMatchObject([
      { time: "2018-02-03T04:05:06Z", latitude: 31.5, longitude: 95.5, depth: 9, magnitude: 4.4 },
    ]);
  });
});

describe("an empty catalogue", () => {
  test.each(["csv", "json", "geojson", "quakeml", "text"])(
    "an empty catalogue is exported as %s, and uploaded again with a warning",
    async (format) => {
      const editor = await service.loginAs("editor");
      const { id } = await createCatalogue(editor, { events: [] });
      const { body } = await editor.get<string>(`/api/catalogues/${id}/export?format=${format}`);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const { rowCount, errors, warnings } = await resultOf(text);
      expect([rowCount, errors]).toEqual([0, []]);
      expect(warnings).toContainEqual({ line: 1, message: "the file has no rows" });
      const { report } = await madeOf(text, {});
      expect(report).toMatchObject({ totalSubmitted: 0 });
    },
  );

  test.each(["a line of prose", "{}", "<quakeml></quakeml>", "alpha,beta\n"])(
    "an empty catalogue is not %j",
    async (text) => {
      expectRefusal(await upload(text), "PARSE_ERROR");
    },
  );
});

test("a table whose rows do not keep to its header is refused whole, also with what is said of its columns", async () => {
  const shifted =
    "time lat lon place\n2021-02-03T04:05:06Z 1 2 Suva\n2021-02-04T04:05:06Z Fiji 1 2\n";
  const refused = await upload(shifted, {}, "?keep=true");
  expectRefusal(refused, "UNSUPPORTED_FORMAT", "keep to the header");
  const unknown = shifted.replace("lat lon", "a b");
  const { refused: made } = await madeOf(unknown, { columns: { a: "latitude", b: "longitude" } });
  if (made === undefined) throw new Error("it was not refused");
  expectRefusal(made, "PARSE_ERROR");
  expect(made.body).toMatchObject({ details: [{ line: 3 }] });
});

test("depths of a kept upload are what its whole column says, or the unit that is said", async () => {
  const file = (...depths: readonly number[]) =>
    `time,lat,lon,mag,depth\n${depths.map((depth, i) => `2021-02-0${i + 1},1,2,3,${depth}\n`).join("")}`;
  const depthsOf = async (content: string, said: object) =>
    (await madeOf(content, said)).events?.map(({ depth }) => depth);
  expect(await depthsOf(file(7341.5, 412, 5903), {})).toEqual([7.3415, 0.412, 5.903]);
  const mixed = file(371, 8452.1);
  const { refused } = await madeOf(mixed, {});
  if (refused === undefined) throw new Error("it was not refused");
  expectRefusal(refused, "ALL_EVENTS_INVALID");
  const said = (unit: string) => ({ columns: { depth: { attribute: "depth", unit } } });
  expect(await depthsOf(mixed, said("m"))).toEqual([0.371, 8.4521]);
  expect(await depthsOf(mixed, said("km"))).toEqual([371]);
  for (const unit of ["s", "ft"]) {
    const { refused: wrong } = await madeOf(mixed, said(unit));
    if (wrong === undefined) throw new Error("it was not refused");
    expectRefusal(wrong, "VALIDATION_ERROR", "columns.depth");
  }
});
