import { describe, expect, test } from "vitest";
import { AgencyError, AgencyUnavailable } from "#infra/agency/http/exchange.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { faultsInTurn } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { TestAgency, TestAgencyOptions } from "../../support/agency/test-agency.ts";
import { ALL, fetchAll, idsOf, useAgency, useClient } from "./use-agency.ts";

/** An event of an id with other values than usual. */
function event(source_id: string, values: ServedEvent["row"] = {}): ServedEvent {
  return {
    row: {
      source_id,
      time: "2020-01-01T00:00:00Z",
      latitude: -41,
      longitude: 174,
      depth: 10,
      magnitude: 3,
      magnitude_type: "ML",
      region: "Cook Strait",
      event_type: "earthquake",
      ...values,
    },
  };
}

const DETAILS = ["full", "summary"] as const;

async function fetchIds(events: readonly ServedEvent[], query: Partial<AgencyQuery>) {
  const agency = await useAgency({ events });
  const { client } = useClient(agency.url);
  const fetched = await fetchAll(client, { ...ALL, ...query });
  return { ids: idsOf(fetched.events), agency, ...fetched };
}

describe("an agency's limit", () => {
  test("an agency's limit is met by smaller windows, whichever way it says so", async () => {
    for (const overCap of ["413", "400", "silent"] as const) {
      const agency = await useAgency({ events: servedEvents(3, 200), cap: 15, overCap });
      const { client } = useClient(agency.url, { cap: 15 });
      const { events, batches } = await fetchAll(client, ALL);
      const served = agency.catalogue.events().map(({ row }) => String(row["source_id"]));
      expect(idsOf(events), overCap).toEqual(served.sort());
      const { progress } = batches.at(-1) ?? {};
      expect(progress, overCap).toEqual({ done: batches.length, total: batches.length });
    }
  });

  test("an agency's limit is met when a single answer is capped in silence", async () => {
    const agency = await useAgency({ events: servedEvents(3, 100), cap: 15 });
    agency.fail((_, attempt) => (attempt === 0 ? { kind: "capped" } : null));
    const { client } = useClient(agency.url, { cap: 15 });
    expect((await fetchAll(client, ALL)).events).toHaveLength(100);
  });

  test("an agency's limit is an error where one second holds more than it", async () => {
    const swarm = Array.from({ length: 30 }, (_, i) =>
      event(`s${i}`, { time: `2020-01-01T00:00:00.${String(i * 1_000).padStart(6, "0")}Z` }),
    );
    const agency = await useAgency({ events: swarm, cap: 20 });
    const { client } = useClient(agency.url, { cap: 20 });
    const failure = fetchAll(client, ALL);
    await expect(failure).rejects.toThrow(AgencyError);
    await expect(failure).rejects.toThrow(
      /more events between 2019-12-31T23:59:.* and 2020-01-01T00:00:.* than it gives at once/,
    );
  });

  test("an agency's limit is not neared: most answers hold less than half of it", async () => {
    const agency = await useAgency({ events: servedEvents(4, 1_000), cap: 100 });
    const { client } = useClient(agency.url, { cap: 100 });
    const { batches } = await fetchAll(client, { ...ALL, detail: "summary" });
    const small = batches.filter(({ events }) => events.length < 50).length;
    expect(small / batches.length).toBeGreaterThan(0.7);
  });
});

describe.each(DETAILS)("bounds of a query for %s", (detail) => {
  test("are inclusive where the agency's are exclusive", async () => {
    const events = [
      event("low", { magnitude: 3, depth: 10 }),
      event("high", { magnitude: 5, depth: 33 }),
      event("weak", { magnitude: 2.999, depth: 10 }),
      event("strong", { magnitude: 5.001, depth: 10 }),
      event("shallow", { magnitude: 4, depth: 9.999 }),
      event("deep", { magnitude: 4, depth: 33.001 }),
    ];
    const bounds = { minMagnitude: 3, maxMagnitude: 5, minDepth: 10, maxDepth: 33 };
    const { ids } = await fetchIds(events, { detail, ...bounds });
    expect(ids).toEqual(["high", "low"]);
  });

  test("take the first and the last instant, to the microsecond", async () => {
    const events = [
      event("before", { time: "2020-01-01T00:00:09.999999Z" }),
      event("first", { time: "2020-01-01T00:00:10Z" }),
      event("last", { time: "2020-01-01T00:00:20.000001Z" }),
      event("after", { time: "2020-01-01T00:00:20.000002Z" }),
    ];
    const span = { startTime: "2020-01-01T00:00:10Z", endTime: "2020-01-01T00:00:20.000001Z" };
    expect((await fetchIds(events, { detail, ...span })).ids).toEqual(["first", "last"]);
  });
});

