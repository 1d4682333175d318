import { Refusal } from "#contracts/errors.ts";
import type { Schedule } from "#contracts/http/schedules.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { catalogueFacts, type Reader } from "#projections/queries/rights/reader-rights.ts";
import { findSchedule, listSchedules } from "#projections/queries/schedules/schedule-queries.ts";
import {
  changeScheduleCommand,
  endScheduleCommand,
  makeScheduleCommand,
} from "#services/commands/schedules/change-schedules.ts";
import { settingsOf, withChanges } from "#services/domain/schedule/schedule-settings.ts";
import { authoriseCatalogue } from "../../auth/authorise.ts";
import type { Actor } from "../../http/handler.ts";
import { progressOf, resultOf } from "../imports.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

type Needs = "context" | "lookups" | "pool" | "agencies";

export const createScheduleHandler: MakeHandler<"createSchedule", Needs> =
  (deps) =>
  async ({ command, body, actor, reader }) => {
    await requireChange(deps.lookups, body.catalogueId, { actor, reader });
    await deps.agencies.toAsk(body.agency);
    const { catalogueId } = body;
    const id = await makeScheduleCommand(deps.context, command, catalogueId, settingsOf(body));
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
    if (body.agency !== undefined) await deps.agencies.toAsk(body.agency);
    await changeScheduleCommand(deps.context, command, target, (settings) =>
      withChanges(settings, body),
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
    if (claimed === null) throw new Refusal("CONFLICT", "This schedule is running already");
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

type Caller = { readonly actor: Actor; readonly reader: Reader };

/** A schedule of a catalogue that the caller may change. @throws Refusal NOT_FOUND, FORBIDDEN */
async function changeable(
  deps: Pick<HandlerDeps, "pool" | "lookups">,
  scheduleId: string,
  caller: Caller,
): Promise<{ readonly scheduleId: string; readonly catalogueId: string }> {
  const { catalogueId } = await scheduleOf(deps, scheduleId, caller.reader);
  await requireChange(deps.lookups, catalogueId, caller);
  return { scheduleId, catalogueId };
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
