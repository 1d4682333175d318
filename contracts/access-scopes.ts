/**
 * What an access token may be used for (`contracts/docs/tokens.md`). The console reads this file too: schemas, which
 * would bring zod with them, are where they are used.
 */
import type { Role } from "./rights.ts";

export const SCOPES = ["read", "write", "admin", "metrics"] as const;

export type Scope = (typeof SCOPES)[number];

/** From which role on a scope is of use; nobody gives a token more than he may. */
export const ROLE_OF_SCOPE: Readonly<Record<Scope, Role>> = {
  read: "viewer",
  write: "editor",
  admin: "admin",
  metrics: "admin",
};

const INCLUDED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  write: ["read", "write"],
  admin: SCOPES,
  metrics: ["metrics"],
};

/** Whether one of the scopes is `needed` or includes it. */
export function includesScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => INCLUDED[scope].includes(needed));
}
