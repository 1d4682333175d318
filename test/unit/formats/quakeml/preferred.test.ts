import { describe, expect, it } from "vitest";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { readPieces } from "./read-pieces.ts";

function rowOf(...content: readonly string[]): Record<string, unknown> {
  return readPieces(documentOf(eventOf(content.join("")))).rows[0] ?? {};
}

const first = originOf("", "smi:x.y/or1", "2001-01-01T00:00:00Z");
const second = originOf("", "smi:x.y/or2", "2002-01-01T00:00:00Z");

function reviewed(id: string, time: string, created: string): string {
  return originOf(
    `<evaluationStatus>reviewed</evaluationStatus><creationInfo><creationTime>${created}</creationTime></creationInfo>`,
    id,
    time,
  );
}

describe("preferred origin", () => {
  it("is the one named, wherever the name stands", () => {
    const named = "<preferredOriginID> smi:x.y/or2\n</preferredOriginID>";
    expect(rowOf(first, second, named)["time"]).toBe("2002-01-01T00:00:00Z");
  });

  it("is the first where the one named is not in the event", () => {
    const named = "<preferredOriginID>smi:x.y/elsewhere</preferredOriginID>";
    expect(rowOf(named, first, second)["time"]).toBe("2001-01-01T00:00:00Z");
  });

  it("is the latest reviewed one where none is named", () => {
    const older = reviewed("smi:x.y/or3", "2003-01-01T00:00:00Z", "2010-01-01T00:00:00Z");
    const newer = reviewed("smi:x.y/or4", "2004-01-01T00:00:00Z", "2011-01-01T00:00:00Z");
    expect(rowOf(first, newer, older)["time"]).toBe("2004-01-01T00:00:00Z");
  });

  it("is no centroid of a moment tensor while there is another", () => {
    const mechanism =
      "<focalMechanism><momentTensor><derivedOriginID>smi:x.y/or1</derivedOriginID></momentTensor></focalMechanism>";
    expect(rowOf(mechanism, first, second)["time"]).toBe("2002-01-01T00:00:00Z");
    expect(rowOf(mechanism, first)["time"]).toBe("2001-01-01T00:00:00Z");
  });
});

describe("preferred magnitude", () => {
  const of = (origin: number, stations = 0) =>
    `<originID>smi:x.y/or${origin}</originID><stationCount>${stations}</stationCount>`;

  it("is the one named", () => {
    const named = "<preferredMagnitudeID>b</preferredMagnitudeID>";
    expect(
      rowOf(first, magnitudeOf("1", "Mww", "", "a"), magnitudeOf("2", "M", "", "b"), named),
    ).toMatchObject({ magnitude: 2, magnitude_type: "M" });
  });

  it("is the best of the others where the one named is not a number, and says so", () => {
    const named = "<preferredMagnitudeID>a</preferredMagnitudeID>";
    for (const unknown of ["nan", "NaN", "-", "INF"]) {
      const told = readPieces(
        documentOf(
          eventOf(
            `${named}${first}${magnitudeOf(unknown, "Mw", "", "a")}${magnitudeOf("2.4", "Md", "", "b")}${magnitudeOf("3.5", "ML", "", "c")}`,
          ),
        ),
      );
      expect(told.rows).toMatchObject([{ magnitude: 3.5, magnitude_type: "ML" }]);
      expect(told.warnings).toMatchObject([
        { message: "the preferred magnitude is not a number; another of the event's is taken" },
      ]);
    }
  });

  it("is one with a number before a better type without, and null where none has one", () => {
    const unknown = magnitudeOf("NaN", "Mww");
    expect(rowOf(first, unknown, magnitudeOf("1.5", "Md"))).toMatchObject({ magnitude: 1.5 });
    expect(rowOf(first, unknown, magnitudeOf("nan", "Md"))).toMatchObject({ magnitude: null });
  });

  it("is one of the preferred origin before one of another", () => {
    expect(
      rowOf(first, second, magnitudeOf("1", "Mww", of(2)), magnitudeOf("2", "Md", of(1))),
    ).toMatchObject({ magnitude: 2 });
  });

  it("has the best type, whatever its case, then the most stations", () => {
    const order = [
      "Mww",
      "Mwc",
      "MWB",
      "Mwr",
      "Mw",
      "Mwp",
      "MS",
      "mB",
      "mb",
      "MLv",
      "mb_Lg",
      "Md",
      "M",
    ];
    for (let i = 1; i < order.length; i++) {
      const [worse = "", better = ""] = [order[i], order[i - 1]];
      expect(
        rowOf(first, magnitudeOf("1", worse, of(1, 50)), magnitudeOf("2", better, of(1, 1))),
      ).toMatchObject({ magnitude_type: better });
    }
    expect(
      rowOf(first, magnitudeOf("1", "ML", of(1, 5)), magnitudeOf("2", "ML", of(1, 6))),
    ).toMatchObject({ magnitude: 2 });
  });

  it("is the best of all where none belongs to the origin", () => {
    expect(rowOf(first, magnitudeOf("1", "ML"), magnitudeOf("2", "Mw", of(7)))).toMatchObject({
      magnitude: 2,
    });
  });
});

