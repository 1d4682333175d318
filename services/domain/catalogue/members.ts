/** Decisions about who is a member of a catalogue, and with which right. */
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { existing } from "./decide.ts";
import type { CatalogueState } from "./state.ts";

/** Members that an owner gives rights to one by one; groups are for more. */
const MAX_MEMBERS = 1_000;

export type SetMember = Omit<CatalogueEventData<"MemberSet">, "catalogueId">;

/** Whether a member is there to own: an active editor or administrator, or a group with one. */
export type MayOwn = (memberId: string) => boolean;

/**
 * Gives a member a right; nothing where he has it.
 * @throws Refusal NOT_FOUND; CONFLICT for the last owner, and for too many members
 */
export function setMember(
  state: CatalogueState,
  member: SetMember,
  mayOwn: MayOwn,
): CatalogueEvent[] {
  const { catalogueId, members } = existing(state);
  const present = members.get(member.memberId);
  if (present?.right === member.right) return [];
  if (present === undefined && members.size >= MAX_MEMBERS) {
    throw new Refusal("CONFLICT", `The catalogue has ${MAX_MEMBERS} members already`);
  }
  if (member.right !== "own") requireOtherOwner(state, member.memberId, mayOwn);
  return [{ type: "MemberSet", data: { catalogueId, ...member } }];
}

/** @throws Refusal NOT_FOUND, also for one who is no member; CONFLICT for the last owner */
export function removeMember(
  state: CatalogueState,
  memberId: string,
  mayOwn: MayOwn,
): CatalogueEvent[] {
  const { catalogueId, members } = existing(state);
  if (!members.has(memberId)) throw new Refusal("NOT_FOUND", "Member not found");
  requireOtherOwner(state, memberId, mayOwn);
  return [{ type: "MemberRemoved", data: { catalogueId, memberId } }];
}

/** Those of the members who own, and others than one. */
function requireOtherOwner(state: CatalogueState, memberId: string, mayOwn: MayOwn): void {
  const { members } = existing(state);
  if (members.get(memberId)?.right !== "own") return;
  const others = [...members].filter(([id, { right }]) => right === "own" && id !== memberId);
  if (others.some(([id]) => mayOwn(id))) return;
  throw new Refusal("CONFLICT", "The last owner of a catalogue stays");
}