test("text that is rounded is bounded as it reads, and no event is lost between windows", async () => {
  const agency = await useAgency({ events: servedEvents(5, 200), cap: 15, rounded: true });
  const { client } = useClient(agency.url, { cap: 15 });
  const { events } = await fetchAll(client, { ...ALL, detail: "summary", minMagnitude: 2 });
  const expected = agency.catalogue
    .events()
    .filter(({ row }) => Number(Number(row["magnitude"]).toFixed(1)) >= 2);
  expect(events).toHaveLength(expected.length);
  expect(new Set(idsOf(events)).size).toBe(expected.length);
});

test("an agency whose times are exclusive loses no event at the edges", async () => {
  const strict = { values: true, times: true };
  const agency = await useAgency({ events: servedEvents(6, 150), cap: 15, strict });
  const { client } = useClient(agency.url, { cap: 15 });
  expect((await fetchAll(client, ALL)).events).toHaveLength(150);
});

test("204 and 404 are no data", async () => {
  const agency = await useAgency();
  agency.fail(faultsInTurn(null, { kind: "status", status: 404 }));
  const { client } = useClient(agency.url);
  const { events, errors } = await fetchAll(client, ALL);
  expect([events, errors]).toEqual([[], []]);
  expect(agency.requests.length).toBeGreaterThan(2);
});

test("no event is lost where the agency cuts its answers off at 100 in silence, and the cap is found once", async () => {
  const agency = await useAgency({ events: servedEvents(8, 400), cap: 100, overCap: "silent" });
  const { client } = useClient(agency.url);
  const { events } = await fetchAll(client, ALL);
  const served = agency.catalogue.events().map(({ row }) => String(row["source_id"]));
  expect([...idsOf(events)].sort()).toEqual(served.sort());
  // With a cap of 100 windows are planned for 25 events.
  expect(agency.requests.length).toBeLessThan(200);
});

const PICKS = 3;
const STANDARD = ["includeallorigins", "includeallmagnitudes", "includearrivals"];

function events(count = 20) {
  return [...servedEvents(1, count)];
}

/** What the first requests asked for, beside bounds. */
function askedOf({ requests }: TestAgency): string[][] {
  return requests.map(({ parameters }) =>
    Object.keys(parameters).filter((name) => name.startsWith("include")),
  );
}

async function arrivalsFrom(agency: TestAgency, options: Parameters<typeof useClient>[1] = {}) {
  const { client } = useClient(agency.url, options);
  const { batches, errors } = await fetchAll(client, ALL);
  const placed = batches.flatMap((batch) => batch.events);
  const counts = placed.map(({ bulletin }) => bulletin?.counts.arrivals);
  return { arrivals: [...new Set(counts)], events: placed.length, errors };
}

test("an agency that gives arrivals only on request is asked for them where its description names them, not in a summary, nor where it describes nothing", async () => {
  const onRequest: TestAgencyOptions = { picks: PICKS, includes: [...STANDARD, "includecomments"] };
  const described = [...STANDARD, "includecomments", "limit"];
  const agency = await useAgency({ ...onRequest, events: events(), described });
  expect(await arrivalsFrom(agency)).toEqual({ arrivals: [PICKS], events: 20, errors: [] });
  const all = [...STANDARD, "includecomments"];
  expect(askedOf(agency)).toEqual(agency.requests.map(() => all));
  expect(agency.descriptions()).toBe(1);

  const silent = await useAgency({ ...onRequest, events: events() });
  expect(await arrivalsFrom(silent)).toEqual({ arrivals: [0], events: 20, errors: [] });
  expect(askedOf(silent).flat()).toEqual([]);

  const other = await useAgency({ ...onRequest, events: events(), described: STANDARD });
  await fetchAll(useClient(other.url).client, { ...ALL, detail: "summary" });
  expect([askedOf(other).flat(), other.descriptions()]).toEqual([[], 0]);
});

test("an agency that refuses what its description names is asked for less, and then no more for that", async () => {
  const agency = await useAgency({
    events: events(),
    picks: PICKS,
    includes: ["includearrivals"],
    described: ["includearrivals", "includeallorigins", "includecomments"],
  });
  expect(await arrivalsFrom(agency)).toEqual({ arrivals: [PICKS], events: 20, errors: [] });
  const [first, second, ...rest] = askedOf(agency);
  expect(first).toEqual(["includeallorigins", "includearrivals", "includecomments"]);
  expect(second).toEqual(["includeallorigins", "includearrivals"]);
  expect(rest.length).toBeGreaterThan(1);
  expect(rest).toEqual(rest.map(() => ["includearrivals"]));
});

