import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ServiceDialect } from "#contracts/events/imports.ts";
import { createAgencyClient } from "#infra/agency/agency-client.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { createScheduledReading, type ReadingOptions } from "#services/imports/reading.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import {
  startTestAgency,
  type TestAgency,
  type TestAgencyOptions,
} from "../../support/agency/test-agency.ts";
import { runs } from "../../support/runs.ts";

const QUERY: AgencyQuery = {
  startTime: "2015-01-01T00:00:00Z",
  endTime: "2022-12-31T23:59:59Z",
  detail: "full",
};
const EVENTS = [...servedEvents(5, 120)];
const START_MS = Date.parse("2023-01-01T00:00:00Z");
const HOUR_MS = 3_600_000;
const DIALECTS = ["geonet", "comcat", "fdsn", "isc", "emsc"] as const;

type Scene = { readonly agency: TestAgency; readonly dialect: ServiceDialect };

async function useDialect(
  dialect: (typeof DIALECTS)[number],
  options: TestAgencyOptions = {},
): Promise<Scene> {
  const agency = await startTestAgency({ dialect, rounded: false, ...options });
  onTestFinished(agency.close);
  return { agency, dialect };
}

async function readOnce(
  { agency, dialect }: Scene,
  query: AgencyQuery,
  options: Partial<ReadingOptions>,
) {
  const client = createAgencyClient({
    url: agency.url,
    name: "Agency",
    dialect,
    breaker: { run: (request) => request() },
    userAgent: "test",
    retries: 0,
  });
  const before = agency.requests.length;
  const reading = createScheduledReading(client, query, {
    updatedAfter: null,
    isThorough: false,
    known: null,
    pushed: [],
    updateExisting: true,
    nowMs: START_MS,
    ...options,
  });
  const ids: string[] = [];
  let unchanged = 0;
  const errors: string[] = [];
  for await (const batch of reading.batches(new AbortController().signal)) {
    for (const { imported } of batch.events) {
      if (imported.outcome === "event") ids.push(imported.ids.sourceId ?? "");
    }
    errors.push(...batch.errors.map(({ message }) => message));
    unchanged += batch.unchanged;
  }
  client.close();
  const asked = agency.requests.slice(before).map(({ parameters }) => parameters);
  return { reading, ids: ids.sort(), unchanged, errors, asked, known: reading.known() };
}

const idOf = ({ row }: ServedEvent) => String(row["source_id"]);

function corrected(event: ServedEvent, magnitude: number, updatedMs: number): ServedEvent {
  return { ...event, row: { ...event.row, magnitude }, updatedMs };
}

const anyChange = fc.oneof(
  fc.record({ kind: fc.constant("correct" as const), place: fc.nat(119), by: fc.nat(400) }),
  fc.record({ kind: fc.constant("delete" as const), place: fc.nat(119) }),
  fc.record({ kind: fc.constant("again" as const), place: fc.nat(119) }),
);

test.each(DIALECTS)("what moved is asked for in full, and nothing else (%s)", async (dialect) => {
  const scene = await useDialect(dialect);
  const { catalogue } = scene.agency;
  const anyStep = fc.array(anyChange, { maxLength: 8 });
  const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 4 }), async (steps) => {
    for (const event of EVENTS) catalogue.replace(idOf(event), event);
    let at = START_MS;
    let last = await readOnce(scene, QUERY, { nowMs: at });
    expect(last.ids).toEqual(EVENTS.map(idOf).sort());
    for (const step of steps) {
      at += HOUR_MS;
      const before = new Map(catalogue.events().map((event) => [idOf(event), event]));
      for (const change of step) {
        const event = EVENTS[change.place] as ServedEvent;
        if (change.kind === "delete") catalogue.replace(idOf(event), null);
        else {
          const by = change.kind === "correct" ? change.by : 0;
          catalogue.replace(idOf(event), corrected(event, 1 + by / 100, at));
        }
      }
      const now = catalogue.events();
      const moved = now.filter((event) => {
        const known = before.get(idOf(event));
        return JSON.stringify(known) !== JSON.stringify(event);
      });
      // Text does not have the time of a change: what is as it was did not move.
      const isSeen = (event: ServedEvent) =>
        dialect === "comcat" ||
        dialect === "isc" ||
        JSON.stringify(before.get(idOf(event))?.row) !== JSON.stringify(event.row);
      last = await readOnce(scene, QUERY, { nowMs: at, known: last.known });
      expect(last.ids).toEqual(moved.filter(isSeen).map(idOf).sort());
      expect(last.unchanged).toBe(now.length - last.ids.length);
      const isThere = EVENTS.map((event) => last.reading.isPresent(idOf(event)));
      expect(isThere).toEqual(EVENTS.map((event) => now.some((one) => idOf(one) === idOf(event))));
      if (last.ids.length === 0) expect(last.asked).toHaveLength(1);
    }
  });
  await fc.assert(property, { numRuns: runs(15) });
});

