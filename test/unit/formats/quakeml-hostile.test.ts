import { describe, expect, test } from "vitest";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../support/formats/quakeml-documents.ts";
import { readQuakeml } from "../../support/formats/readers.ts";

const MEBI = 1024 * 1024;
const [HEAD = "", TAIL = ""] = documentOf("|").split("|");

function* repeat(piece: string, times: number): Generator<string> {
  for (let i = 0; i < times; i++) yield piece;
}

const readWhole = (text: Iterable<string>) => readQuakeml(text, { bulletins: true });

describe("hostile and broken XML", () => {
  test("hostile and broken XML is told in one error, and gives no event", () => {
    const typed = "line 1: a document type (DOCTYPE) is not allowed; nothing after it was read";
    const entities = ["&lol;", "&nbsp;", "&#0;", "&#xFFFF;", "&;", "& "];
    for (const [text, message] of [
      ['<!DOCTYPE q [<!ENTITY a "&b;&b;"><!ENTITY b "lol">]><q>&a;</q>', typed],
      ['<!DOCTYPE q [<!ENTITY x SYSTEM "file:///etc/passwd">]><quakeml>&x;</quakeml>', typed],
      ['<!DOCTYPE quakeml SYSTEM "http://127.0.0.1/x.dtd"><quakeml/>', typed],
      ...entities.map((one) => [documentOf(eventOf(`<type>${one}</type>${originOf()}`)), ""]),
      ["<seiscomp xmlns='http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.13'/>", "SCML"],
      ["<html></html>", 'the root element is "html"'],
      ["", "root element"],
      ["PK\u0003\u0004 zip bytes", "disallowed character"],
      ["time,latitude\n1,2", "text data outside of root node"],
      ['{"type": "FeatureCollection"}', "text data outside of root node"],
      ["<quakeml>", "unclosed tag"],
      ["<a".repeat(1000), "disallowed character"],
      ["<quakeml>\ud800</quakeml>", "the document holds no eventParameters"],
      [documentOf(eventOf("<pick>".repeat(1000))), "nested deeper than 64 levels"],
    ]) {
      const { rows, errors } = readQuakeml(text ?? "");
      expect({ rows, errors }, text).toEqual({
        rows: [],
        errors: [expect.stringContaining(message ?? "")],
      });
    }
  });

  test("hostile and broken XML has the events before a fault, then one error at the event that is cut off", () => {
    const good = `\n${eventOf(originOf())}`;
    const bad = '\n<event publicID="smi:x.y/ev2">\n<origin></event>';
    const { lines, errors } = readQuakeml(documentOf(good, bad, good));
    expect(lines).toEqual([2]);
    expect(errors).toEqual([
      "3: this event is not complete, line 4: unexpected close tag.; nothing after it was read",
    ]);
  });

  test("hostile XML of anything without an end is told, and none of it is kept", () => {
    const piece = "x".repeat(MEBI);
    for (const [start, part] of [
      ["<type>", piece],
      ["<pick>", piece],
      ['<type a="', piece],
      ["<!-- ", piece],
      ["<type><![CDATA[", piece],
      ["<type>&", piece],
      ["<", piece],
      ["<type ", 'a="" '.repeat(MEBI / 5)],
    ] as const) {
      const before = process.memoryUsage().heapUsed;
      const pieces = function* () {
        yield documentOf("").split("</")[0] + start;
        yield* repeat(part, 90);
      };
      expect(readQuakeml(pieces()).errors, start).toHaveLength(1);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(80 * MEBI);
    }
    const comments = "<!-- x -->".repeat(MEBI / 20);
    const typed = readQuakeml(["<!DOCTYPE q [", ...repeat(comments, 10)]);
    expect(typed.errors).toHaveLength(1);
  });

  test("hostile XML of an event that holds too much costs that event, and its picks cost none", () => {
    const origins = originOf("<region>some text</region>").repeat(20_000);
    const message = "1: the event holds more than can be read and was skipped";
    const { errors, lines } = readQuakeml(documentOf(eventOf(origins), "\n", eventOf(originOf())));
    expect({ errors, lines }).toEqual({ errors: [message], lines: [2] });
    expect(readQuakeml(documentOf(eventOf(origins))).errors).toEqual([message]);
    const picks = '<pick publicID="p"><time><value>x</value></time></pick>'.repeat(10_000);
    const [head = "", tail = ""] = documentOf(eventOf(`|${originOf()}`)).split("|");
    expect(readQuakeml([head, ...repeat(picks, 4), tail]).rows).toHaveLength(1);
  });
});

