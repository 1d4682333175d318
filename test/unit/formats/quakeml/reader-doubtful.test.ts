import { describe, expect, it } from "vitest";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { readPieces } from "./read-pieces.ts";

describe("QuakeML reader", () => {
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
