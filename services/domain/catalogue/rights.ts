/** What a caller may do with a catalogue that is there for him. */
import type { Editing, MemberRight } from "#contracts/catalogue-rights.ts";
import { type Role, roleAtLeast } from "#contracts/roles.ts";

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
export function mayOwn(role: Role, { right }: RightFacts): boolean {
  return role === "admin" || (roleAtLeast(role, "editor") && right === "own");
}

/** His right for himself to see: what his role leaves of it. */
export function effectiveRight(role: Role, facts: RightFacts): MemberRight {
  if (mayOwn(role, facts)) return "own";
  return mayChange(role, facts) ? "edit" : "read";
}
