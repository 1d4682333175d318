import type { ScheduleSettings } from "#contracts/schedule.ts";
import { forgetScheduleState } from "#projections/read/schedules.ts";
import { changeSchedule, endSchedule, makeSchedule } from "#services/domain/imports/schedule.ts";
import { decideOnCatalogue } from "../catalogues/catalogue-decision.ts";
import type { Command, CommandContext } from "../context.ts";

type OfSchedule = { readonly catalogueId: string; readonly scheduleId: string };

/** Makes a schedule of a catalogue in the name of who asks; it is there when this resolves. @returns its id */
export async function makeScheduleCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  settings: ScheduleSettings,
): Promise<string> {
  const schedule = { scheduleId: command.id, maker: command.actor, settings };
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
    makeSchedule(state, schedule),
  );
  await context.untilVisible("catalogues", position);
  return schedule.scheduleId;
}

/** @throws Refusal NOT_FOUND, VALIDATION_ERROR where a bound is above its other one then */
export async function changeScheduleCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, scheduleId }: OfSchedule,
  change: (settings: ScheduleSettings) => ScheduleSettings,
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
    changeSchedule(state, scheduleId, change),
  );
  await context.untilVisible("catalogues", position);
}

/** Ends a schedule; a run that is under way changes nothing any more. @throws Refusal NOT_FOUND */
export async function endScheduleCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, scheduleId }: OfSchedule,
): Promise<void> {
  const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
    endSchedule(state, scheduleId),
  );
  await context.untilVisible("catalogues", position);
  await forgetScheduleState(context.pool, scheduleId);
}
