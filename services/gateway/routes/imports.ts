import type { ImportBody, ImportResult } from "#contracts/http/imports.ts";
import { ImportFilters } from "#contracts/import-run.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { listImports } from "#projections/read/imports.ts";
import { catalogueFacts, type Reader } from "#projections/read/rights.ts";
import type { AgencyOptions } from "#services/commands/import/import-worker.ts";
import {
  type ImportedCatalogue,
  type ImportRequest,
  type ImportRun,
  requireImportable,
  runImport,
} from "#services/commands/import/run-import.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { importWindow } from "#services/domain/imports/run.ts";
import type { Run } from "#services/jobs/run-job.ts";
import { authoriseCatalogue, requireMaker } from "../auth/authorise.ts";
import { answerOrStart } from "../http/answer-or-start.ts";
import type { Actor } from "../http/handler.ts";
import type { MakeHandler } from "./make-handler.ts";

/** The import runs to its end, whether the client waits or not. */
export const importEventsHandler: MakeHandler<
  "importEvents",
  "context" | "lookups" | "agencies" | "importer" | "runner"
> =
  ({ context, lookups, agencies, importer, runner }) =>
  async (call) => {
    const { command } = call;
    const agency = await agencies.toAsk(call.body.agency);
    const { regionArea } = call;
    const ofBody = requestOf(call.body, agency, context.now());
    const request = { ...ofBody, ...(regionArea !== null && { regionArea }) };
    await requireTarget(lookups, call, request.catalogueId);
    if (call.prefersAsync) await requireImportable(context, command, request.catalogueId);
    return answerOrStart(runner, call, {
      job: { kind: "import", unit: "windows" },
      work: async ({ onProgress, ...asker }) => {
        const imported = await runImport({ context, importer }, command, request, {
          ...asker,
          onProgress: progressOf(onProgress),
        });
        return { body: resultOf(imported) };
      },
    });
  };

/** @throws Refusal NOT_FOUND, FORBIDDEN */
async function requireTarget(
  lookups: Lookups,
  { actor, reader }: { readonly actor: Actor; readonly reader: Reader },
  catalogueId: string | null,
): Promise<void> {
  if (catalogueId === null) return requireMaker(actor);
  const facts = await catalogueFacts(lookups, catalogueId, reader);
  authoriseCatalogue({ act: "change", access: "editor", actor, facts, hidesUnknown: false });
}

function requestOf(body: ImportBody, agency: AgencyOptions, now: Date): ImportRequest {
  const { catalogueId = null, catalogueName: wish, access, detail, updateExisting, ...rest } = body;
  const { hours, startDate, endDate } = rest;
  const seconds = now.toISOString().replace(/\.\d+Z$/, "Z");
  return {
    agency,
    catalogueId,
    name: catalogueId === null ? catalogueName(wish ?? `${agency.name} import ${seconds}`) : "",
    access,
    window: importWindow({ hours, startDate, endDate }, now),
    filters: ImportFilters.parse(rest),
    detail,
    updateExisting,
  };
}

/** Tells a job of an import's progress. */
export function progressOf(onProgress: Run["onProgress"]): ImportRun["onProgress"] {
  return ({ windows, tally }) => onProgress({ ...windows, events: tally.totalFetched });
}

export function resultOf({ tally, ...catalogue }: ImportedCatalogue): ImportResult {
  return { success: tally.errors.length === 0, ...catalogue, ...tally };
}

/** Of a catalogue that is not there for the caller there are none. */
export const listImportsHandler: MakeHandler<"listImports", "pool"> =
  ({ pool }) =>
  async ({ query: { catalogueId, limit }, reader }) => ({
    body: [...(await listImports(pool, catalogueId, limit, reader))],
  });
