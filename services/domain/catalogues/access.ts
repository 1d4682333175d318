/** Who may read and change a catalogue: rights, members and shares. */

import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent, CatalogueEventData } from "#contracts/events/catalogues.ts";
import { SHARE_LABEL_MAX } from "#contracts/http/catalogues.ts";
import { type Editing, type MemberRight, type Role, roleAtLeast } from "#contracts/rights.ts";
import { requireShortText } from "../texts.ts";
import { type CatalogueState, existing } from "./catalogue.ts";

/** What decides on what a caller may do with a catalogue that is there for him. */
export type RightFacts = {
  /** Whether it is there for members and administrators alone, who then change it by their rights alone. */
  readonly isRestricted: boolean;
  readonly editing: Editing;
  /** As a member; null for others. */
  readonly right: MemberRight | null;
};

/** Whether he may change it: a right never exceeds the role. */
export function mayChange(role: Role, { isRestricted, editing, right }: RightFacts): boolean {
  if (role === "admin") return true;
  const isOpen = editing === "all" && !isRestricted;
  const isGiven = right === "edit" || right === "own";
  return roleAtLeast(role, "editor") && (isOpen || isGiven);
}

/** Whether he may say who reads and changes it, and see who does. */
export function mayGiveRights(role: Role, { right }: RightFacts): boolean {
  return role === "admin" || (roleAtLeast(role, "editor") && right === "own");
}

/** His right for himself to see: what his role leaves of it. */
export function effectiveRight(role: Role, facts: RightFacts): MemberRight {
  if (mayGiveRights(role, facts)) return "own";
  return mayChange(role, facts) ? "edit" : "read";
}

/** Decisions about who is a member of a catalogue, and with which right. */

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

/** Decisions about shares: secret addresses at which one catalogue can be read. */

/** Shares of one catalogue that have neither been ended nor expired. */
const MAX_SHARES = 100;

export type ShareCatalogue = Omit<CatalogueEventData<"CatalogueShared">, "catalogueId"> & {
  /** ISO 8601 UTC. */
  readonly now: string;
  /**
   * The share that an earlier run of the same command may have made. Its secret is lost, so it is
   * ended.
   */
  readonly insteadOf: string | null;
};

/** @throws Refusal NOT_FOUND, VALIDATION_ERROR for the label, CONFLICT for too many shares */
export function shareCatalogue(
  state: CatalogueState,
  { now, insteadOf, label, ...share }: ShareCatalogue,
): CatalogueEvent[] {
  const { catalogueId, shares } = existing(state);
  const isReplaced = insteadOf !== null && shares.has(insteadOf);
  const open = [...shares.values()].filter((expiresAt) => expiresAt === null || expiresAt > now);
  if (!isReplaced && open.length >= MAX_SHARES) {
    throw new Refusal("CONFLICT", `The catalogue has ${MAX_SHARES} shares already`);
  }
  const data = { catalogueId, ...share, label: shareLabel(label) };
  return [...(isReplaced ? endShare(state, insteadOf) : []), { type: "CatalogueShared", data }];
}

/** @throws Refusal NOT_FOUND */
export function endShare(state: CatalogueState, shareId: string): CatalogueEvent[] {
  const { catalogueId, shares } = existing(state);
  if (!shares.has(shareId)) throw new Refusal("NOT_FOUND", "Share not found");
  return [{ type: "ShareEnded", data: { catalogueId, shareId } }];
}

function shareLabel(text: string | null): string | null {
  const label = text?.trim() ?? "";
  if (label === "") return null;
  requireShortText("label", label, SHARE_LABEL_MAX);
  return label;
}
