import type { GroupEvent } from "#contracts/domain-events/group-events.ts";
import { invalid } from "#contracts/errors.ts";
import { groupStream } from "#contracts/names.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import { unknownUsers } from "#projections/read/accounts.ts";
import type { Reader } from "#projections/read/rights.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import {
  ABSENT,
  createGroup,
  deleteGroup,
  evolve,
  type GroupState,
  type UpdateGroup,
  updateGroup,
} from "#services/domain/accounts/group.ts";
import { requireOwnersBeside, whileOwnersStay } from "../catalogues/last-owner.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnStream } from "../decide-on-stream.ts";
import type { DecisionModel } from "../load-state.ts";

const model: DecisionModel<GroupState, GroupEvent> = { initial: ABSENT, evolve };

/**
 * Makes a group and returns its id once it is visible.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export async function createGroupCommand(
  context: CommandContext,
  command: Command,
  { name, members }: Required<UpdateGroup>,
): Promise<string> {
  await requireUsers(context, members);
  const groupId = deriveEventId(command.id, "group", 0);
  await decide(context, command, groupId, (state) =>
    createGroup(state, { groupId, name, members }),
  );
  return groupId;
}

/**
 * @param reader to whom a catalogue may be named
 * @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR; CONFLICT where a catalogue would have no owner any more
 */
export async function updateGroupCommand(
  context: CommandContext,
  command: Command,
  groupId: string,
  change: UpdateGroup,
  reader: Reader,
): Promise<void> {
  const { members: kept } = change;
  const update = () => decide(context, command, groupId, (state) => updateGroup(state, change));
  if (kept === undefined) return update();
  await requireUsers(context, kept);
  await whileOwnersStay(context, async (connection) => {
    await requireOwnersBeside(connection, { groupId, kept, reader });
    await update();
  });
}

/**
 * @param reader to whom a catalogue may be named
 * @throws Refusal NOT_FOUND; CONFLICT where a catalogue would have no owner any more
 */
export function deleteGroupCommand(
  context: CommandContext,
  command: Command,
  groupId: string,
  reader: Reader,
): Promise<void> {
  return whileOwnersStay(context, async (connection) => {
    await requireOwnersBeside(connection, { groupId, kept: [], reader });
    await decide(context, command, groupId, deleteGroup);
  });
}

async function decide(
  context: CommandContext,
  command: Command,
  groupId: string,
  make: (state: GroupState) => readonly GroupEvent[],
): Promise<void> {
  const stream = groupStream(groupId);
  const { position } = await decideOnStream(context, command, stream, model, make);
  await context.untilVisible("users", position);
}

/** @throws Refusal VALIDATION_ERROR */
async function requireUsers(
  { pool }: Pick<CommandContext, "pool">,
  ids: readonly string[],
): Promise<void> {
  const malformed = ids.filter((id) => !isUserId(id));
  const unknown = malformed.length > 0 ? malformed : await unknownUsers(pool, ids);
  if (unknown.length > 0) throw invalid("members", "names somebody who has no account");
}
