import { describe, expect, test } from "vitest";
import type { AgencyEvent } from "#infra/agency/agency-event.ts";
import { createAnswerReader, type UnreadableRow } from "#infra/agency/answer-reader.ts";
import { stageEvents } from "#infra/agency/staged-events.ts";
import { TEXT_HEAD } from "../../support/agency/geonet-text.ts";
import { XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";

type Told = {
  readonly events: AgencyEvent[];
  readonly unreadable: UnreadableRow[];
  readonly broken: { line: number; message: string }[];
};

function read(detail: "full" | "summary", text: string, size = text.length || 1): Told {
  const told: Told = { events: [], unreadable: [], broken: [] };
  const reader = createAnswerReader(detail, {
    event: (event) => told.events.push(event),
    unreadable: (row) => told.unreadable.push(row),
    broken: (line, message) => told.broken.push({ line, message }),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  reader.end();
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
  test.each([
    ["smi:nz.org.geonet/2024p344188", "2024p344188"],
    ["quakeml:us.anss.org/event/us7000abcd", "us7000abcd"],
    [
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=us6000kawn&format=quakeml",
      "us6000kawn",
    ],
    ["smi:webservices.ingv.it/fdsnws/event/1/query?eventId=123", "123"],
    ["smi:local.catalogue/event/2024p344188", "2024p344188"],
  ])("in %s is %s, in QuakeML and in text", (publicId, id) => {
    const [full] = read("full", document(xml(publicId.replace("&", "&amp;")))).events;
    const [summary] = read("summary", TEXT_HEAD + line(id)).events;
    expect([full?.["source_id"], summary?.["source_id"]]).toEqual([id, id]);
    if (!publicId.startsWith("smi:local")) expect(full?.["extra"]).toEqual({ public_id: publicId });
  });

  test("is bare in text that gives the public one, which is kept", () => {
    const [event] = read("summary", TEXT_HEAD + line("smi:nz.org.geonet/2024p344188")).events;
    expect(event?.["source_id"]).toBe("2024p344188");
    expect(event?.["extra"]).toMatchObject({ public_id: "smi:nz.org.geonet/2024p344188" });
  });
});

test("text has the canonical names, and what has none under extra", () => {
  const [event] = read("summary", TEXT_HEAD + line("2024p1", "duplicate")).events;
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

describe.each([
  ["full", document(xml("smi:nz.org.geonet/2024p1"), xml("smi:nz.org.geonet/2024p2"))],
  ["summary", TEXT_HEAD + line("2024p1") + line("2024p2")],
] as const)("an answer in %s", (detail, text) => {
  test("is read the same wherever it is cut", () => {
    const whole = read(detail, text);
    expect(whole.events).toHaveLength(2);
    for (const size of [1, 2, 7, 255, 256, 257]) expect(read(detail, text, size)).toEqual(whole);
  });

  test("that is cut off within an event is broken", () => {
    const cut = read(detail, text.slice(0, detail === "full" ? -80 : -40));
    expect(cut.broken).toHaveLength(1);
    expect(cut.events).toHaveLength(1);
  });
});

describe("an answer without events", () => {
  test.each([
    ["full", document()],
    ["summary", TEXT_HEAD],
    ["summary", ""],
  ] as const)("in %s has none, and nothing is wrong with it", (detail, text) => {
    expect(read(detail, text)).toEqual({ events: [], unreadable: [], broken: [] });
  });
});

test.each([
  ["full", ""],
  ["full", "<html><body>Maintenance</body></html>"],
  ["full", "Service is down for maintenance"],
  ["summary", "Service is down for maintenance\n"],
  ["summary", "Service is down\nfor maintenance | please wait\n"],
] as const)("in %s, %j is broken and not empty", (detail, text) => {
  const { events, broken } = read(detail, text);
  expect(events).toEqual([]);
  expect(broken.length).toBeGreaterThan(0);
});

test("an event that cannot be read is told with its id, and those around it are read", () => {
  const without = ORIGIN.replace("-41.5", "somewhere");
  const told = read(
    "full",
    document(
      xml("smi:a.bc/1"),
      xml("smi:a.bc/2", without),
      xml("smi:a.bc/3"),
      xml("smi:a.bc/4", ""),
    ),
  );
  expect(told.events.map((event) => event["source_id"])).toEqual(["1", "3"]);
  expect(told.unreadable).toEqual([
    { line: 4, sourceId: "2", message: `the event's latitude "somewhere" is not a number` },
    { line: 6, sourceId: "4", message: "the event's origin has no time" },
  ]);
  const text = read("summary", TEXT_HEAD + line("1") + line("2", "", "yesterday") + line("3"));
  expect(text.events.map((event) => event["source_id"])).toEqual(["1", "3"]);
  expect(text.unreadable).toEqual([
    { line: 3, sourceId: "2", message: "the event has no valid time" },
  ]);
});

describe("events of a window that are there twice", () => {
  const event = (values: object): AgencyEvent => ({ time: "2024-05-07T08:24:09Z", ...values });
  const of = (...events: AgencyEvent[]) => ({ events, unreadable: [] });

  test("are one, in the form that was made last", () => {
    const first = event({ source_id: "a", magnitude: 1, extra: { creation_time: "2024-05-08" } });
    const older = event({ source_id: "a", magnitude: 2, extra: { creation_time: "2024-05-07" } });
    const newer = event({ source_id: "a", magnitude: 3, extra: { creation_time: "2024-05-09" } });
    const staged = stageEvents([of(first, older), of(newer)]);
    expect(staged).toEqual({ events: [newer], unreadable: [], repeated: 2 });
  });

  test("are told where it is only their bare id that is the same", () => {
    const one = event({ source_id: "a", extra: { public_id: "smi:a.bc/a" } });
    const other = event({ source_id: "a", extra: { public_id: "smi:d.ef/a" } });
    const { events, unreadable } = stageEvents([of(one, other)]);
    expect(events).toEqual([one]);
    expect(unreadable).toEqual([
      { sourceId: "a", line: null, message: "smi:d.ef/a has the id of smi:a.bc/a" },
    ]);
  });

  test("are both kept where they have no id", () => {
    expect(stageEvents([of(event({}), event({}))]).events).toHaveLength(2);
  });
});
