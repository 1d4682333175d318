import { describe, expect, test } from "vitest";
import { AgencyError, AgencyUnavailable } from "#infra/agency/http/errors.ts";
import { faultsInTurn } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { TestAgency, TestAgencyOptions } from "../../support/agency/test-agency.ts";
import { ALL, fetchAll, idsOf, useAgency, useClient } from "./use-agency.ts";

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
