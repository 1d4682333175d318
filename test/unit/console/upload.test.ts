import fc from "fast-check";
import { expect, test } from "vitest";
import { UploadReference } from "#contracts/http/upload.ts";
import { columnsOf, missingColumns, TARGETS } from "#services/console/pages/upload/columns.ts";
import { pickLines } from "#services/console/pages/upload/file-lines.ts";
import { reportCsv, reportLines } from "#services/console/pages/upload/line-report.ts";

const piece = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), maxLength: 6 });

test("lines of a text in pieces are those of the whole text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece),
      fc.array(fc.integer({ min: 1, max: 12 })),
      async (pieces, wanted) => {
        const lines = pieces.join("").split(/\r\n|\n|\r/);
        const found = await pickLines(pieces, new Set(wanted));
        for (const number of wanted) expect(found.get(number)).toBe(lines[number - 1]);
        expect(found.size).toBe(new Set(wanted.filter((number) => number <= lines.length)).size);
      },
    ),
  );
});

test("what comes after the last line that is wanted is not read", async () => {
  function* pieces() {
    yield "one\ntwo\nthree";
    throw new Error("read on");
  }
  expect(await pickLines(pieces(), new Set([2]))).toEqual(new Map([[2, "two"]]));
});

test("the report goes by lines, and quotes what CSV asks for", () => {
  const lines = reportLines(
    { errors: [{ line: 3, message: 'has "no" time' }], warnings: [{ line: 2, message: "odd" }] },
    new Map([[3, "a,b"]]),
  );
  expect(reportCsv(lines)).toBe(
    'line,kind,message,row\r\n2,note,odd,\r\n3,unreadable,"has ""no"" time","a,b"\r\n',
  );
});

test("a column whose name another is chosen to have is left out, unless it is chosen too", () => {
  const headers = ["time", "breite", "latitude", "note"];
  expect(columnsOf({ breite: "latitude", note: null }, headers)).toEqual({
    breite: "latitude",
    latitude: null,
    note: null,
  });
  expect(columnsOf({ breite: "latitude", latitude: "longitude" }, headers)).toEqual({
    breite: "latitude",
    latitude: "longitude",
  });
  expect(columnsOf({}, headers)).toEqual({});
});

test("what is chosen is what the service takes", () => {
  const columns = columnsOf({ a: "magnitude", b: null }, ["a", "b", "magnitude"]);
  const uploadId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  expect(UploadReference.parse({ uploadId, columns }).columns).toEqual(columns);
  for (const target of TARGETS) UploadReference.parse({ uploadId, columns: { a: target } });
});

test("what no column gives is missing", () => {
  expect(missingColumns(["origintime", "lat", "lon"], {})).toEqual([]);
  expect(missingColumns(["year", "lat", "lon"], { lat: null })).toEqual(["latitude"]);
  expect(missingColumns(["breite"], { breite: "latitude" })).toEqual(["time", "longitude"]);
});
