import { describe, expect, it } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { ALL_MEMBERS, documentOf, eventOf, magnitudeOf, originOf } from "./documents.ts";
import { readPieces } from "./read-pieces.ts";

const ALL_MEMBERS_ROW = {
  time: "2024-05-07T08:24:09.853066Z",
  latitude: -38.62,
  longitude: 176.21,
  depth: 5.1162109375,
  magnitude: 1.4,
  magnitude_type: "MLv",
  magnitude_uncertainty: 0.2,
  magnitude_station_count: 6,
  depth_uncertainty: 1,
  region: "Taupō & surroundings 🌋",
  source_id: "2024abc",
  event_type: "earthquake",
  event_type_certainty: "suspected",
  evaluation_mode: "manual",
  evaluation_status: "reviewed",
  used_station_count: 10,
  used_phase_count: 11,
  azimuthal_gap: 76.5,
  standard_error: 0.13,
  minimum_distance: 0.075,
  horizontal_uncertainty: 1.2345,
  time_uncertainty: 0.25,
  latitude_uncertainty: 0.01,
  longitude_uncertainty: 0.02,
  depth_type: "operator assigned",
  agency_id: "OR",
  author: "origin author",
  focal_mechanisms: [
    {
      publicID: "smi:local.test/mechanism/2",
      nodalPlanes: {
        nodalPlane1: { strike: 245.58, dip: 43.28, rake: -61.73 },
        preferredPlane: 1,
      },
      momentTensor: {
        publicID: "smi:local.test/tensor/2",
        derivedOriginID: "smi:local.test/origin/1",
        scalarMoment: 2.68e20,
        tensor: { Mrr: -2.3917e20 },
        dataUsed: [{ waveType: "body waves", stationCount: 88 }, { waveType: "mantle waves" }],
        inversionType: "zero trace",
      },
    },
    { publicID: "smi:local.test/mechanism/1" },
  ],
  extra: {
    public_id: "smi:local.test/event/2024abc",
    creation_time: "2024-05-07T08:24:40Z",
    version: "7",
    time_fixed: false,
    epicenter_fixed: true,
    earth_model_id: "smi:local.test/model/iasp91?depth=1&crust=2",
    method_id: "smi:local.test/method/LOCSAT",
    origin_uncertainty: {
      horizontalUncertainty: 1234.5,
      minHorizontalUncertainty: 321.09,
      maxHorizontalUncertainty: 1250,
      azimuthMaxHorizontalUncertainty: 170,
      confidenceEllipsoid: {
        semiMajorAxisLength: 2000,
        semiMinorAxisLength: 1000.5,
        semiIntermediateAxisLength: 1500,
        majorAxisPlunge: 12,
        majorAxisAzimuth: 34,
        majorAxisRotation: -56.7,
      },
      preferredDescription: "uncertainty ellipse",
      confidenceLevel: 90,
    },
    magnitude_method_id: "smi:local.test/method/trimmed-mean",
    magnitude_agency_id: "MG",
  },
};

/** The first row of an event with this content. */
function rowOf(content: string, attributes?: string): Record<string, unknown> {
  const told = readPieces(documentOf(eventOf(content, attributes)));
  expect(told.errors).toEqual([]);
  return told.rows[0] ?? {};
}

