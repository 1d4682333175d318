import { describe, expect, test } from "vitest";
import { detectFormat, extensionOf } from "#infra/formats/files/detect-format.ts";

describe("the format of a file", () => {
  test.each([
    ["csv", "time,latitude\n", "delimited"],
    ["txt", "#EventID|Time\n", "delimited"],
    ["dat", "170.1\t-43.2\t2012.5\n", "delimited"],
    ["json", '\n [{"time":1}]', "json"],
    ["geojson", '{"type":"FeatureCollection"}', "json"],
    ["xml", '<?xml version="1.0"?>\n<!-- made by -->\n<q:quakeml xmlns:q="x">', "quakeml"],
    ["qml", "<quakeml>", "quakeml"],
    ["quakeml", "<bed:eventParameters>", "quakeml"],
    ["", "<quakeml>", "quakeml"],
    ["xml", '<!DOCTYPE quakeml [<!ENTITY a "b">]><quakeml>', "quakeml"],
    ["xml", `<?xml version="1.0"?><!-- ${"long ".repeat(100)}`, "quakeml"],
    ["xml", '<?xml version="1.0"?><q:quak', "quakeml"],
  ])("named .%s that begins with %j is %s", (extension, sample, family) => {
    expect(detectFormat(extension, sample)).toEqual({ family, warning: null });
  });

  test.each([
    ["csv", "<q:quakeml>", "quakeml"],
    ["xml", "time,latitude\n", "delimited"],
    ["csv", "[]", "json"],
  ])(
    "the format of a file is what its content says where the name .%s says otherwise, with a warning",
    (...given) => {
      const [extension, sample, family] = given;
      expect(detectFormat(extension, sample)).toEqual({
        family,
        warning: `named .${extension}, but its content is ${family}`,
      });
    },
  );

  test.each([
    ["pdf", "time,latitude\n", "files named .pdf are not taken"],
    ["constructor", "a,b", "files named .constructor are not taken"],
    ["csv", "PK\u0003\u0004\u0014\0\0\0", "the file is not text"],
    ["json", '{"a":"\0"}', "the file is not text"],
    ["xml", "<kml><Document/></kml>", "the XML is not QuakeML"],
    ["xml", "<!doctype html><html>", "the XML is not QuakeML"],
    ["xml", '<seiscomp version="0.13">', "the XML is not QuakeML"],
  ])("named .%s that begins with %j is refused", (extension, sample, reason) => {
    expect(detectFormat(extension, sample)).toEqual({ family: null, reason });
  });
});

test.each([
  ["closed", "<!---->"],
  ["closed, with blanks between them", "<!----> "],
  ["never closed", "<!--"],
  ["instructions", "<?a?>"],
  ["declarations", "<!a>"],
])("a file that begins with ten thousand comments, %s, is told within a second", (_, comment) => {
  const began = performance.now();
  expect(detectFormat("xml", comment.repeat(10_000)).family).toBe("quakeml");
  expect(performance.now() - began).toBeLessThan(1000);
});

test.each([
  ["events.CSV", "csv"],
  ["a.tar.gz", "gz"],
  ["events", ""],
  ["../../etc/passwd", ""],
  ["dir.csv/events", ""],
  ["C:\\data.xml\\events", ""],
  [".csv", "csv"],
  ["", ""],
  ["events.", ""],
])("the extension of %j is %j", (name, extension) => {
  expect(extensionOf(name)).toBe(extension);
});
