import type { ImportBody, ImportResult } from "#contracts/http/imports.ts";
import { listImports } from "#projections/queries/catalogues/catalogue-queries.ts";
import {
  type ImportedCatalogue,
  importEventsCommand,
} from "#services/commands/import/import-events.ts";
import { type ImportRequest, requireImportable } from "#services/commands/import/open-import.ts";
import { catalogueName } from "#services/domain/catalogue/catalogue-name.ts";
import { importWindow } from "#services/domain/import/import-window.ts";
import type { Run } from "#services/jobs/job-runner.ts";
import { acceptedAnswer } from "../http/prefer.ts";
import type { MakeHandler } from "./make-handler.ts";

/** The import runs to its end, whether the client waits or not. */
export const importEventsHandler: MakeHandler<"importEvents", "context" | "importer" | "runner"> =
  ({ context, importer, runner }) =>
  async ({ body, command, actor, prefersAsync }) => {
    const request = requestOf(body, importer.agency, context.now());
    const work = async ({ signal, onProgress }: Run): Promise<ImportResult> => {
      const imported = await importEventsCommand({ context, importer }, command, request, {
        signal,
        onProgress: ({ windows, tally }) => onProgress({ ...windows, events: tally.totalFetched }),
      });
      return resultOf(imported);
    };
    if (!prefersAsync) return { body: await runner.attend(work) };
    await requireImportable(context, command, request.catalogueId);
    const job = { kind: "import", owner: actor.userId, unit: "windows" } as const;
    return acceptedAnswer(await runner.start(job, work));
  };

function requestOf(body: ImportBody, agency: string, now: Date): ImportRequest {
  const { catalogueId = null, catalogueName: given, detail, updateExisting, ...rest } = body;
  const { hours, startDate, endDate, ...filters } = rest;
  const seconds = now.toISOString().replace(/\.\d+Z$/, "Z");
  return {
    catalogueId,
    name: catalogueId === null ? catalogueName(given ?? `${agency} import ${seconds}`) : "",
    window: importWindow({ hours, startDate, endDate }, now),
    filters,
    detail,
    updateExisting,
  };
}

function resultOf({ tally, ...catalogue }: ImportedCatalogue): ImportResult {
  return { success: tally.errors.length === 0, ...catalogue, ...tally };
}

export const listImportsHandler: MakeHandler<"listImports", "pool"> =
  ({ pool }) =>
  async ({ query: { catalogueId, limit } }) => ({
    body: [...(await listImports(pool, catalogueId, limit))],
  });