describe("QuakeML reader", () => {
  it("reads every member", () => {
    const told = readPieces(ALL_MEMBERS);
    expect(told.rows).toEqual([ALL_MEMBERS_ROW]);
    expect(told.lines).toEqual([6]);
    expect([told.errors, told.warnings]).toEqual([[], []]);
    expect(told.headers.slice(0, 6)).toEqual([
      "time",
      "latitude",
      "longitude",
      "depth",
      "magnitude",
      "magnitude_type",
    ]);
    expect(told.headers.slice(-2)).toEqual(["focal_mechanisms", "extra"]);
  });

  it("tells the same wherever the document is cut in two, and character by character", () => {
    const whole = readPieces(ALL_MEMBERS);
    for (let cut = 1; cut < ALL_MEMBERS.length; cut++) {
      expect(readPieces(ALL_MEMBERS, [cut])).toEqual(whole);
    }
    expect(
      readPieces(
        ALL_MEMBERS,
        Array.from(ALL_MEMBERS, (_, index) => index),
      ),
    ).toEqual(whole);
  });

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

  it("keeps what is doubtful under extra, with a warning", () => {
    const doubtful = [
      "<type>quarry</type>",
      originOf("<depthType>randomized</depthType><evaluationMode>robot</evaluationMode>"),
      magnitudeOf("-9.9", "ML", "<stationCount>many</stationCount>"),
    ].join("");
    const told = readPieces(documentOf(`\n${eventOf(doubtful)}`));
    expect(told.rows).toMatchObject([
      {
        event_type: "quarry blast",
        depth_type: null,
        evaluation_mode: null,
        magnitude: null,
        magnitude_station_count: null,
        extra: {
          event_type: "quarry",
          depth_type: "randomized",
          evaluation_mode: "robot",
          magnitude: "-9.9",
          magnitude_station_count: "many",
        },
      },
    ]);
    expect(told.warnings.map(({ line }) => line)).toEqual([2, 2, 2, 2, 2]);
  });

  it.each(["-1", "-1.0", "-999.0"])(
    "reads %s of CSS 3.0 as unknown, in uncertainties, counts and where it can be nothing",
    (text) => {
      const quantity = (name: string, value: string) =>
        `<${name}><value>${value}</value><uncertainty>${text}</uncertainty></${name}>`;
      const quality = ["usedStationCount", "usedPhaseCount", "standardError", "minimumDistance"]
        .map((name) => `<${name}>${text}</${name}>`)
        .join("");
      const origin =
        originOf(`${quantity("depth", "-999000.0")}<quality>${quality}</quality>`) +
        magnitudeOf("-999.0", "ML", `<stationCount>${text}</stationCount>`);
      const { rows } = readPieces(documentOf(eventOf(origin)));
      expect(rows).toMatchObject([
        {
          depth: null,
          depth_uncertainty: null,
          used_station_count: null,
          used_phase_count: null,
          standard_error: null,
          minimum_distance: null,
          magnitude: null,
          magnitude_station_count: null,
          extra: {
            depth: "-999000.0",
            depth_uncertainty: text,
            used_station_count: text,
            magnitude: "-999.0",
            magnitude_station_count: text,
          },
        },
      ]);
    },
  );

  describe("zeros of uncertainties, RMS and gap", () => {
    const zeros =
      "<depth><value>1000</value><uncertainty>0</uncertainty></depth>" +
      "<quality><usedStationCount>0</usedStationCount><standardError>0</standardError>" +
      "<azimuthalGap>0</azimuthalGap><minimumDistance>0</minimumDistance></quality>" +
      "<originUncertainty><maxHorizontalUncertainty>0.0</maxHorizontalUncertainty></originUncertainty>";
    const document = (publicId: string, namespace: string) =>
      `<quakeml xmlns="${namespace}">\n<eventParameters publicID="${publicId}">` +
      `${eventOf(originOf(zeros))}\n${eventOf(originOf(zeros), 'publicID="smi:x.y/ev2"')}` +
      "</eventParameters></quakeml>";
    const unknown = {
      depth_uncertainty: null,
      horizontal_uncertainty: null,
      standard_error: null,
      azimuthal_gap: null,
      used_station_count: 0,
      minimum_distance: 0,
      extra: {
        depth_uncertainty: 0,
        horizontal_uncertainty: 0,
        standard_error: 0,
        azimuthal_gap: 0,
      },
    };

    it("are unknown in NERIES's documents, and kept; each attribute is warned of once", () => {
      const text = document("smi:eu.emsc/unid", "http://quakeml.org/xmlns/quakeml/1.0");
      for (const cuts of [[], Array.from(text, (_, i) => i)]) {
        const { rows, warnings } = readPieces(text, cuts);
        expect(rows).toMatchObject([unknown, unknown]);
        const message =
          'standard_error: 0 stands for "not known" in files like this; it is kept under extra';
        expect(warnings).toContainEqual({ line: 2, message });
        expect(warnings).toHaveLength(4);
      }
    });

    it.each([
      ["smi:eu.emsc/unid", "http://quakeml.org/xmlns/bed/1.2"],
      ["smi:x.y/z", "http://quakeml.org/xmlns/quakeml/1.0"],
    ])("are zeros in documents of %s in %s", (publicId, namespace) => {
      const { rows, warnings } = readPieces(document(publicId, namespace));
      expect(rows).toMatchObject([
        { standard_error: 0, azimuthal_gap: 0 },
        { depth_uncertainty: 0 },
      ]);
      expect(warnings).toEqual([]);
    });
  });

  it("does not judge: a latitude of 999 comes back, with a warning", () => {
    const origin = originOf().replace("1.5", "999");
    const told = readPieces(documentOf(eventOf(origin)));
    expect(told.rows).toMatchObject([{ latitude: 999 }]);
    expect(told.warnings).toEqual([{ line: 1, message: "latitude 999 is outside -90 to 90" }]);
  });

  it.each([
    ["", "the event has no origin"],
    ["<origin/>", "the event's origin has no time"],
    [originOf().replace("<value>1.5</value>", ""), "the event's origin has no latitude"],
    [originOf().replace("<value>2.5</value>", "<value/>"), "the event's origin has no longitude"],
    [originOf().replace("1.5", "north"), 'the event\'s latitude "north" is not a number'],
    [originOf().replace("1.5", "NaN"), 'the event\'s latitude "NaN" is not a number'],
  ])("refuses an event with %s and goes on", (content, message) => {
    const told = readPieces(documentOf("\n", eventOf(content), "\n", eventOf(originOf())));
    expect(told.errors).toEqual([{ line: 2, message }]);
    expect(told.lines).toEqual([3]);
  });

  it("warns of public ids that are missing or were there before", () => {
    const told = readPieces(
      documentOf(eventOf(originOf()), eventOf(originOf()), eventOf(originOf(), "")),
    );
    expect(told.warnings.map(({ message }) => message)).toEqual([
      "publicID smi:x.y/ev1 was there before",
      "the event has no publicID",
    ]);
  });
});
