import type { AgencySettings } from "#contracts/agency.ts";
import type { AgencyEvent } from "#contracts/domain-events/agency-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { agencyStream } from "#contracts/names.ts";
import { isScheduled } from "#projections/read/imports.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import {
  ABSENT,
  type AgencyState,
  addAgency,
  changeAgency,
  checkedSettings,
  evolve,
  removeAgency,
} from "#services/domain/imports/agency.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnStream } from "../decide-on-stream.ts";
import type { DecisionModel } from "../load-state.ts";

export type AgencyDeps = {
  readonly context: CommandContext;
  readonly agencies: Agencies;
};

const model: DecisionModel<AgencyState, AgencyEvent> = { initial: ABSENT, evolve };

/** @throws Refusal MISSING_NAME, VALIDATION_ERROR; CONFLICT for an id that is taken */
export async function createAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
  wanted: AgencySettings,
): Promise<void> {
  if (!command.retried && (await agencies.isTaken(agencyId))) {
    throw new Refusal("CONFLICT", "There is an agency with this id");
  }
  const settings = checkedSettings(wanted);
  await agencies.requireOutward(settings);
  await decide(context, command, agencyId, (state) => addAgency(state, agencyId, settings));
}

/** @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR; CONFLICT for the first agency */
export async function updateAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
  change: Partial<AgencySettings>,
): Promise<void> {
  const { id: _, kind, push_since: _since, ...before } = await changeable(agencies, agencyId);
  const after = checkedSettings({ ...before, ...change });
  // One whose name leads inward by now can still be turned off.
  const isMoved = after.url !== before.url || after.push !== before.push;
  if (after.enabled || isMoved) await agencies.requireOutward(after);
  const isPreset = kind === "preset";
  await decide(context, command, agencyId, (state) =>
    changeAgency(state, agencyId, { before, after, isPreset }),
  );
}

/** @throws Refusal NOT_FOUND; CONFLICT for the first agency, for one known beforehand, and for one of a schedule */
export async function deleteAgencyCommand(
  { context, agencies }: AgencyDeps,
  command: Command,
  agencyId: string,
): Promise<void> {
  if (!command.retried) {
    const { kind } = await changeable(agencies, agencyId);
    if (kind === "preset") {
      throw new Refusal("CONFLICT", "An agency that is known beforehand can only be turned off");
    }
    if (await isScheduled(context.pool, agencyId)) {
      throw new Refusal("CONFLICT", "A schedule asks this agency");
    }
  }
  await decide(context, command, agencyId, (state) => removeAgency(state, agencyId));
}

/** @throws Refusal NOT_FOUND; CONFLICT for the first agency */
async function changeable(agencies: Agencies, agencyId: string) {
  const agency = await agencies.find(agencyId);
  if (agency === null) throw new Refusal("NOT_FOUND", "Agency not found");
  if (agency.kind === "first") {
    throw new Refusal("CONFLICT", "The agency of the configuration is changed there alone");
  }
  return agency;
}

async function decide(
  context: CommandContext,
  command: Command,
  agencyId: string,
  make: (state: AgencyState) => readonly AgencyEvent[],
): Promise<void> {
  const { position } = await decideOnStream(context, command, agencyStream(agencyId), model, make);
  await context.untilVisible("catalogues", position);
}
