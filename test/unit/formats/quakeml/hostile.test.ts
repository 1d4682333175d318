import { describe, expect, it } from "vitest";
import { documentOf, eventOf, originOf } from "../../../support/formats/quakeml-documents.ts";
import { readAll, readPieces } from "./read-pieces.ts";

const MEBI = 1024 * 1024;

function* repeat(piece: string, times: number): Generator<string> {
  for (let i = 0; i < times; i++) yield piece;
}

function messagesOf(text: string): string[] {
  return readPieces(text).errors.map(({ message }) => message);
}

describe("hostile and broken XML", () => {
  it.each([
    ["entities that multiply", '<!DOCTYPE q [<!ENTITY a "&b;&b;"><!ENTITY b "lol">]><q>&a;</q>'],
    [
      "external entities",
      '<!DOCTYPE q [<!ENTITY x SYSTEM "file:///etc/passwd">]><quakeml>&x;</quakeml>',
    ],
    ["an external document type", '<!DOCTYPE quakeml SYSTEM "http://127.0.0.1/x.dtd"><quakeml/>'],
  ])("is refused for %s", (_, text) => {
    const told = readPieces(text);
    expect(told.rows).toEqual([]);
    expect(told.errors).toEqual([
      {
        line: 1,
        message: "line 1: a document type (DOCTYPE) is not allowed; nothing after it was read",
      },
    ]);
  });

  it.each(["&lol;", "&nbsp;", "&#0;", "&#xFFFF;", "&;", "& "])("has no entity %s", (entity) => {
    const text = documentOf(eventOf(`<type>${entity}</type>${originOf()}`));
    expect(readPieces(text).rows).toEqual([]);
    expect(messagesOf(text)).toHaveLength(1);
  });

  it("gives the events before a fault, then one error at the event that is cut off", () => {
    const good = `\n${eventOf(originOf())}`;
    const bad = '\n<event publicID="smi:x.y/ev2">\n<origin></event>';
    const told = readPieces(documentOf(good, bad, good));
    expect(told.lines).toEqual([2]);
    expect(told.errors).toEqual([
      {
        line: 3,
        message:
          "this event is not complete, line 4: unexpected close tag.; nothing after it was read",
      },
    ]);
  });

  it.each([
    ["<seiscomp xmlns='http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.13'/>", "SCML"],
    ["<html></html>", 'the root element is "html"'],
    ["", "root element"],
    ["PK\u0003\u0004 zip bytes", "disallowed character"],
    ["time,latitude\n1,2", "text data outside of root node"],
    ['{"type": "FeatureCollection"}', "text data outside of root node"],
    ["<quakeml>", "unclosed tag"],
    ["<a".repeat(1000), "disallowed character"],
    ["<quakeml>\ud800</quakeml>", "the document holds no eventParameters"],
  ])("tells what is wrong with %j", (text, message) => {
    expect(messagesOf(text)).toEqual([expect.stringContaining(message)]);
  });

  it("is refused when it is nested deeper than 64 levels, even where it is skipped", () => {
    const deep = "<pick>".repeat(100_000);
    expect(messagesOf(documentOf(eventOf(deep)))).toEqual([
      expect.stringContaining("nested deeper than 64 levels"),
    ]);
  });

  it.each([
    ["a text", "<type>", "x".repeat(MEBI)],
    ["a text that is skipped", "<pick>", "x".repeat(MEBI)],
    ["an attribute", '<type a="', "x".repeat(MEBI)],
    ["a comment", "<!-- ", "x".repeat(MEBI)],
    ["CDATA", "<type><![CDATA[", "x".repeat(MEBI)],
    ["an entity", "<type>&", "x".repeat(MEBI)],
    ["a name", "<", "x".repeat(MEBI)],
    ["a tag of many attributes", "<type ", 'a="" '.repeat(MEBI / 5)],
    ["a document type", "<!-- -->", "x"],
  ])("ends the reading of %s without an end, and keeps none of it", (what, start, piece) => {
    if (what === "a document type") {
      const told = readAll(["<!DOCTYPE q [", ...repeat("<!-- x -->".repeat(MEBI / 20), 10)]);
      expect(told.errors).toHaveLength(1);
      return;
    }
    let taken = 0;
    const pieces = function* () {
      yield documentOf("").split("</")[0] + start;
      for (; taken < 1000; taken++) yield piece;
    };
    const before = process.memoryUsage().heapUsed;
    const told = readAll(pieces());
    expect(told.errors).toHaveLength(1);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(256 * MEBI);
  });

  it("skips an event that holds too much and reads the next", () => {
    const origins = originOf("<region>some text</region>".repeat(1)).repeat(20_000);
    const told = readPieces(documentOf(eventOf(origins), "\n", eventOf(originOf())));
    expect(told.errors).toEqual([
      { line: 1, message: "the event holds more than can be read and was skipped" },
    ]);
    expect(told.lines).toEqual([2]);
    expect(readPieces(documentOf(eventOf(origins))).errors).toEqual(told.errors);
  });

  it("reads past 200,000 picks in one event", () => {
    const picks = '<pick publicID="p"><time><value>x</value></time></pick>'.repeat(10_000);
    const [head = "", tail = ""] = documentOf(eventOf(`|${originOf()}`)).split("|");
    expect(readAll([head, ...repeat(picks, 20), tail]).rows).toHaveLength(1);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[1]"],
    ["an unknown name", '{"id":"x"}'],
    ["the prototype", '{"__proto__":{"a":1}}'],
    ["a structure for a number", '{"depth":{}}'],
    ["a number for a structure", '{"extra":5}'],
    ["a list of numbers", '{"focal_mechanisms":[5]}'],
    ["deep nesting", `{"extra":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`],
  ])("leaves out an element of our own that holds %s", (_, json) => {
    const own = `<ec:attributes xmlns:ec="urn:earthquake-catalogue:1.0">${json}</ec:attributes>`;
    const told = readPieces(documentOf(eventOf(originOf() + own)));
    expect(told.rows).toMatchObject([
      { latitude: 1.5, depth: null, extra: { public_id: "smi:x.y/ev1" } },
    ]);
    expect(told.warnings.map(({ message }) => message)).toEqual([
      "the event's own attributes are not what this service writes; left out",
    ]);
  });

  it("knows an element of our own by its namespace alone", () => {
    for (const name of ["attributes", "x:attributes", "ec:attributes"]) {
      const told = readPieces(documentOf(eventOf(`${originOf()}<${name}>{"depth":5}</${name}>`)));
      expect(told.rows).toMatchObject([{ depth: null }]);
    }
    const unprefixed = `${originOf()}<attributes xmlns="urn:earthquake-catalogue:1.0">{"depth":5}</attributes>`;
    expect(readPieces(documentOf(eventOf(unprefixed))).rows).toMatchObject([{ depth: 5 }]);
  });
});