test("an element of our own that is not what we write is left out, and is known by its namespace alone", () => {
  for (const json of [
    "{",
    "[1]",
    '{"id":"x"}',
    '{"__proto__":{"a":1}}',
    '{"depth":{}}',
    '{"extra":5}',
    '{"focal_mechanisms":[5]}',
    `{"extra":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`,
  ]) {
    const own = `<ec:attributes xmlns:ec="urn:earthquake-catalogue:1.0">${json}</ec:attributes>`;
    const { rows, warnings } = readQuakeml(documentOf(eventOf(originOf() + own)));
    const extra = { public_id: "smi:x.y/ev1" };
    expect(rows, json).toMatchObject([{ latitude: 1.5, depth: null, extra }]);
    expect(warnings).toEqual([
      "1: the event's own attributes are not what this service writes; left out",
    ]);
  }
  for (const [start, depth] of [
    ["attributes", null],
    ["x:attributes", null],
    ["ec:attributes", null],
    ['attributes xmlns="urn:earthquake-catalogue:1.0"', 5],
  ] as const) {
    const own = `<${start}>{"depth":5}</${start.split(" ")[0]}>`;
    const { rows } = readQuakeml(documentOf(eventOf(originOf() + own)));
    expect(rows, start).toMatchObject([{ depth }]);
  }
});

describe("limits of whole events", () => {
  const pick = (id: string) =>
    `<pick publicID="${id}"><time><value>2024-01-01T00:00:00Z</value></time><waveformID networkCode="NZ" stationCode="WEL"/></pick>`;
  const arrival = (id: string) =>
    `<arrival publicID="smi:x.y/a1"><pickID>${id}</pickID><phase>P</phase></arrival>`;

  test("what stands beside events is joined, before or after them, and what belongs to none is told", () => {
    const event = eventOf(
      "<originReference><originID>smi:x.y/or1</originID></originReference>" +
        "<magnitudeReference><magnitudeID>smi:x.y/none</magnitudeID></magnitudeReference>",
    );
    const told = readWhole(
      documentOf(
        pick("smi:x.y/p1") + pick("smi:x.y/p2") + event + originOf(arrival("smi:x.y/p1")),
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
    expect(told.elements?.pick).toEqual({ read: 2, kept: 1, dropped: 1 });
  });

  test("of 20,000 objects beside the events memory holds the ids alone", () => {
    function* pieces() {
      yield HEAD;
      for (let i = 0; i < 20_000; i++) yield pick(`smi:x.y/p${i}`);
      yield eventOf("<preferredOriginID>smi:x.y/or1</preferredOriginID>");
      yield originOf(arrival("smi:x.y/p19999")) + TAIL;
    }
    const before = process.memoryUsage().heapUsed;
    const told = readWhole(pieces());
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * MEBI);
    expect(told.bulletins).toMatchObject([{ pick: [{ publicID: "smi:x.y/p19999" }] }]);
    expect(told.elements?.pick).toEqual({ read: 20_000, kept: 1, dropped: 19_999 });
  });

  test("an event of a million foreign elements is refused, and the next is read", () => {
    const big = `${HEAD}<event publicID="smi:x.y/big" xmlns:x="urn:x">${originOf()}`;
    const pieces = [big, ...repeat("<x:a/>".repeat(1000), 1000), `</event>${eventOf(originOf())}`];
    const { errors, rows } = readWhole([...pieces, TAIL]);
    expect(errors).toEqual([expect.stringContaining("1,000,000 elements")]);
    expect(rows).toHaveLength(1);
  });

  test("foreign elements below the sixteenth level are left out, and names of objects have no meaning", () => {
    const deep = '<x:a xmlns:x="urn:x">'.repeat(40) + "</x:a>".repeat(40);
    const { rows, warnings } = readWhole(documentOf(eventOf(originOf() + deep)));
    expect(rows).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringContaining("foreign elements nested too deep, left out (1)"),
    ]);
    for (const name of ["__proto__", "constructor", "toString"]) {
      const element = `<${name} a="1"><b/></${name}>`;
      const attributes = `publicID="smi:x.y/e" ${name}="2"`;
      const told = readWhole(documentOf(eventOf(originOf() + element, attributes)));
      expect(told.bulletins[0]?.foreign, name).toMatchObject([
        { ns: "", name, attribute: true, text: "2" },
        { name, attributes: [{ name: "a", text: "1" }], children: [{ name: "b" }] },
      ]);
      expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
    }
  });

  test("ids in circles, and one id 20,000 times, are kept", () => {
    const arrivals = '<arrival publicID="smi:x.y/or1"><pickID>smi:x.y/or1</pickID></arrival>';
    const preferred = "<preferredOriginID>smi:x.y/or1</preferredOriginID>";
    const event = eventOf(preferred + originOf(arrivals.repeat(20_000)));
    const { errors, bulletins } = readWhole(documentOf(event));
    expect(errors).toEqual([]);
    expect(bulletins[0]?.origin?.[0]?.arrival).toHaveLength(20_000);
  });
});
