import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { Schedule, UpdateScheduleBody } from "#contracts/http/schedules.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueFacts, type Reader } from "#projections/read/rights.ts";
import { findSchedule, listSchedules } from "#projections/read/schedules.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import {
  changeScheduleCommand,
  endScheduleCommand,
  makeScheduleCommand,
} from "#services/commands/schedules/change-schedules.ts";
import { requireTable, settingsOf, withChanges } from "#services/domain/imports/schedule.ts";
import { authoriseCatalogue } from "../../auth/authorise.ts";
import type { Actor } from "../../http/handler.ts";
import { progressOf, resultOf } from "../imports.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

type Needs = "context" | "lookups" | "pool" | "agencies";

export const createScheduleHandler: MakeHandler<"createSchedule", Needs> =
  (deps) =>
  async ({ command, body, actor, reader }) => {
    await requireChange(deps.lookups, body.catalogueId, { actor, reader });
    const { catalogueId, agency } = body;
    const { fileBytes } = await deps.agencies.toSchedule(agency);
    const settings = requireTable(settingsOf(body), fileBytes !== undefined);
    const id = await makeScheduleCommand(deps.context, command, catalogueId, settings);
    const schedule = await scheduleOf(deps, id, reader);
    return { body: { schedule }, headers: { location: `/api/schedules/${id}` } };
  };

export const listSchedulesHandler: MakeHandler<"listSchedules", "pool"> =
  ({ pool }) =>
  async ({ query: { catalogueId, ...request }, reader }) => {
    const { rows, nextCursor } = await listSchedules(pool, catalogueId, request, reader);
    return { body: { schedules: [...rows], ...(nextCursor !== null && { nextCursor }) } };
  };

export const getScheduleHandler: MakeHandler<"getSchedule", "pool"> =
  (deps) =>
  async ({ params, reader }) => ({ body: { schedule: await scheduleOf(deps, params.id, reader) } });

export const updateScheduleHandler: MakeHandler<"updateSchedule", Needs> =
  (deps) =>
  async ({ command, params, body, actor, reader }) => {
    const target = await changeable(deps, params.id, { actor, reader });
    const isTable = await isOfTable(deps.agencies, body, target.agency);
    await changeScheduleCommand(deps.context, command, target, (settings) =>
      requireTable(withChanges(settings, body), isTable),
    );
    return { body: { schedule: await scheduleOf(deps, params.id, reader) } };
  };

export const deleteScheduleHandler: MakeHandler<"deleteSchedule", Needs> =
  (deps) =>
  async ({ command, params, actor, reader }) => {
    const target = await changeable(deps, params.id, { actor, reader });
    await endScheduleCommand(deps.context, command, target);
    return { body: { success: true } };
  };

/** The run is a job; whoever has asked for it sees how it fares. */
export const runScheduleHandler: MakeHandler<
  "runSchedule",
  "lookups" | "pool" | "scheduler" | "runner"
> =
  (deps) =>
  async ({ params, actor, reader, asker }) => {
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
  };

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

type Caller = { readonly actor: Actor; readonly reader: Reader };

/** A schedule of a catalogue that the caller may change. @throws Refusal NOT_FOUND, FORBIDDEN */
async function changeable(
  deps: Pick<HandlerDeps, "pool" | "lookups">,
  scheduleId: string,
  caller: Caller,
): Promise<{
  readonly scheduleId: string;
  readonly catalogueId: string;
  readonly agency: string;
}> {
  const { catalogueId, agency } = await scheduleOf(deps, scheduleId, caller.reader);
  await requireChange(deps.lookups, catalogueId, caller);
  return { scheduleId, catalogueId, agency };
}

/** @throws Refusal NOT_FOUND, FORBIDDEN */
async function requireChange(
  lookups: Lookups,
  catalogueId: string,
  { actor, reader }: Caller,
): Promise<void> {
  const facts = await catalogueFacts(lookups, catalogueId, reader);
  authoriseCatalogue({ act: "change", access: "editor", actor, facts, hidesUnknown: false });
}

/** @throws Refusal NOT_FOUND */
async function scheduleOf(
  { pool }: Pick<HandlerDeps, "pool">,
  id: string,
  reader: Reader,
): Promise<Schedule> {
  const schedule = await findSchedule(pool, id, reader);
  if (schedule === null) throw new Refusal("NOT_FOUND", "Schedule not found");
  return schedule;
}
