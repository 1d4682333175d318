import { Refusal, RetryLater } from "#contracts/errors.ts";
import { ImportFilters } from "#contracts/events/imports.ts";
import type {
  Agency,
  ImportBody,
  ImportResult,
  Schedule,
  UpdateScheduleBody,
} from "#contracts/http/imports.ts";
import { listImports } from "#projections/read/imports.ts";
import { catalogueFacts, type Reader } from "#projections/read/rights.ts";
import { findSchedule, listSchedules } from "#projections/read/schedules.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { importWindow } from "#services/domain/imports/run.ts";
import { requireTable, settingsOf, withChanges } from "#services/domain/imports/schedule.ts";
import { answerOrStart, type Run } from "#services/works.ts";
import { authoriseCatalogue, requireMaker } from "../access.ts";
import type { Actor, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import {
  type Agencies,
  createAgencyCommand,
  deleteAgencyCommand,
  updateAgencyCommand,
} from "./agencies.ts";
import {
  type ImportedCatalogue,
  type ImportRequest,
  type ImportRun,
  requireImportable,
  runImport,
} from "./run.ts";
import { changeScheduleCommand, endScheduleCommand, makeScheduleCommand } from "./schedules.ts";
import type { AgencyOptions } from "./worker.ts";

export function handlersOfImports(deps: HandlerDeps) {
  const { pool, context, agencies, importer, runner } = deps;
  return {
    createSchedule: async ({ command, body, reader }) => {
      const { catalogueId, agency } = body;
      const { fileBytes } = await deps.agencies.toSchedule(agency);
      const settings = requireTable(settingsOf(body), fileBytes !== undefined);
      const id = await makeScheduleCommand(deps.context, command, catalogueId, settings);
      const schedule = await scheduleOf(deps, id, reader);
      return { body: { schedule }, headers: { location: `/api/schedules/${id}` } };
    },

    listSchedules: async ({ query: { catalogueId, ...request }, reader }) => {
      const { rows, nextCursor } = await listSchedules(pool, catalogueId, request, reader);
      return { body: { schedules: [...rows], ...(nextCursor !== null && { nextCursor }) } };
    },

    getSchedule: async ({ params, reader }) => ({
      body: { schedule: await scheduleOf(deps, params.id, reader) },
    }),

    updateSchedule: async ({ command, params, body, actor, reader }) => {
      const target = await changeable(deps, params.id, { actor, reader });
      const isTable = await isOfTable(deps.agencies, body, target.agency);
      await changeScheduleCommand(deps.context, command, target, (settings) =>
        requireTable(withChanges(settings, body), isTable),
      );
      return { body: { schedule: await scheduleOf(deps, params.id, reader) } };
    },

    deleteSchedule: async ({ command, params, actor, reader }) => {
      const target = await changeable(deps, params.id, { actor, reader });
      await endScheduleCommand(deps.context, command, target);
      return { body: { success: true } };
    },

    /** The run is a job; whoever has asked for it sees how it fares. */
    runSchedule: async ({ params, actor, reader, asker }) => {
      const { scheduler, runner } = deps;
      const { scheduleId } = await changeable(deps, params.id, { actor, reader });
      const claimed = await scheduler.claim(scheduleId);
      if (claimed === null) throw new RetryLater("CONFLICT", "This schedule is running already");
      const job = { kind: "import", owner: actor.userId, unit: "windows" } as const;
      const started = runner.start(job, asker, async ({ onProgress, ...run }) =>
        resultOf(await scheduler.run(claimed, { ...run, onProgress: progressOf(onProgress) })),
      );
      const operationId = await started.catch(async (error: unknown) => {
        await scheduler.giveBack(claimed);
        throw error;
      });
      return { body: { operationId }, headers: { location: `/api/operations/${operationId}` } };
    },

    /** The import runs to its end, whether the client waits or not. */
    importEvents: async (call) => {
      const { command } = call;
      const agency = await agencies.toAsk(call.body.agency);
      const { regionArea } = call;
      const ofBody = requestOf(call.body, agency, context.now());
      const request = { ...ofBody, ...(regionArea !== null && { regionArea }) };
      if (request.catalogueId === null) requireMaker(call.actor);
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
    },

    /** Of a catalogue that is not there for the caller there are none. */
    listImports: async ({ query: { catalogueId, limit }, reader }) => ({
      body: [...(await listImports(pool, catalogueId, limit, reader))],
    }),

    listAgencies: async () => ({ body: { agencies: [...(await agencies.list())] } }),

    createAgency: async ({ command, body: { id, ...settings } }) => {
      await createAgencyCommand(deps, command, id, settings);
      return {
        body: { agency: await existing(deps.agencies, id) },
        headers: { location: `/api/agencies/${id}` },
      };
    },

    updateAgency: async ({ command, params: { id }, body }) => {
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      await updateAgencyCommand(deps, command, id, Object.fromEntries(given));
      return { body: { agency: await existing(deps.agencies, id) } };
    },

    deleteAgency: async ({ command, params: { id } }) => {
      await deleteAgencyCommand(deps, command, id);
      return { body: { success: true } };
    },
  } satisfies Partial<Handlers>;
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
function progressOf(onProgress: Run["onProgress"]): ImportRun["onProgress"] {
  return ({ windows, tally }) => onProgress({ ...windows, events: tally.totalFetched });
}

function resultOf({ tally, ...catalogue }: ImportedCatalogue): ImportResult {
  return { success: tally.errors.length === 0, ...catalogue, ...tally };
}

/** @throws Refusal NOT_FOUND */
async function existing(agencies: Agencies, id: string): Promise<Agency> {
  const agency = await agencies.find(id);
  if (agency === null) throw new Refusal("NOT_FOUND", "Agency not found");
  return agency;
}

/**
 * Whether the agency of a changed schedule is a table: what it has already may be disabled meanwhile.
 * @throws Refusal VALIDATION_ERROR for another one that is unknown or not enabled
 */
async function isOfTable(
  agencies: Pick<Agencies, "find" | "toSchedule">,
  { agency: given }: UpdateScheduleBody,
  present: string,
): Promise<boolean> {
  if (given !== undefined) return (await agencies.toSchedule(given)).fileBytes !== undefined;
  return (await agencies.find(present))?.dialect === "table";
}

/** A schedule of a catalogue that the caller may change. @throws Refusal NOT_FOUND, FORBIDDEN */
async function changeable(
  deps: HandlerDeps,
  scheduleId: string,
  { actor, reader }: { readonly actor: Actor; readonly reader: Reader },
) {
  const { catalogueId, agency } = await scheduleOf(deps, scheduleId, reader);
  const facts = await catalogueFacts(deps.lookups, catalogueId, reader);
  authoriseCatalogue({ act: "change", access: "editor", actor, facts, hidesUnknown: false });
  return { scheduleId, catalogueId, agency };
}

/** @throws Refusal NOT_FOUND */
async function scheduleOf({ pool }: HandlerDeps, id: string, reader: Reader): Promise<Schedule> {
  const schedule = await findSchedule(pool, id, reader);
  if (schedule === null) throw new Refusal("NOT_FOUND", "Schedule not found");
  return schedule;
}
