import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  type AgencyEvent,
  type AnswerFault,
  createAnswerReader,
  readAnswer,
  type UnreadableRow,
} from "#infra/agency/answer.ts";
import { AgencyError, AgencyUnavailable } from "#infra/agency/http/exchange.ts";
import type { AnswerFormat } from "#infra/agency/query.ts";
import { stageEvents } from "#infra/agency/windows.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import { GEOJSON_TAIL, geojsonHead, writeFeature } from "../../support/agency/comcat-geojson.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { textHead } from "../../support/agency/geonet-text.ts";
import { XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import { testRows } from "../../support/test-rows.ts";

const FIRST_ISF = new URL("../../fixtures/formats/isf/first.isf", import.meta.url);

type Told = {
  readonly events: AgencyEvent[];
  /** Of the events. */
  readonly lines: number[];
  readonly unreadable: UnreadableRow[];
  readonly faults: AnswerFault[];
};

function read(
  format: AnswerFormat,
  text: string,
  { size = text.length || 1, isLengthKnown = false } = {},
): Told {
  const told: Told = { events: [], lines: [], unreadable: [], faults: [] };
  const reader = createAnswerReader(format, {
    event: ({ event, line }) => {
      told.events.push(event);
      told.lines.push(line);
    },
    unreadable: (row) => told.unreadable.push(row),
    fault: (fault) => told.faults.push(fault),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  atOnce(reader.end(isLengthKnown));
  return told;
}

const ORIGIN =
  "<time><value>2024-05-07T08:24:09.853Z</value></time><latitude><value>-41.5</value></latitude>" +
  "<longitude><value>174.25</value></longitude><depth><value>12500</value></depth>";

function xml(publicId: string, origin = ORIGIN, rest = ""): string {
  return `<event publicID="${publicId}"><origin publicID="smi:a.bc/o">${origin}</origin>${rest}</event>\n`;
}

function document(...events: readonly string[]): string {
  return XML_HEAD + events.join("") + XML_TAIL;
}

function line(id: string, type = "earthquake", time = "2024-05-07T08:24:09.853"): string {
  return `${id}|${time}|-41.5|174.25|12.5|GNS|GNS|GNS|${id}|ML|3.25|GNS|Kaikōura|${type}\n`;
}

describe("the id of an event", () => {
  testRows(
    "the id of an event is what its public id says, in QuakeML and in text",
    [
      ["smi:nz.org.geonet/2024p344188", "2024p344188"],
      ["quakeml:us.anss.org/event/us7000abcd", "us7000abcd"],
      [
        "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=us6000kawn&format=quakeml",
        "us6000kawn",
      ],
      ["smi:webservices.ingv.it/fdsnws/event/1/query?eventId=123", "123"],
      ["smi:local.catalogue/event/2024p344188", "2024p344188"],
    ],
    (publicId, id) => {
      const [full] = read("xml", document(xml(publicId.replace("&", "&amp;")))).events;
      const [summary] = read("text", textHead(true) + line(id)).events;
      expect([full?.["source_id"], summary?.["source_id"]]).toEqual([id, id]);
      if (!publicId.startsWith("smi:local"))
        expect(full?.["extra"]).toEqual({ public_id: publicId });
    },
  );

  test("the id of an event is bare in text that gives the public one, which is kept", () => {
    const [event] = read("text", textHead(true) + line("smi:nz.org.geonet/2024p344188")).events;
    expect(event?.["source_id"]).toBe("2024p344188");
    expect(event?.["extra"]).toMatchObject({ public_id: "smi:nz.org.geonet/2024p344188" });
  });
});

test("text has the canonical names, and what has none under extra", () => {
  const [event] = read("text", textHead(true) + line("2024p1", "duplicate")).events;
  expect(event).toEqual({
    source_id: "2024p1",
    time: "2024-05-07T08:24:09.853Z",
    latitude: -41.5,
    longitude: 174.25,
    depth: 12.5,
    author: "GNS",
    magnitude_type: "ML",
    magnitude: 3.25,
    region: "Kaikōura",
    event_type: "other event",
    extra: {
      Catalog: "GNS",
      Contributor: "GNS",
      ContributorID: "2024p1",
      MagAuthor: "GNS",
      event_type: "duplicate",
    },
  });
});

const SERVED = [...servedEvents(4, 2)];
const FEATURES = SERVED.map((event, i) => ({
  ...event,
  row: { ...event.row, source_id: `us${i}` },
  ids: [`us${i}`, `nc${i}`],
  updatedMs: 1_700_000_000_123 + i,
}));

test("ComCat's features have their id, their time, all their ids, and when they changed", () => {
  const body = geojsonHead(2) + FEATURES.map(writeFeature).join(",\n") + GEOJSON_TAIL;
  const { events, unreadable, faults } = read("geojson", body);
  expect([unreadable, faults]).toEqual([[], []]);
  const [first] = events;
  expect(events.map(({ source_id }) => source_id)).toEqual(["us0", "us1"]);
  expect(Date.parse(first?.time ?? "")).toBe(Date.parse(String(SERVED[0]?.row["time"])));
  expect(first?.["extra"]).toMatchObject({ ids: ",us0,nc0,", updated: "2023-11-14T22:13:20.123Z" });
  for (let end = 1; end < body.length; end += 1) {
    expect(read("geojson", body.slice(0, end)).faults, `${end}`).not.toEqual([]);
  }
});

describe.each([
  ["xml", document(xml("smi:nz.org.geonet/2024p1"), xml("smi:nz.org.geonet/2024p2"))],
  ["text", textHead(true) + line("2024p1") + line("2024p2")],
] as const)("an answer in %s", (format, text) => {
  test("is read the same wherever it is cut", () => {
    const whole = read(format, text);
    expect(whole.events).toHaveLength(2);
    for (const size of [1, 7, 1023]) {
      expect(read(format, text, { size })).toEqual(whole);
    }
  });

  test("names the line where each event begins", () => {
    expect(read(format, text).lines).toEqual(format === "xml" ? [3, 4] : [2, 3]);
  });

  test("that is cut off within an event is cut, whether or not its length was announced", () => {
    for (const isLengthKnown of [true, false]) {
      const cut = text.slice(0, format === "xml" ? -80 : -40);
      const { events, faults } = read(format, cut, { isLengthKnown });
      expect(faults).toMatchObject([{ kind: "cut" }]);
      expect(events).toHaveLength(1);
    }
  });
});

test("QuakeML is cut wherever it ends before the end tag of its root", () => {
  const text = document(xml("smi:a.bc/1"), xml("smi:a.bc/2"));
  const end = text.lastIndexOf(">") + 1;
  for (let length = 0; length < end; length++) {
    expect(read("xml", text.slice(0, length)).faults, `${length}`).toMatchObject([{ kind: "cut" }]);
  }
  expect(read("xml", text.slice(0, end)).faults).toEqual([]);
});

test("text of unknown length is a fault wherever it ends within a line", () => {
  const text = textHead(true) + line("2024p1") + line("2024p2");
  for (let length = 0; length < text.length; length++) {
    const cut = text.slice(0, length);
    if (!cut.endsWith("\n")) expect(read("text", cut).faults, `${length}`).toHaveLength(1);
  }
});

test("text whose length was announced needs no line end behind its last line", () => {
  const text = textHead(true) + line("2024p1") + line("2024p2").trimEnd();
  const { events, faults } = read("text", text, { isLengthKnown: true });
  expect(faults).toEqual([]);
  expect(events).toHaveLength(2);
  expect(read("text", text).faults).toEqual([
    { kind: "cut", line: 3, message: "the last line has no end, and no length was announced" },
  ]);
});

testRows("text may end its lines with LF, CRLF or CR", ["\n", "\r\n", "\r"], (lineEnd) => {
  const text = (textHead(true) + line("2024p1")).replaceAll("\n", lineEnd);
  expect(read("text", text)).toMatchObject({ events: [{ source_id: "2024p1" }], faults: [] });
});

describe("an answer without events", () => {
  testRows(
    "an answer without events has none, and nothing is wrong with it",
    [
      ["xml", document()],
      ["text", textHead(true)],
      ["text", ""],
      ["geojson", geojsonHead(0) + GEOJSON_TAIL],
    ] as const,
    (format, text) => {
      const told = read(format, text, { isLengthKnown: true });
      expect(told).toEqual({ events: [], lines: [], unreadable: [], faults: [] });
    },
  );
});

testRows(
  "what is cut off, malformed or foreign is a fault and not empty",
  [
    ["xml", "", "cut"],
    ["xml", "Service is down for maintenance", "foreign"],
    ["xml", document(xml("smi:a.bc/1")).replace("</value>", "</values>"), "malformed"],
    ["xml", `${document()}<p>Upstream timed out</p>`, "malformed"],
    ["text", "", "cut"],
    ["text", "Service is down for maintenance\n", "malformed"],
    ["text", "Service is down\nfor maintenance | please wait\n", "malformed"],
  ] as const,
  (format, text, kind) => {
    const { events, faults } = read(format, text);
    expect(events).toEqual([]);
    expect(faults).toMatchObject([{ kind }]);
  },
);

const PAGE = "<!DOCTYPE html>\n<html><body>Maintenance</body></html>\n";

testRows(
  "what is foreign is told for what it is",
  [
    ["xml", PAGE, "a web page"],
    ["xml", `<?xml version="1.0"?>\n${PAGE}`, "a web page"],
    ["xml", `\ufeff \n${PAGE.toUpperCase()}`, "a web page"],
    ["xml", "<html lang='tr'>", "a web page"],
    ["xml", "<h1>502 Bad Gateway</h1>", "XML that is not QuakeML"],
    ["xml", '<seiscomp version="0.13"/>', "XML that is not QuakeML"],
    ["xml", '{"error": "too many requests"}', "JSON"],
    ["xml", textHead(true) + line("2024p1"), "text that is no XML"],
    ["xml", "PK\u0003\u0004\u0014\0\0\0", "something that is not text"],
    ["isf", PAGE, "a web page"],
    ["isf", document(xml("smi:a.bc/1")), "XML"],
    ["isf", "No events were found.\n", "text that is no bulletin"],
    ["text", PAGE, "a web page"],
    ["text", document(xml("smi:a.bc/1")), "XML"],
    ["text", "[]", "JSON"],
    ["geojson", PAGE, "a web page"],
  ] as const,
  (format, text, content) => {
    const { events, faults } = read(format, text);
    expect(events).toEqual([]);
    expect(faults).toEqual([{ kind: "foreign", content }]);
  },
);

testRows(
  "an event in text whose magnitude is not known has none",
  ["", "nan", "NaN", "--", "-9"],
  (unknown) => {
    const without = line("2024p2").replace("|ML|3.25|", `||${unknown}|`);
    const { events, unreadable } = read("text", textHead(true) + without + line("2024p1"));
    expect(unreadable).toEqual([]);
    expect(events).toMatchObject([{ magnitude: null }, { magnitude: 3.25 }]);
  },
);

describe("a 404", () => {
  const answered = (text: string) => {
    async function* body() {
      yield Buffer.from(text);
    }
    const answer = { status: 404, headers: {}, body: body() };
    return readAnswer(answer, { name: "Test", format: "xml", cap: 10, now: Date.now });
  };

  testRows(
    "a 404 with nothing, or with the standard's words, says that there is no data",
    ["", " \r\n", "Error 404: Not Found\n\nNo events were found.\n"],
    async (text) => {
      expect(await answered(text)).toEqual({ kind: "events", events: [], unreadable: [] });
    },
  );

  testRows(
    "a 404 of another kind is the agency's refusal, not an absence of events",
    [PAGE, "<h1>Not Found</h1>", '{"message": "no such route"}', "404 page not found\n"],
    async (text) => {
      await expect(answered(text)).rejects.toThrow(AgencyError);
    },
  );
});

test("QuakeML is none the less QuakeML with a page in a comment of it", () => {
  const text = document(xml("smi:a.bc/1")).replace("?>", "?><!-- <html> </html> -->");
  expect(read("xml", text)).toMatchObject({ events: [{ source_id: "1" }], faults: [] });
});

test("an event that cannot be read is told with its id, and those around it are read", () => {
  const without = ORIGIN.replace("-41.5", "somewhere");
  const ids = (bare: string) => ({ sourceId: bare, publicId: `smi:a.bc/${bare}` });
  const told = read(
    "xml",
    document(
      xml("smi:a.bc/1"),
      xml("smi:a.bc/2", without),
      xml("smi:a.bc/3"),
      xml("smi:a.bc/4", ""),
    ),
  );
  expect(told.events.map((event) => event["source_id"])).toEqual(["1", "3"]);
  const elements = expect.objectContaining({ origin: 1, pick: 0 });
  expect(told.unreadable).toEqual([
    { line: 4, ...ids("2"), message: `the event's latitude "somewhere" is not a number`, elements },
    { line: 6, ...ids("4"), message: "the event's origin has no time", elements },
  ]);
  const text = read("text", textHead(true) + line("1") + line("2", "", "yesterday") + line("3"));
  expect(text.events.map((event) => event["source_id"])).toEqual(["1", "3"]);
  expect(text.unreadable).toEqual([
    { line: 3, sourceId: "2", publicId: null, message: "the event has no valid time" },
  ]);
});

test("an event that cannot be read whole is told with the elements that are lost", () => {
  const pick = (id: string) =>
    `<pick publicID="smi:a.bc/${id}"><time><value>2024-05-07T08:24:10Z</value></time>` +
    '<waveformID networkCode="NZ" stationCode="WEL"/></pick>';
  const comment = "<comment><text>no place</text></comment>";
  const lost = `<event publicID="smi:a.bc/1">${pick("p1")}${pick("p2")}${comment}</event>\n`;
  const { events, unreadable } = read("xml", document(lost, xml("smi:a.bc/2")));
  expect(events).toHaveLength(1);
  expect(unreadable).toMatchObject([{ elements: { origin: 0, pick: 2, comment: 1 } }]);
});

describe("an answer in ISF", () => {
  const HEAD = "DATA_TYPE BULLETIN IMS1.0:short\nISC Bulletin\n";
  const text = HEAD + readFileSync(FIRST_ISF, "utf8").split("\n").slice(2).join("\n");

  test("an answer in ISF has the events with the ids that it gives", () => {
    const { events, faults } = read("isf", text);
    expect(events.map((event) => event["source_id"])).toEqual(["4021", "4022"]);
    expect(faults).toEqual([]);
  });

  test("an answer in ISF is read the same wherever it is cut", () => {
    const whole = read("isf", text);
    for (const size of [1, 7, 1023]) {
      expect(read("isf", text, { size })).toEqual(whole);
    }
  });

  test("an answer in ISF is cut wherever it ends before STOP, of whatever length", () => {
    const end = text.lastIndexOf("STOP") + 4;
    for (let length = HEAD.length; length < end; length += 1) {
      const { faults } = read("isf", text.slice(0, length), { isLengthKnown: true });
      expect(faults, `${length}`).toMatchObject([{ kind: "cut" }]);
    }
    expect(read("isf", text.slice(0, end)).faults).toEqual([]);
    expect(read("isf", `${text}</pre>\r\n</body></html>\n`).faults).toEqual([]);
  });

  test("an answer in ISF without events has none, and an empty answer is cut", () => {
    expect(read("isf", `${HEAD}STOP\n`)).toMatchObject({ events: [], unreadable: [], faults: [] });
    expect(read("isf", "").faults).toMatchObject([{ kind: "cut" }]);
  });
});

describe("events of a window that are there twice", () => {
  const event = (values: object): AgencyEvent => ({ time: "2024-05-07T08:24:09Z", ...values });
  const of = (...events: AgencyEvent[]) => ({
    events: events.map((one, i) => ({ event: one, line: i + 2 })),
    unreadable: [],
    answer: "May",
  });

  test("events of a window that are there twice are one, in the form that was made last", () => {
    const first = event({ source_id: "a", magnitude: 1, extra: { creation_time: "2024-05-08" } });
    const older = event({ source_id: "a", magnitude: 2, extra: { creation_time: "2024-05-07" } });
    const newer = event({ source_id: "a", magnitude: 3, extra: { creation_time: "2024-05-09" } });
    const staged = stageEvents([of(first, older), of(newer)]);
    const placed = { event: newer, line: 2, answer: "May" };
    expect(staged).toEqual({ events: [placed], unreadable: [], repeated: 2 });
  });

  test("events of a window that are there twice are all kept where it is only their bare id that is the same", () => {
    const one = event({ source_id: "a", extra: { public_id: "smi:a.bc/a" } });
    const other = event({ source_id: "a", extra: { public_id: "smi:d.ef/a" } });
    const { events, repeated } = stageEvents([of(one, other), of(one)]);
    expect(events).toMatchObject([{ event: one }, { event: other }]);
    expect(repeated).toBe(1);
  });

  test("events of a window that are there twice are both kept where they have no id", () => {
    expect(stageEvents([of(event({}), event({}))]).events).toHaveLength(2);
  });
});

describe("an answer that is compressed", () => {
  const answered = (body: AsyncIterable<Uint8Array>, format: AnswerFormat = "xml") =>
    readAnswer(
      { status: 200, headers: {}, body },
      { name: "Test", format, cap: 10, now: Date.now, maxMiB: 1 },
    );
  const events = [xml("smi:a.bc/1"), xml("smi:a.bc/2")];

  test("an answer that is compressed is read without being said to be", async () => {
    const bytes = gzipSync(document(...events));
    async function* body() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(await answered(body())).toMatchObject({ kind: "events", events: { length: 2 } });
  });

  test("an answer that is compressed and cut off is an agency's that cannot be reached", async () => {
    const bytes = gzipSync(document(...events));
    async function* body() {
      yield bytes.subarray(0, bytes.length - 20);
    }
    await expect(answered(body())).rejects.toThrow(AgencyUnavailable);
  });

  test.each([true, false])(
    "an answer of comments without end is refused once it is longer than it may be, compressed: %s",
    async (isCompressed) => {
      let taken = 0;
      const lines = Buffer.alloc(1024 * 1024, `#${"x".repeat(1_022)}\n`);
      // Members of gzip that follow each other are one file.
      const piece = isCompressed ? gzipSync(lines) : lines;
      async function* body() {
        const head = Buffer.from(textHead(true));
        yield isCompressed ? gzipSync(head) : head;
        for (; taken < 1_000; taken += 1) yield piece;
      }
      await expect(answered(body(), "text")).rejects.toThrow("Test's answer is larger than 1 MiB");
      expect(taken).toBeLessThan(isCompressed ? 1_000 : 10);
    },
  );
});
