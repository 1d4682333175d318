import fc from "fast-check";
import { SaxesParser } from "saxes";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { createObjectBuilder } from "#infra/formats/quakeml/object-builder.ts";
import { createNamespaces } from "#infra/formats/quakeml/open-elements.ts";
import { cursorAt, readPlainElement } from "#infra/formats/quakeml/plain-elements.ts";
import { WHOLE } from "#infra/formats/quakeml/type-plans.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { anyDocument } from "../../support/formats/any-quakeml.ts";
import { exportedCatalogue } from "../../support/formats/exported.ts";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../support/formats/quakeml-documents.ts";
import { cutAt, readQuakeml, type Told } from "../../support/formats/readers.ts";
import { runs } from "../../support/runs.ts";

const EVENT_ID = "00000000-0000-8000-8000-000000000001";
const NOT_PLAIN = /<ec:|&|\]\]|[\r\u007f-\u009f\u2028]/;

const MARKUP = [..."<>/\"'=: ]&\t\r\n-", "]]>", "</event>"];

/** The event as an object, and what else is known of it; null when it is not plain. */
function readPlainEvent(text: string) {
  const cursor = cursorAt(text, 0);
  const target = {
    document: WHOLE,
    builder: createObjectBuilder(true, WHOLE),
    namespaces: createNamespaces(),
  };
  target.namespaces.open({ "xmlns:q": "http://quakeml.org/xmlns/quakeml/1.2" }, 1);
  const read = readPlainElement(cursor, target, null, 3);
  if (read === null || read === "added") return null;
  return { object: read.object, end: cursor.at, lineFeeds: cursor.lineFeeds };
}

/** No event lies wholly in a piece of one character, so all of them are read by saxes. */
const readBySaxes = (text: string, bulletins = false): Told =>
  readQuakeml(
    cutAt(
      text,
      Array.from(text, (_, index) => index),
    ),
    { bulletins },
  );

/** What the parser was given of a document. */
function givenToSaxes(text: string, cuts: readonly number[] = []): string {
  const write = vi.spyOn(SaxesParser.prototype, "write");
  readQuakeml(cutAt(text, cuts));
  return write.mock.calls.map(([piece]) => piece ?? "").join("");
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("plain events", () => {
  it.each([false, true])(
    "are the same, at the same lines, as by saxes, bulletins: %s",
    (bulletins) => {
      let plain = 0;
      fc.assert(
        fc.property(anyDocument, fc.array(fc.nat(2000), { maxLength: 3 }), (text, cuts) => {
          const told = readQuakeml(cutAt(text, cuts), { bulletins });
          expect(told).toEqual(readBySaxes(text, bulletins));
          for (const bulletin of told.bulletins.filter((one) => one !== undefined)) {
            expect(BulletinBody.safeParse(bulletin).error).toBeUndefined();
          }
          plain += told.rows.length;
        }),
        { numRuns: runs(4000, 1 / 20) },
      );
      expect(plain).toBeGreaterThan(runs(4000, 1 / 20) / 4);
    },
  );

  it("are the same with anything put in, left out or put in place of something", () => {
    const event = eventOf(
      `\n<type>earthquake</type>${originOf('<comment id="1">\n<text/></comment>')}\n`,
      'publicID="smi:x.y/1"\n c:eventid="7"',
    );
    const text = documentOf("\n", event, "\n", event, event, magnitudeOf("5", "Mw"), event);
    const change = fc.tuple(
      fc.integer({ min: text.indexOf(event), max: text.lastIndexOf(event) + event.length - 3 }),
      fc.nat(2),
      fc.oneof(fc.constantFrom(...MARKUP), fc.string({ unit: "binary", maxLength: 1 })),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
        const changed = changes.reduce(
          (before, [at, out, put]) => before.slice(0, at) + put + before.slice(at + out),
          text,
        );
        expect(readQuakeml(changed)).toEqual(readBySaxes(changed));
      }),
      { numRuns: runs(4000, 1 / 20) },
    );
  });

  it("are not given to saxes", () => {
    const events = Array.from({ length: 20 }, (_, i) =>
      eventOf(originOf() + magnitudeOf("5", "Mw"), `publicID="smi:x.y/${i}"`),
    );
    const given = givenToSaxes(documentOf(...events.map((event) => `\n${event}`)));
    expect(given).not.toContain("<event ");
  });

  it("are given to saxes where a piece ends in them", () => {
    const events = [1, 2, 3, 4].map((i) => `\n${eventOf(originOf(), `publicID="smi:x.y/${i}"`)}`);
    const text = documentOf(...events);
    const given = givenToSaxes(text, [text.indexOf("smi:x.y/3")]);
    expect(given.match(/smi:x.y\/\d(?=")/g)).toEqual(["smi:x.y/3"]);
  });

  it("are looked for again behind an event that is not plain", () => {
    const plain = `\n${eventOf(originOf())}`;
    const other = `\n${eventOf(`<description><text>&amp;</text></description>${originOf()}`)}`;
    const given = givenToSaxes(documentOf(plain, plain, other, plain, other, plain, plain));
    expect(given.match(/<event /g)).toHaveLength(2);
  });

  it("are what the writer writes, but for entities and our own element", () => {
    const writer = createQuakemlWriter(exportedCatalogue("c"));
    let plain = 0;
    fc.assert(
      fc.property(anyRecord, (record) => {
        const fields = { ...record, extra: null, source_id: "2024p344188" };
        const event = writer.row(exportRowOf({ id: EVENT_ID, ...fields })).trim();
        const isPlain = !NOT_PLAIN.test(event);
        if (isPlain) plain++;
        const end = readPlainEvent(event)?.end;
        expect(end).toBe(isPlain ? event.length : undefined);
      }),
      { numRuns: runs(500, 2 / 5) },
    );
    // Some tenth of them is; none of so many would be no chance.
    expect(plain).toBeGreaterThan(0);
  });

  it("may have picks, arrivals and attributes of others", () => {
    const pick =
      '\n  <pick publicID="p/1">\n    <time><value>2024-01-01T00:00:00Z</value></time>\n' +
      '    <waveformID networkCode="NZ" stationCode="WEL"/><phaseHint>P</phaseHint>\n  </pick>';
    const event = eventOf(
      pick + originOf("<arrival><pickID>p/1</pickID></arrival>"),
      'c:eventid="1"',
    );
    expect(readPlainEvent(event)).toMatchObject({
      object: {
        pick: [{ publicID: "p/1" }],
        origin: [{ publicID: "smi:x.y/or1", arrival: [{ pickID: "p/1", phase: "" }] }],
        foreign: [{ ns: "c", name: "eventid", attribute: true, text: "1" }],
      },
      lineFeeds: 4,
      end: event.length,
    });
  });

  it("are none with markup of other kinds", () => {
    for (const event of [
      eventOf("<type>&amp;</type>"),
      eventOf("<!-- -->"),
      eventOf("<q:type/>"),
      eventOf('<type xmlns="a"/>'),
      eventOf("<pick></pack>"),
      eventOf('<pick a="1" a="1"/>'),
      eventOf("\r\n"),
      eventOf("<pick>").slice(0, -8),
      eventOf("<a>".repeat(62) + "</a>".repeat(62)),
    ]) {
      expect(readPlainEvent(event), event).toBeNull();
    }
  });

  it("have up to 64 levels", () => {
    const event = eventOf("<a>".repeat(61) + "</a>".repeat(61));
    expect(readPlainEvent(event)).toBeNull();
    expect(readQuakeml(documentOf(event)).errors).toEqual(["1: the event has no origin"]);
  });
});