test("an agency that refuses for another reason is told by its own words", async () => {
  const agency = await useAgency({ described: STANDARD, includes: STANDARD });
  agency.fail(() => ({ kind: "status", status: 400, text: "the time is malformed" }));
  const { client } = useClient(agency.url);
  await expect(fetchAll(client, ALL)).rejects.toThrow("400: Error 400: the time is malformed");
});

test("GeoNet is asked for nothing but what it gives, and not for its description", async () => {
  const agency = await useAgency({ events: events(), picks: PICKS, described: STANDARD });
  const { arrivals } = await arrivalsFrom(agency, { dialect: "geonet" });
  expect([arrivals, askedOf(agency).flat(), agency.descriptions()]).toEqual([[PICKS], [], 0]);
});

test("one second with too much of everything comes with less", async () => {
  const [event] = events(1);
  if (event === undefined) throw new Error("there is an event");
  const agency = await useAgency({
    events: [event],
    picks: PICKS,
    described: STANDARD,
    includes: STANDARD,
  });
  const isAskedForMore = (address: string) => address.includes("includearrivals");
  agency.fail((address) => (isAskedForMore(address) ? { kind: "status", status: 413 } : null));
  const { client } = useClient(agency.url);
  const startTime = String(event.row["time"]);
  const { batches } = await fetchAll(client, { ...ALL, startTime, endTime: startTime });
  const [placed] = batches.flatMap((batch) => batch.events);
  expect(placed?.bulletin?.counts).toMatchObject({ origins: 1, arrivals: 0 });
});

describe("ISC's ISF", () => {
  const isc: TestAgencyOptions = { picks: PICKS, includes: STANDARD, formats: ["isf"] };

  test("ISC's ISF is asked for with all that it gives, and read with its arrivals", async () => {
    const served = events().map(({ row }) => ({
      row: { ...row, region: "Çanakkale, Ege 尺度 🌋" },
    }));
    const agency = await useAgency({ ...isc, events: served });
    const { client } = useClient(agency.url, { dialect: "isc" });
    const fetched = await fetchAll(client, ALL);
    expect(fetched.errors).toEqual([]);
    const ids = agency.catalogue.events().map(({ row }) => String(row["source_id"]));
    expect(idsOf(fetched.events)).toEqual(ids.sort());
    const [placed] = fetched.batches.flatMap((batch) => batch.events);
    expect(placed?.bulletin?.counts).toMatchObject({ origins: 1, arrivals: PICKS, picks: PICKS });
    expect(placed?.event).toMatchObject({ region: "Çanakkale, Ege 尺度 🌋" });
    expect(agency.requests[0]?.parameters["format"]).toBe("isf");
    expect(agency.descriptions()).toBe(0);
  });

  test("ISC's ISF that is cut is asked for again, and is an error where it stays so", async () => {
    for (const kind of ["truncated", "closed", "ended", "reset"] as const) {
      const agency = await useAgency({ ...isc, events: events() });
      agency.fail(faultsInTurn({ kind }));
      expect(await arrivalsFrom(agency, { dialect: "isc" }), kind).toMatchObject({ events: 20 });
      agency.fail(() => ({ kind }));
      await expect(arrivalsFrom(agency, { dialect: "isc", retries: 1 }), kind).rejects.toThrow(
        AgencyUnavailable,
      );
    }
  });

  test("ISC's ISF that is something else is told so", async () => {
    const agency = await useAgency({ ...isc, events: events() });
    agency.fail(() => ({ kind: "page" }));
    const fetching = arrivalsFrom(agency, { dialect: "isc", retries: 0 });
    await expect(fetching).rejects.toThrow("answered a web page where ISF was asked for");
    await expect(fetching).rejects.toThrow(AgencyError);
  });
});

test("an answer with bulletins that are larger together than usual is asked for in parts", async () => {
  const picks = 2_000;
  const agency = await useAgency({ events: events(8), picks });
  const { client } = useClient(agency.url, { cap: 20 });
  const { batches, events: fetched } = await fetchAll(client, ALL);
  expect(fetched).toHaveLength(8);
  const most = Math.max(...batches.map((batch) => batch.events.length));
  expect(most).toBeLessThan(8);
});