describe("an event with a public id of the service", () => {
  const region =
    "<description><text>TEST SEA</text><type>Flinn-Engdahl region</type></description>";
  const magnitude = magnitudeOf("4.4", "MLv", "<originID>smi:x.y/or1</originID>");
  const rowOfOwn = (...content: readonly string[]) =>
    readPieces(documentOf(eventOf(content.join(""), 'publicID="smi:local.catalogue/event/ev1"')))
      .rows[0] ?? {};

  it("has magnitude and region as any other where its origins are not made of a row", () => {
    const shown = { source_id: "ev1", magnitude: 4.4, magnitude_type: "MLv", region: "TEST SEA" };
    expect(rowOfOwn(first, second, magnitude, region)).toMatchObject(shown);
    const edited = originOf("", "smi:local.catalogue/origin/00ab/2", "2001-01-01T00:00:00Z");
    expect(rowOfOwn(first, edited, magnitude, region)).toMatchObject(shown);
  });

  it("has what it names alone where it was a row", () => {
    const ofRow = originOf("", "smi:local.catalogue/origin/00ab", "2001-01-01T00:00:00Z");
    const row = rowOfOwn(ofRow, first, magnitude, region);
    expect(row).toMatchObject({ source_id: "ev1", magnitude: null });
    expect(row).not.toHaveProperty("region");
  });
});

describe("real-time documents", () => {
  const beside = (event: string) =>
    readPieces(
      documentOf(
        eventOf(event),
        first,
        second,
        magnitudeOf("4", "Mw", "<originID>smi:x.y/or2</originID>"),
        '<focalMechanism publicID="fm1"><misfit>1</misfit></focalMechanism>',
        eventOf(originOf(), 'publicID="smi:x.y/ev2"'),
      ),
    );

  it("have origins and magnitudes beside the event, by its preferred ids", () => {
    const told = beside(
      "<preferredOriginID>smi:x.y/or2</preferredOriginID><preferredFocalMechanismID>fm1</preferredFocalMechanismID>",
    );
    expect(told.rows).toMatchObject([
      { source_id: "ev2" },
      {
        source_id: "ev1",
        time: "2002-01-01T00:00:00Z",
        magnitude: 4,
        focal_mechanisms: [{ misfit: 1 }],
      },
    ]);
    expect(told.lines).toEqual([1, 1]);
  });

  it("have origins beside the event, by its references, with magnitudes inside", () => {
    const reference = "<originReference><originID>smi:x.y/or9</originID></originReference>";
    const inside = originOf(magnitudeOf("5", "ML"), "smi:x.y/or9");
    const told = readPieces(documentOf(inside, eventOf(reference)));
    expect(told.rows).toMatchObject([{ magnitude: 5, latitude: 1.5 }]);
  });

  it("are refused event by event where the origin is nowhere", () => {
    const told = beside("<preferredOriginID>smi:x.y/nowhere</preferredOriginID>");
    expect(told.errors).toEqual([{ line: 1, message: "the event has no origin" }]);
  });
});