test("once a day, where a listing rounds, everything is asked for in full", async () => {
  const scene = await useDialect("geonet", { rounded: true, events: EVENTS });
  const first = await readOnce(scene, QUERY, {});
  const [event] = EVENTS;
  if (event === undefined) throw new Error("no event was generated");
  const little = { ...event, row: { ...event.row, magnitude_uncertainty: 0.123 } };
  scene.agency.catalogue.replace(idOf(event), little);
  const light = await readOnce(scene, QUERY, { known: first.known, nowMs: START_MS + HOUR_MS });
  expect(light.ids).toEqual([]);
  const later = { known: light.known, nowMs: START_MS + 23 * HOUR_MS };
  const thorough = await readOnce(scene, QUERY, later);
  expect(thorough.ids).toEqual(EVENTS.map(idOf).sort());
  const after = { known: thorough.known, nowMs: START_MS + 24 * HOUR_MS };
  expect((await readOnce(scene, QUERY, after)).ids).toEqual([]);
});

test("what changed since a time is listed and read alone, and known from then on", async () => {
  const scene = await useDialect("comcat", { events: EVENTS });
  const first = await readOnce(scene, QUERY, {});
  const [one, other] = EVENTS as [ServedEvent, ServedEvent];
  scene.agency.catalogue.replace(idOf(one), corrected(one, 4.4, START_MS));
  const updatedAfter = new Date(START_MS - HOUR_MS).toISOString();
  const some = await readOnce(scene, QUERY, { known: first.known, updatedAfter });
  expect(some.ids).toEqual([idOf(one)]);
  expect(some.reading.isWhole()).toBe(false);
  expect(some.asked[0]).toMatchObject({ format: "geojson", updatedafter: "2022-12-31T23:00:00" });
  const again = await readOnce(scene, QUERY, { known: some.known, updatedAfter });
  expect([again.ids, again.unchanged, again.asked.length]).toEqual([[], 1, 1]);
  scene.agency.catalogue.replace(idOf(other), null);
  const whole = await readOnce(scene, QUERY, { known: again.known });
  expect([whole.ids, whole.asked.length, whole.reading.isWhole()]).toEqual([[], 1, true]);
  expect(whole.reading.isPresent(idOf(other))).toBe(false);
});

test.each(["geonet", "fdsn", "emsc"] as const)(
  "what an agency says it changed is read in full, though its listing does not show the change (%s)",
  async (dialect) => {
    const scene = await useDialect(dialect, { rounded: true, events: EVENTS });
    const first = await readOnce(scene, QUERY, {});
    const [event] = EVENTS as [ServedEvent];
    const little = { ...event, row: { ...event.row, magnitude_uncertainty: 0.123 } };
    scene.agency.catalogue.replace(idOf(event), { ...little, updatedMs: START_MS });
    const updatedAfter = new Date(START_MS - HOUR_MS).toISOString();
    const some = await readOnce(scene, QUERY, { known: first.known, updatedAfter });
    expect(some.ids).toEqual([idOf(event)]);
  },
);

test("an event that the agency moves out of the bounds is there no more, however near to them", async () => {
  const query = { ...QUERY, minMagnitude: 3 };
  const scene = await useDialect("geonet");
  const [event] = EVENTS as [ServedEvent];
  scene.agency.catalogue.add(corrected(event, 3.02, 0));
  const inside = await readOnce(scene, query, {});
  expect([inside.ids, inside.reading.isPresent(idOf(event))]).toEqual([[idOf(event)], true]);
  scene.agency.catalogue.replace(idOf(event), corrected(event, 2.99, 0));
  const outside = await readOnce(scene, query, { known: inside.known });
  expect([outside.ids, outside.reading.isPresent(idOf(event))]).toEqual([[], false]);
  const later = await readOnce(scene, query, { known: outside.known });
  expect([later.asked.length, later.reading.isPresent(idOf(event))]).toEqual([1, false]);
});

test("a summary is what is listed: nothing is asked for twice", async () => {
  const scene = await useDialect("geonet", { events: EVENTS });
  const query: AgencyQuery = { ...QUERY, detail: "summary" };
  const first = await readOnce(scene, query, {});
  expect(first.ids).toEqual(EVENTS.map(idOf).sort());
  const second = await readOnce(scene, query, { known: first.known, isThorough: true });
  expect([second.ids, second.unchanged, second.asked.length]).toEqual([[], EVENTS.length, 1]);
});
