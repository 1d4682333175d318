import { onTestFinished } from "vitest";
import type { ServiceDialect } from "#contracts/agency.ts";
import { createCircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import type {
  ImportEnd,
  ScheduledEnd,
  ScheduledRun,
} from "#services/commands/import/import-worker.ts";
import { createImporter, type Importer } from "#services/commands/import/importer.ts";
import { type ImportRequest, runImport } from "#services/commands/import/run-import.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import type { TestAgency } from "../../support/agency/test-agency.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { newCommand, type TestCatalogues } from "../catalogues/use-catalogues.ts";

type RunOptions = Partial<Pick<ImportRequest, "filters" | "detail" | "updateExisting" | "window">> &
  Partial<ScheduledRun> & { readonly agencyId?: string };

/** Runs of a schedule, one after the other, without the scheduler: each begins with what the last one knew. */
export function useScheduledRuns(
  catalogues: TestCatalogues,
  agency: TestAgency,
  dialect: ServiceDialect,
) {
  const breaker = createCircuitBreaker({ name: "agency", failures: 1_000 });
  const { threads, close } = openGatewayThreads();
  const importer = createImporter(threads.imports, {
    databaseUrl: catalogues.databaseUrl,
    gateOf: () => ({ breaker, slots: createRequestSlots(2) }),
  });
  onTestFinished(async () => {
    await close();
    breaker.close();
  });
  let catalogueId: string | null = null;
  let known: Uint8Array | null = null;
  let missed: ScheduledRun["missed"];

  return {
    catalogueId: () => catalogueId ?? "",
    async run(options: RunOptions = {}, isScheduled = true) {
      const { agencyId = "agency", updatedAfter = null, isThorough = false } = options;
      const scheduled: ScheduledRun = {
        agencyId,
        updatedAfter,
        isThorough,
        known,
        missed,
        withdrawn: options.withdrawn ?? "remove",
        pushed: [],
      };
      let end: ScheduledEnd | undefined;
      const asScheduled: Importer = {
        run: (task, run, use) =>
          importer.run(isScheduled ? { ...task, scheduled } : task, run, (running) =>
            use({
              chunks: running.chunks,
              end: async (): Promise<ImportEnd> => {
                const ended = await running.end();
                if (ended.outcome === "imported") end = ended.scheduled;
                return ended;
              },
            }),
          ),
      };
      const imported = await runImport(
        { context: catalogues.context, importer: asScheduled },
        newCommand(),
        {
          agency: {
            id: agencyId,
            name: "Agency",
            url: agency.url,
            dialect,
            requestsAtOnce: 2,
            userAgent: "test",
            timeoutMs: 60_000,
            retries: 0,
          },
          catalogueId,
          name: "kept current",
          window: options.window ?? { start: "2014-01-01T00:00:00Z", end: "2024-01-01T00:00:00Z" },
          filters: options.filters ?? UNBOUNDED,
          detail: options.detail ?? "full",
          updateExisting: options.updateExisting ?? true,
        },
        { ...NOBODY, onProgress: () => {} },
      );
      catalogueId = imported.catalogueId;
      known = end?.known ?? known;
      if (end?.isWhole) missed = end.withheld?.missed;
      return { ...imported, scheduled: end };
    },
  };
}
