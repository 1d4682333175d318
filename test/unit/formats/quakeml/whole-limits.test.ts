import { describe, expect, it } from "vitest";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { readWhole, readWholePieces } from "./read-pieces.ts";

const MEBI = 1024 * 1024;
const PICK = (id: string) =>
  `<pick publicID="${id}"><time><value>2024-01-01T00:00:00Z</value></time><waveformID networkCode="NZ" stationCode="WEL"/></pick>`;

function* around(start: string, piece: (i: number) => string, count: number, end: string) {
  yield start;
  for (let i = 0; i < count; i++) yield piece(i);
  yield end;
}

const [HEAD = "", TAIL = ""] = documentOf("|").split("|");

describe("real-time documents, read whole", () => {
  it("join what stands beside events, before or after them, and tell what belongs to none", () => {
    const arrival =
      '<arrival publicID="smi:x.y/a1"><pickID>smi:x.y/p1</pickID><phase>P</phase></arrival>';
    const event = eventOf(
      "<originReference><originID>smi:x.y/or1</originID></originReference>" +
        "<magnitudeReference><magnitudeID>smi:x.y/none</magnitudeID></magnitudeReference>",
    );
    const told = readWhole(
      documentOf(
        PICK("smi:x.y/p1"),
        PICK("smi:x.y/p2"),
        event,
        originOf(arrival),
        magnitudeOf("5", "ML", "<originID>smi:x.y/or1</originID>"),
      ),
    );
    expect(told.rows).toMatchObject([{ latitude: 1.5, magnitude: 5 }]);
    expect(told.bulletins).toMatchObject([
      {
        pick: [{ publicID: "smi:x.y/p1" }],
        origin: [{ arrival: [{ pickID: "smi:x.y/p1" }] }],
        magnitude: [{ type: "ML" }],
        foreign: [{ name: "magnitudeReference" }],
      },
    ]);
    expect(told.elements.pick).toEqual({ read: 2, kept: 1, dropped: 1 });
  });

  it("may have 50,000 objects beside the events, of which memory holds the ids alone", () => {
    const arrival = "<pickID>smi:x.y/p49999</pickID><phase>P</phase>";
    const event = eventOf(`<preferredOriginID>smi:x.y/or1</preferredOriginID>`);
    const pieces = around(
      HEAD,
      (i) => PICK(`smi:x.y/p${i}`),
      50_000,
      event + originOf(`<arrival publicID="smi:x.y/a1">${arrival}</arrival>`) + TAIL,
    );
    const before = process.memoryUsage().heapUsed;
    const told = readWholePieces(pieces);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * MEBI);
    expect(told.bulletins).toMatchObject([{ pick: [{ publicID: "smi:x.y/p49999" }] }]);
    expect(told.elements.pick).toEqual({ read: 50_000, kept: 1, dropped: 49_999 });
  });
});

describe("limits of whole events", () => {
  it("refuse an event of a million foreign elements, and read the next", () => {
    const pieces = around(
      `${HEAD}<event publicID="smi:x.y/big" xmlns:x="urn:x">${originOf()}`,
      () => "<x:a/>".repeat(1000),
      1000,
      `</event>${eventOf(originOf())}${TAIL}`,
    );
    const told = readWholePieces(pieces);
    expect(told.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("1,000,000 elements"),
    ]);
    expect(told.rows).toHaveLength(1);
  });

  it("leave out foreign elements below the sixteenth level", () => {
    const deep = '<x:a xmlns:x="urn:x">'.repeat(40) + "</x:a>".repeat(40);
    const told = readWhole(documentOf(eventOf(originOf() + deep)));
    expect(told.rows).toHaveLength(1);
    expect(told.warnings.map(({ message }) => message)).toEqual([
      "foreign elements nested too deep, left out (1)",
    ]);
  });

  it.each(["__proto__", "constructor", "toString"])("have no meaning for the name %s", (name) => {
    const told = readWhole(
      documentOf(
        eventOf(`${originOf()}<${name} a="1"><b/></${name}>`, `publicID="smi:x.y/e" ${name}="2"`),
      ),
    );
    expect(told.bulletins[0]?.foreign).toMatchObject([
      { ns: "", name, attribute: true, text: "2" },
      { name, attributes: [{ name: "a", text: "1" }], children: [{ name: "b" }] },
    ]);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  it("do not hold for ids in circles, nor for one id 100,000 times", () => {
    const arrivals = '<arrival publicID="smi:x.y/or1"><pickID>smi:x.y/or1</pickID></arrival>';
    const event = eventOf(
      `<preferredOriginID>smi:x.y/or1</preferredOriginID>${originOf(arrivals.repeat(100_000))}`,
    );
    const told = readWhole(documentOf(event));
    expect(told.errors).toEqual([]);
    expect(told.bulletins[0]?.origin?.[0]?.arrival).toHaveLength(100_000);
  });
});
