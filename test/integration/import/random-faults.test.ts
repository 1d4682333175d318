import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import { createRequestSlots, NOBODY } from "#infra/kernel/fair-queue.ts";
import { toIsoTime } from "#projections/read/copied-rows.ts";
import { createImporter } from "#services/imports/agencies.ts";
import { runImport } from "#services/imports/run.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { type Fault, PASSING, randomFaults } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency } from "../../support/agency/test-agency.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";

const EVENTS = 100_000;
const SEED = 1855;
/** Those that ask for no patience: nothing of it would be tested here that the client's tests have not. */
const FAULTS: readonly Fault[] = [...PASSING, { kind: "drip" }, { kind: "capped" }];
const NAMES = ["source_id", "latitude", "longitude", "depth", "magnitude", "region", "event_type"];

const catalogues = useCatalogues();

function essence(row: JsonObject): string {
  return JSON.stringify([row["time"], ...NAMES.map((name) => row[name])]);
}

/** What the read model has of all events of the catalogues, as the agency has it. */
async function visibleEvents(): Promise<string[]> {
  const { rows } = await catalogues.projectorPool.query<JsonObject>(
    `select time::text, time_digits, ${NAMES.join(", ")} from read_model.seismic_events
     where revision_from = 1 and revision_to is null`,
  );
  return rows.map((row) =>
    essence({ ...row, time: toIsoTime(String(row["time"]), Number(row["time_digits"])) }),
  );
}

test("an import of 100,000 events from an agency that fails at random is whole and exact", async () => {
  const agency = await startTestAgency({ events: servedEvents(SEED, EVENTS), cap: 10_000 });
  agency.fail(randomFaults(SEED, { faults: FAULTS }));
  // It has its own tests; here it would end the run.
  const breaker = createCircuitBreaker({ name: "agency", failures: 1_000 });
  const { threads, close } = openGatewayThreads(catalogues.databaseUrl);
  const importer = createImporter(threads.imports, () => ({
    breaker,
    slots: createRequestSlots(2),
  }));
  onTestFinished(async () => {
    await close();
    breaker.close();
    await agency.close();
  });
  const { tally, version } = await runImport(
    { context: catalogues.context, importer },
    newCommand(),
    {
      agency: {
        id: "agency",
        name: "agency",
        url: agency.url,
        requestsAtOnce: 2,
        userAgent: "test",
        timeoutMs: 2_000,
        retries: 40,
        backoffMs: 1,
      },
      catalogueId: null,
      name: "imported",
      window: { start: "2014-01-01T00:00:00Z", end: "2024-01-01T00:00:00Z" },
      filters: UNBOUNDED,
      detail: "summary",
      updateExisting: false,
    },
    { ...NOBODY, onProgress: () => {} },
  );
  expect(version).toBe(1);
  expect(tally).toMatchObject({ totalFetched: EVENTS, newEvents: EVENTS, errors: [] });
  expect(agency.requests.filter(({ fault }) => fault !== null).length).toBeGreaterThan(9);
  const expected = agency.catalogue.events().map(({ row }) => essence(row));
  expect((await visibleEvents()).sort()).toEqual(expected.sort());
});
