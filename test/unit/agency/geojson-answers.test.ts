import { expect, test } from "vitest";
import type { AgencyEvent } from "#infra/agency/agency-event.ts";
import { type AnswerFault, createAnswerReader } from "#infra/agency/answer.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import { GEOJSON_TAIL, geojsonHead, writeFeature } from "../../support/agency/comcat-geojson.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";

function read(text: string) {
  const events: AgencyEvent[] = [];
  const unreadable: string[] = [];
  const faults: AnswerFault[] = [];
  const reader = createAnswerReader("geojson", {
    event: ({ event }) => events.push(event),
    unreadable: ({ message }) => unreadable.push(message),
    fault: (fault) => faults.push(fault),
  });
  reader.write(Buffer.from(text));
  atOnce(reader.end(false));
  return { events, unreadable, faults };
}

const SERVED = [...servedEvents(4, 3)];
const EVENTS = SERVED.map((event, i) => ({
  ...event,
  row: { ...event.row, source_id: `us${i}` },
  ids: [`us${i}`, `nc${i}`],
  updatedMs: 1_700_000_000_123 + i,
}));
const BODY = geojsonHead(3) + EVENTS.map(writeFeature).join(",\n") + GEOJSON_TAIL;

test("ComCat's features have their id, their time, all their ids, and when they changed", () => {
  const { events, unreadable, faults } = read(BODY);
  expect([unreadable, faults]).toEqual([[], []]);
  const [first] = events;
  expect(events.map(({ source_id }) => source_id)).toEqual(["us0", "us1", "us2"]);
  expect(Date.parse(first?.time ?? "")).toBe(Date.parse(String(SERVED[0]?.row["time"])));
  expect(first?.["extra"]).toMatchObject({ ids: ",us0,nc0,", updated: "2023-11-14T22:13:20.123Z" });
});

test("a document without features is an answer without events", () => {
  expect(read(geojsonHead(0) + GEOJSON_TAIL)).toEqual({ events: [], unreadable: [], faults: [] });
});

test("a document that is cut off anywhere is not taken for a whole one", () => {
  for (let end = 1; end < BODY.length; end += 1) {
    const { faults } = read(BODY.slice(0, end));
    expect([end, faults.length > 0]).toEqual([end, true]);
  }
});

test("a web page is no listing", () => {
  expect(read("<!DOCTYPE html><html><body>busy</body></html>").faults).toMatchObject([
    { kind: "foreign", content: "a web page" },
  ]);
});
