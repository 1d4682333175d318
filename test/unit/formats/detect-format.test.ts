import { describe, expect, test } from "vitest";
import { detectFormat, extensionOf } from "#infra/formats/files/detect-format.ts";

describe("the format of a file", () => {
  test.each([
    ["time,latitude\n", "delimited"],
    ["#EventID|Time\n", "delimited"],
    ["170.1\t-43.2\t2012.5\n", "delimited"],
    ["note(a), note(b)\n", "delimited"],
    ['\n [{"time":1}]', "json"],
    ['{"type":"FeatureCollection"}', "json"],
    ['\u001e{"type":"Feature"}', "json"],
    [' eqfeed_callback({"type":', "json"],
    ["jQuery12.cb ( [", "json"],
    ['<?xml version="1.0"?>\n<!-- made by -->\n<q:quakeml xmlns:q="x">', "quakeml"],
    ["<quakeml>", "quakeml"],
    ['<?xml version="1.0"?>\n<seiscomp version="0.13">', "scml"],
    ["<sc:seiscomp xmlns:sc='x'>", "scml"],
    ["<bed:eventParameters>", "quakeml"],
    ['<!DOCTYPE quakeml [<!ENTITY a "b">]><quakeml>', "quakeml"],
    [`<?xml version="1.0"?><!-- ${"long ".repeat(100)}`, "quakeml"],
    ['<?xml version="1.0"?><q:quak', "quakeml"],
  ])("the format of a file that begins with %j is %s", (sample, family) => {
    expect(detectFormat(sample)).toEqual({ family });
  });

  test.each([
    ["PK\u0003\u0004\u0014\0\0\0", "the file is not text"],
    ['{"a":"\0"}', "the file is not text"],
    ["%PDF-1.4\n1 0 obj", "the file is a PDF document"],
    ["{\\rtf1\\ansi Earthquakes", "the file is an RTF document"],
    ["%!PS-Adobe-3.0", "the file is a PostScript document"],
    ["<kml><Document/></kml>", "the XML is neither QuakeML nor SCML"],
    ["<!doctype html><html>", "the XML is neither QuakeML nor SCML"],
  ])("the format of a file that begins with %j is none", (sample, reason) => {
    expect(detectFormat(sample)).toEqual({ family: null, reason });
  });
});

test.each([
  ["closed", "<!---->"],
  ["closed, with blanks between them", "<!----> "],
  ["never closed", "<!--"],
  ["instructions", "<?a?>"],
  ["declarations", "<!a>"],
])("a file that begins with ten thousand comments, %s, is told", (_, comment) => {
  expect(detectFormat(comment.repeat(10_000)).family).toBe("quakeml");
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
