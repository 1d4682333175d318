import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import type { AgencyEvent, PlacedEvent } from "#infra/agency/answer.ts";
import type { AgencyQuery, AnswerForm } from "#infra/agency/query.ts";
import {
  type AgencyBatch,
  type Ask,
  createWindowReader,
  walkWindows,
} from "#infra/agency/windows.ts";
import { GEONET, parseFdsnQuery } from "../../support/agency/fdsn-query.ts";
import { createServedCatalogue, type ServedEvent } from "../../support/agency/served-catalogue.ts";
import { runs } from "../../support/runs.ts";

const START = "2020-01-01T00:00:00Z";
const START_MICROS = timeToMicros(START);
const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;

type Agency = {
  readonly cap: number;
  /** Its bounds of time are exclusive. */
  readonly strict: boolean;
  /** It shows whole seconds. */
  readonly rounded: boolean;
};

function eventAt(offsetMicros: number, index: number): ServedEvent {
  const time = microsToTime(START_MICROS + BigInt(offsetMicros), 6);
  const place = { latitude: -41, longitude: 174, depth: 10, magnitude: 3 };
  return { row: { source_id: `eq${index}`, time, ...place } };
}

function shown(event: ServedEvent, { rounded }: Agency): AgencyEvent {
  const time = String(event.row["time"]);
  return { ...event.row, time: rounded ? `${time.slice(0, 19)}Z` : time };
}

/** An agency without HTTP between. */
function askOf(events: readonly ServedEvent[], agency: Agency, asked: string[] = []): Ask {
  const catalogue = createServedCatalogue(events);
  return async (url) => {
    asked.push(url.search);
    const query = parseFdsnQuery(url.searchParams, {
      ...GEONET,
      strict: { values: true, times: agency.strict },
    });
    if (typeof query === "string") throw new Error(query);
    const found = catalogue.select(query);
    if (found.length > agency.cap) return { kind: "tooMuch" };
    const events = found.map((one, i) => ({ event: shown(one, agency), line: i + 2 }));
    return { kind: "events", events, unreadable: [] };
  };
}

const TEXT: AnswerForm = { format: "text", includes: [[]] };

async function walk(ask: Ask, span: Pick<AgencyQuery, "startTime" | "endTime">, cap: number) {
  const query: AgencyQuery = { ...span, detail: "summary" };
  const reader = createWindowReader("http://agency/fdsnws/event/1", query, TEXT, ask);
  const batches: AgencyBatch[] = [];
  const { signal } = new AbortController();
  for await (const batch of walkWindows(query, reader, {
    name: "Agency",
    cap: () => cap,
    signal,
  })) {
    batches.push(batch);
  }
  return { batches, ids: batches.flatMap(({ events }) => idsOf(events)).sort() };
}

const idOf = (event: AgencyEvent) => String(event["source_id"]);
const idsOf = (placed: readonly PlacedEvent[]) => placed.map(({ event }) => idOf(event));

/** Clusters of up to ten events within two seconds, from seconds to years apart. */
const offsets = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.integer({ min: 10, max: 100 }), fc.integer({ min: 10, max: 3_000_000 })),
      within: fc.array(fc.integer({ min: 0, max: 2 * SECOND }), { minLength: 1, maxLength: 10 }),
    }),
    { maxLength: 40 },
  )
  .map((clusters) => {
    let at = 0;
    return clusters.flatMap(({ gap, within }) => {
      at += gap * SECOND;
      return within.map((offset) => at + offset);
    });
  });

const span = fc
  .tuple(fc.maxSafeNat(), fc.maxSafeNat(), fc.boolean())
  .map(([a, b, onEvents]) => ({ a, b, onEvents }));

/** Bounds anywhere, or on events. */
function boundsOf({ a, b, onEvents }: { a: number; b: number; onEvents: boolean }, at: number[]) {
  const last = (at.at(-1) ?? 0) + SECOND;
  const pick = (n: number) => (onEvents ? (at[n % Math.max(1, at.length)] ?? 0) : n % last);
  const [from, to] = [pick(a), pick(b)].sort((x, y) => x - y);
  return [from ?? 0, to ?? 0].map((offset) => START_MICROS + BigInt(offset));
}

