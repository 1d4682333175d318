import type { Role } from "../../api/session.ts";

/** The roles from the least to the greatest, each with what its people do. */
export const ROLES: readonly {
  readonly role: Role;
  readonly name: string;
  readonly does: string;
}[] = [
  {
    role: "viewer",
    name: "viewer",
    does: "sees and exports all catalogues but those restricted to others",
  },
  { role: "editor", name: "editor", does: "makes, imports, merges and edits catalogues" },
  { role: "admin", name: "administrator", does: "does everything, and decides who may do what" },
];

export const ROLE_OPTIONS = ROLES.map(({ role, name }) => ({ value: role, text: name }));

/** "editor", "administrator". */
export function roleName(role: Role): string {
  return ROLES.find((one) => one.role === role)?.name ?? role;
}

/** "an editor", "an administrator". */
export function aRole(role: Role): string {
  return role === "viewer" ? "a viewer" : `an ${roleName(role)}`;
}
