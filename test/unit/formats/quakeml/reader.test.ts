import { describe, expect, it } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { documentOf, eventOf, originOf } from "../../../support/formats/quakeml-documents.ts";
import { readPieces, rowOf } from "./read-pieces.ts";

describe("QuakeML reader", () => {
  it("has depth and magnitude in every row", () => {
    expect(rowOf(originOf())).toEqual({
      time: "2024-01-01T00:00:00Z",
      latitude: 1.5,
      longitude: 2.5,
      depth: null,
      magnitude: null,
      source_id: "ev1",
      extra: { public_id: "smi:x.y/ev1" },
    });
  });

  it.each([
    [
      "1.2",
      'xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2"',
      "q:",
      "",
    ],
    [
      "1.1",
      'xmlns:q="http://quakeml.org/xmlns/quakeml/1.1" xmlns="http://quakeml.org/xmlns/bed/1.1"',
      "q:",
      "",
    ],
    ["1.0", 'xmlns="http://quakeml.org/xmlns/quakeml/1.0"', "", ""],
    [
      "bed-rt",
      'xmlns:q="http://quakeml.org/xmlns/quakeml-rt/1.2" xmlns="http://quakeml.org/xmlns/bed-rt/1.2"',
      "q:",
      "",
    ],
    ["no namespace", "", "", ""],
    ["wrong namespace", 'xmlns="http://example.com/mine"', "", ""],
    [
      "prefixed",
      'xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns:bed="http://quakeml.org/xmlns/bed/1.2"',
      "q:",
      "bed:",
    ],
    ["undeclared prefixes", "", "q:", "bed:"],
  ])("reads the variant %s", (_, declarations, q, bed) => {
    const content = eventOf(originOf()).replace(/<(\/?)/g, `<$1${bed}`);
    const told = readPieces(
      `<${q}quakeml ${declarations}><${bed}eventParameters>${content}</${bed}eventParameters></${q}quakeml>`,
    );
    expect(told.rows).toMatchObject([{ latitude: 1.5, source_id: "ev1" }]);
  });

  it.each([
    ["\n", 2],
    ["\r\n\r\n ", 3],
    [" \ufeff\n", 2],
    ["\ufeff\t", 1],
    ["\r\r\n", 3],
  ])("reads a document after the blanks %j, and counts their lines", (blanks, line) => {
    const text = `${blanks}<?xml version="1.0"?>${documentOf(eventOf(originOf()))}`;
    for (const cuts of [[], Array.from(text, (_, index) => index)]) {
      const { lines, errors } = readPieces(text, cuts);
      expect([lines, errors]).toEqual([[line], []]);
    }
  });

  it("reads eventParameters without a root around them", () => {
    expect(
      readPieces(`<eventParameters>${eventOf(originOf())}</eventParameters>`).rows,
    ).toHaveLength(1);
  });

  it.each([
    ['<x:type xmlns:x="urn:x">explosion</x:type><type>earthquake</type>'],
    ['<type xmlns="urn:x">explosion</type><type>earthquake</type>'],
    ['<x:origin xmlns:x="urn:x"><type>explosion</type></x:origin><type>earthquake</type>'],
  ])("skips foreign elements: %s", (foreign) => {
    expect(rowOf(foreign + originOf())["event_type"]).toBe("earthquake");
  });

  it.each([
    ["<text>A</text><type>region name</type>", "A"],
    ["<type>Flinn-Engdahl region</type><text>\n  B\n</text>", "B"],
    ["<text>C</text><type>earthquake name</type>", "C"],
    ["<text><![CDATA[D & <E>]]></text><type>region name</type>", "D & <E>"],
    ["<text>F&amp;&lt;&gt;&quot;&apos;&#71;&#x48;</text><type>region name</type>", "F&<>\"'GH"],
    ["<text>none</text><type>felt report</type>", undefined],
    ["<text> </text><type>region name</type>", undefined],
  ])("reads the region of the description %s", (description, region) => {
    expect(rowOf(`<description>${description}</description>${originOf()}`)["region"]).toBe(region);
  });

  it("reads the region of the origin where no description names one", () => {
    expect(rowOf(originOf("<region>R</region>"))["region"]).toBe("R");
  });

  it.each([
    ['publicID="smi:nz.org.geonet/2024p344188"', "2024p344188"],
    [
      'publicID="quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=us123&amp;format=quakeml"',
      "us123",
    ],
    ['publicID="smi:webservices.ingv.it/fdsnws/event/1/query?eventId=7789491"', "7789491"],
    ['publicID="smi:ISC/evid=7453151"', "7453151"],
    [
      'publicID="quakeml:us.anss.org/event/6000kawn" xmlns:c="urn:c" c:eventsource="us" c:eventid="6000kawn"',
      "us6000kawn",
    ],
    ['publicID="quakeml:x/y" c:eventsource="ci" c:eventid="ci15481673"', "ci15481673"],
    ['publicID="smi:local/cmtsolution/B071791B/event"', "B071791B"],
    ['publicID="smi:local/ndk/B071791B/event#"', "B071791B"],
    ['publicID="2024p344188"', "2024p344188"],
    ['publicID="smi:a.b/c/"', "c"],
    ['publicID=""', undefined],
    ["", undefined],
  ])("reads the identifier of %s", (attributes, sourceId) => {
    expect(rowOf(originOf(), attributes)["source_id"]).toBe(sourceId);
  });

  it("keeps no public id that says the same as the identifier", () => {
    expect(rowOf(originOf(), 'publicID="2024p344188"')["extra"]).toBeUndefined();
  });

  it("takes the largest horizontal uncertainty where there is no circular one", () => {
    const uncertainty =
      "<originUncertainty><minHorizontalUncertainty>1</minHorizontalUncertainty><maxHorizontalUncertainty>4573.66</maxHorizontalUncertainty></originUncertainty>";
    expect(rowOf(originOf(uncertainty))["horizontal_uncertainty"]).toBe(4.57366);
  });

  it.each([
    ["<horizontalUncertainty>5</horizontalUncertainty>", undefined],
    [
      "<horizontalUncertainty>5</horizontalUncertainty><preferredDescription>horizontal uncertainty</preferredDescription>",
      undefined,
    ],
    ["", undefined],
    ["<preferredDescription>circle</preferredDescription>", { preferredDescription: "circle" }],
    [
      "<horizontalUncertainty>5</horizontalUncertainty><confidenceLevel>68</confidenceLevel>",
      { horizontalUncertainty: 5, confidenceLevel: 68 },
    ],
    [
      "<minHorizontalUncertainty>NaN</minHorizontalUncertainty><confidenceEllipsoid/>",
      { minHorizontalUncertainty: "NaN", confidenceEllipsoid: {} },
    ],
  ])("keeps the originUncertainty %s where the attribute does not say it", (content, kept) => {
    const origin = originOf(`<originUncertainty>${content}</originUncertainty>`);
    expect((rowOf(origin)["extra"] as JsonObject)["origin_uncertainty"]).toEqual(kept);
  });

  it("keeps flags of an origin that are none as they stand", () => {
    const origin = originOf("<timeFixed>yes</timeFixed><epicenterFixed> 0 </epicenterFixed>");
    expect(rowOf(origin)["extra"]).toMatchObject({ time_fixed: "yes", epicenter_fixed: false });
  });

  it("takes agency and author of the event where the origin has none", () => {
    const info = "<creationInfo><agencyID>EV</agencyID><author>someone</author></creationInfo>";
    expect(rowOf(info + originOf())).toMatchObject({ agency_id: "EV", author: "someone" });
    const ofOrigin = originOf("<creationInfo><agencyID>OR</agencyID></creationInfo>");
    expect(rowOf(info + ofOrigin)).toMatchObject({ agency_id: "OR", author: "someone" });
  });
});
