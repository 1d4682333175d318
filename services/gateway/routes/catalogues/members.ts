import { Refusal } from "#contracts/errors.ts";
import { listMembers } from "#projections/queries/catalogues/member-queries.ts";
import { removeMemberCommand, setMemberCommand } from "#services/commands/catalogues/members.ts";
import { effectiveRight } from "#services/domain/catalogue/rights.ts";
import type { MakeHandler } from "../make-handler.ts";

export const listMembersHandler: MakeHandler<"listMembers", "pool"> =
  ({ pool }) =>
  async ({ params }) => ({ body: { members: [...(await listMembers(pool, params.id))] } });

export const getRightHandler: MakeHandler<"getRight", never> =
  () =>
  async ({ actor, facts }) => {
    if (facts === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
    return { body: { right: effectiveRight(actor.role, facts) } };
  };

export const setMemberHandler: MakeHandler<"setMember"> =
  ({ context }) =>
  async ({ params, body, command }) => {
    const { id, memberId } = params;
    await setMemberCommand(context, command, id, memberId, body.right);
    const members = await listMembers(context.pool, id);
    const member = members.find((one) => one.id === memberId);
    if (member === undefined) throw new Refusal("NOT_FOUND", "The member was removed meanwhile");
    return { body: { member } };
  };

export const removeMemberHandler: MakeHandler<"removeMember"> =
  ({ context }) =>
  async ({ params, command }) => {
    await removeMemberCommand(context, command, params.id, params.memberId);
    return { body: { success: true } };
  };