describe("the windows of a query", () => {
  test("neither lose nor repeat an event, whatever the agency makes of their bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        offsets,
        span,
        fc.record({
          cap: fc.integer({ min: 12, max: 60 }),
          strict: fc.boolean(),
          rounded: fc.boolean(),
        }),
        async (at, bounds, agency) => {
          const events = at.map(eventAt);
          const [from = 0n, to = 0n] = boundsOf(bounds, at);
          const [startTime, endTime] = [microsToTime(from, 6), microsToTime(to, 6)];
          const expected = events
            .map((event) => shown(event, agency))
            .filter(({ time }) => timeToMicros(time) >= from && timeToMicros(time) <= to);

          const ask = askOf(events, agency);
          const { ids, batches } = await walk(ask, { startTime, endTime }, agency.cap);

          expect(ids).toEqual(expected.map(idOf).sort());
          expect(batches.map(({ progress }) => progress.done)).toEqual(
            batches.map((_, i) => i + 1),
          );
          expect(batches.at(-1)?.progress.total).toBe(batches.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test("the windows of a query meet at an instant that belongs to one of them", async () => {
    const events = [-1, 0, 1, 60 * DAY, 60 * DAY + 1].map((offset, i) =>
      eventAt(30 * DAY + offset, i),
    );
    const exact = { cap: 1_000, strict: false, rounded: false };
    const query = { startTime: START, endTime: "2021-01-01T00:00:00Z" };
    const { ids, batches } = await walk(askOf(events, exact), query, 1_000);
    expect(ids).toEqual(["eq0", "eq1", "eq2", "eq3", "eq4"]);
    expect(idsOf(batches[0]?.events ?? [])).toEqual(["eq0"]);
  });

  test("the windows of a query grow fourfold each time where events are few: 120 years take nine", async () => {
    const asked: string[] = [];
    const none = askOf([], { cap: 1_000, strict: false, rounded: false }, asked);
    await walk(none, { startTime: "1900-01-01T00:00:00Z", endTime: START }, 1_000);
    expect(asked).toHaveLength(9);
  });

  test("the windows of a query hold one instant when the query does", async () => {
    const events = [0, 1, 2].map(eventAt);
    const query = {
      startTime: `${START.slice(0, -1)}.000001Z`,
      endTime: `${START.slice(0, -1)}.000001Z`,
    };
    const ask = askOf(events, { cap: 10, strict: true, rounded: false });
    expect((await walk(ask, query, 10)).ids).toEqual(["eq1"]);
  });

  test("the windows of a query reach from the first year to the last", async () => {
    const events = [0].map(eventAt);
    const query = { startTime: "0001-01-01T00:00:00Z", endTime: "9999-12-31T23:59:59.999999Z" };
    const ask = askOf(events, { cap: 10, strict: false, rounded: false });
    expect((await walk(ask, query, 10)).ids).toEqual(["eq0"]);
  });

  test("the windows of a query are none where the query's end is before its start", async () => {
    const asked: string[] = [];
    const ask = askOf([], { cap: 10, strict: false, rounded: false }, asked);
    const query = { startTime: "2020-01-02T00:00:00Z", endTime: START };
    expect((await walk(ask, query, 10)).batches).toEqual([]);
    expect(asked).toEqual([]);
  });
});

test("a row that cannot be read and lies in two answers is told once", async () => {
  const message = "the event has no latitude";
  const unreadable = [
    { message, sourceId: "1", publicId: "smi:a.bc/2024/1", line: 7 },
    { message, sourceId: "1", publicId: "smi:a.bc/2025/1", line: 9 },
    { message, sourceId: "2024p1", publicId: null, line: 11 },
  ];
  const ask: Ask = async () => ({ kind: "events", events: [], unreadable });
  const query = { startTime: START, endTime: "2021-01-01T00:00:00Z" };
  const { batches } = await walk(ask, query, 1_000);
  expect(batches.length).toBeGreaterThan(1);
  const answer = "2020-01-01T00:00:00.000000Z to 2020-01-30T23:59:59.999999Z";
  const told = unreadable.map((row) => ({ ...row, answer }));
  expect(batches.flatMap(({ errors }) => errors)).toEqual(told);
});

test("events of a box that is asked for in parts say from which part they are", async () => {
  const events = [-170, 170].map((longitude, i) => {
    const { row } = eventAt(SECOND, i);
    return { row: { ...row, longitude } };
  });
  const span = { startTime: START, endTime: "2020-01-02T00:00:00Z" };
  const query: AgencyQuery = { ...span, detail: "summary", minLongitude: 160, maxLongitude: -160 };
  const ask = askOf(events, { cap: 10, strict: false, rounded: false });
  const reader = createWindowReader("http://agency/fdsnws/event/1", query, TEXT, ask);
  const { signal } = new AbortController();
  const { value: first } = await walkWindows(query, reader, {
    name: "",
    cap: () => 10,
    signal,
  }).next();
  const window = "2020-01-01T00:00:00.000000Z to 2020-01-02T00:00:00.000000Z";
  expect(first?.events).toMatchObject([
    { event: { source_id: "eq1" }, line: 2, answer: `${window}, longitudes 159.999 to 180` },
    { event: { source_id: "eq0" }, line: 2, answer: `${window}, longitudes -180 to -159.999` },
  ]);
});
