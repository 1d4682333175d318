/** Decisions about groups of users: pure functions from state and command to events or a refusal. */

import { unknownCase } from "#contracts/cases.ts";
import { Refusal } from "#contracts/errors.ts";
import type { GroupEvent } from "#contracts/events/accounts.ts";
import { GROUP_NAME_MAX } from "#contracts/http/accounts.ts";
import { shortName } from "../texts.ts";

export type GroupState =
  | { readonly status: "absent" }
  | { readonly status: "deleted" }
  | ExistingGroup;

type ExistingGroup = {
  readonly status: "existing";
  readonly groupId: string;
  readonly name: string;
  readonly members: readonly string[];
};

export const ABSENT: GroupState = { status: "absent" };

export function evolve(state: GroupState, { type, data }: GroupEvent): GroupState {
  if (type === "GroupCreated") return { status: "existing", ...data };
  if (state.status !== "existing") throw new Error(`${type} on a group that is ${state.status}`);
  switch (type) {
    case "GroupRenamed":
      return { ...state, name: data.name };
    case "GroupMembersChanged":
      return { ...state, members: data.members };
    case "GroupDeleted":
      return { status: "deleted" };
    default:
      return unknownCase(type);
  }
}

/** @throws Refusal CONFLICT, MISSING_NAME, VALIDATION_ERROR */
export function createGroup(
  state: GroupState,
  { groupId, name, members }: Omit<ExistingGroup, "status">,
): GroupEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", "This group exists already");
  const data = { groupId, name: shortName(name, GROUP_NAME_MAX), members: once(members) };
  return [{ type: "GroupCreated", data }];
}

export type UpdateGroup = {
  readonly name?: string;
  /** All of them. */
  readonly members?: readonly string[];
};

/** Unchanged parts make no events. @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR */
export function updateGroup(state: GroupState, { name, members }: UpdateGroup): GroupEvent[] {
  const { groupId, name: before, members: had } = existing(state);
  const events: GroupEvent[] = [];
  const newName = name === undefined ? before : shortName(name, GROUP_NAME_MAX);
  if (newName !== before) events.push({ type: "GroupRenamed", data: { groupId, name: newName } });
  const all = members === undefined ? had : once(members);
  if (all.length !== had.length || all.some((id) => !had.includes(id))) {
    events.push({ type: "GroupMembersChanged", data: { groupId, members: [...all] } });
  }
  return events;
}

/** @throws Refusal NOT_FOUND */
export function deleteGroup(state: GroupState): GroupEvent[] {
  const { groupId } = existing(state);
  return [{ type: "GroupDeleted", data: { groupId } }];
}

function existing(state: GroupState): ExistingGroup {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "Group not found");
  return state;
}

function once(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
