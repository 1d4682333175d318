import type { RegionEvent, RegionSettings } from "#contracts/domain-events/region-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { regionStream } from "#contracts/names.ts";
import { isScheduledRegion } from "#projections/read/regions.ts";
import {
  ABSENT,
  changeRegion,
  createRegion,
  deleteRegion,
  evolve,
  type RegionState,
} from "#services/domain/regions.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnStream } from "../decide-on-stream.ts";
import type { DecisionModel } from "../load-state.ts";

const model: DecisionModel<RegionState, RegionEvent> = { initial: ABSENT, evolve };

/** Makes a region; it is there when this resolves. @returns its id @throws Refusal MISSING_NAME, VALIDATION_ERROR */
export async function createRegionCommand(
  context: CommandContext,
  command: Command,
  settings: RegionSettings,
): Promise<string> {
  const id = command.id;
  await decide(context, command, id, (state) => createRegion(state, id, settings));
  return id;
}

/** @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR */
export function updateRegionCommand(
  context: CommandContext,
  command: Command,
  regionId: string,
  change: Partial<RegionSettings>,
): Promise<void> {
  return decide(context, command, regionId, (state) => changeRegion(state, regionId, change));
}

/** @throws Refusal NOT_FOUND; CONFLICT for one of a schedule */
export async function deleteRegionCommand(
  context: CommandContext,
  command: Command,
  regionId: string,
): Promise<void> {
  if (!command.retried && (await isScheduledRegion(context.pool, regionId))) {
    throw new Refusal("CONFLICT", "A schedule imports by this region");
  }
  await decide(context, command, regionId, (state) => deleteRegion(state, regionId));
}

async function decide(
  context: CommandContext,
  command: Command,
  regionId: string,
  make: (state: RegionState) => readonly RegionEvent[],
): Promise<void> {
  const { position } = await decideOnStream(context, command, regionStream(regionId), model, make);
  await context.untilVisible("catalogues", position);
}
