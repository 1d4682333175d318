/** Who may do what: the roles of accounts, and the rights to a catalogue. */

import { z } from "zod";

/** Roles of accounts, lowest first (`contracts/docs/http.md`, Access). */
export const ROLES = ["viewer", "editor", "admin"] as const;

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** True when `role` is at least `required` in the hierarchy viewer < editor < admin. */
export function roleAtLeast(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

export function lesserRole(one: Role, other: Role): Role {
  return roleAtLeast(one, other) ? other : one;
}

const VIEWER = ["catalogues:view", "catalogues:export"] as const;
const EDITOR = [
  ...VIEWER,
  "catalogues:write",
  "events:import",
  "events:merge",
  "events:upload",
] as const;
const ADMIN = [...EDITOR, "users:manage", "system:manage"] as const;

/** Permissions of each role, as the setup step stores them. */
export const ROLE_PERMISSIONS: Record<Role, readonly string[]> = {
  viewer: VIEWER,
  editor: EDITOR,
  admin: ADMIN,
};

/** Who may read a catalogue: everybody; everybody who is signed in; its members. */
export const CatalogueAccess = z.enum(["public", "internal", "restricted"]);
export type CatalogueAccess = z.infer<typeof CatalogueAccess>;

/**
 * Whose role suffices to change a catalogue: everybody's who reads it, unless it is restricted; that of members who
 * may.
 */
export const Editing = z.enum(["all", "members"]);
export type Editing = z.infer<typeof Editing>;

/** What a member may do, each with what stands before it; never more than the role allows. */
export const MemberRight = z.enum(["read", "edit", "own"]);
export type MemberRight = z.infer<typeof MemberRight>;

export const MemberKind = z.enum(["user", "group"]);
export type MemberKind = z.infer<typeof MemberKind>;
