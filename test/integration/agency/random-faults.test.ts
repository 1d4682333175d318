import { describe, expect, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { AgencyEvent } from "#infra/agency/answer.ts";
import type { AgencyQuery } from "#infra/agency/query.ts";
import { randomFaults } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { ALL, fetchAll, useAgency, useClient } from "./use-agency.ts";

const EVENTS = 100_000;
const SEED = 2026;

/** What both formats carry. */
function essence(event: JsonObject): string {
  const { source_id, time, latitude, longitude, depth, magnitude, region, event_type } = event;
  return JSON.stringify([
    source_id,
    time,
    latitude,
    longitude,
    depth,
    magnitude,
    region,
    event_type,
  ]);
}

describe("an agency that fails in every way at random", () => {
  test.each(["full", "summary"] as const)(
    "an agency that fails in every way at random gives 100,000 events in %s, each once and as it has them in the end",
    async (detail) => {
      const agency = await useAgency({ events: servedEvents(SEED, EVENTS), cap: 10_000 });
      agency.fail(randomFaults(SEED, { share: 0.7, mostInTurn: 4 }));
      const { client } = useClient(agency.url, { retries: 40, timeoutMs: 500 });
      const expected = agency.catalogue.events().map(({ row }) => essence(row));

      const { events, errors, batches } = await fetchAll(client, { ...ALL, detail } as AgencyQuery);

      expect(errors).toEqual([]);
      expect(events.map((event: AgencyEvent) => essence(event)).sort()).toEqual(expected.sort());
      expect(Math.max(...batches.map((batch) => batch.events.length))).toBeLessThan(10_000);
      expect(new Set(agency.requests.map(({ fault }) => fault?.kind)).size).toBeGreaterThan(9);
    },
  );
});
