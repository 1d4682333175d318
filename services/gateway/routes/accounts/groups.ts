import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { Group } from "#contracts/http/groups.ts";
import { findGroup, listGroups } from "#projections/queries/accounts/group-queries.ts";
import {
  createGroupCommand,
  deleteGroupCommand,
  updateGroupCommand,
} from "#services/commands/accounts/groups.ts";
import type { MakeHandler } from "../make-handler.ts";

export const listGroupsHandler: MakeHandler<"listGroups", "pool"> =
  ({ pool }) =>
  async () => ({ body: { groups: [...(await listGroups(pool))] } });

export const getGroupHandler: MakeHandler<"getGroup", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { group: await existingGroup(pool, params.id) } });

export const createGroupHandler: MakeHandler<"createGroup"> =
  ({ context }) =>
  async ({ command, body }) => {
    const id = await createGroupCommand(context, command, body);
    const group = await existingGroup(context.pool, id);
    return { body: { group }, headers: { location: `/api/groups/${id}` } };
  };

export const updateGroupHandler: MakeHandler<"updateGroup"> =
  ({ context }) =>
  async ({ command, params, body: { name, members }, reader }) => {
    const change = {
      ...(name !== undefined && { name }),
      ...(members !== undefined && { members }),
    };
    await updateGroupCommand(context, command, params.id, change, reader);
    return { body: { group: await existingGroup(context.pool, params.id) } };
  };

export const deleteGroupHandler: MakeHandler<"deleteGroup"> =
  ({ context }) =>
  async ({ command, params, reader }) => {
    await deleteGroupCommand(context, command, params.id, reader);
    return { body: { success: true } };
  };

/** @throws Refusal NOT_FOUND */
async function existingGroup(pool: CommonQueryMethods, id: string): Promise<Group> {
  const group = await findGroup(pool, id);
  if (group === null) throw new Refusal("NOT_FOUND", "Group not found");
  return group;
}
