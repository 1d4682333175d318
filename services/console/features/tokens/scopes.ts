import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import type { Role } from "../../api/session.ts";

/** What a token may do, from the least to the greatest; but for the first each includes those before it. */
export const SCOPES_IN_WORDS: readonly {
  readonly scope: Scope;
  readonly name: string;
  /** Follows "A program with this token". */
  readonly does: string;
  /** From which role on it is of use. */
  readonly role: Role;
}[] = [
  {
    scope: "metrics",
    name: "metrics",
    does: "reads the service's metrics, and nothing else",
    role: "admin",
  },
  {
    scope: "read",
    name: "read",
    does: "reads, compares and exports what you may read; it changes nothing",
    role: "viewer",
  },
  {
    scope: "write",
    name: "read and change",
    does: "reads what you may read, and makes, imports, merges and edits catalogues",
    role: "editor",
  },
  {
    scope: "admin",
    name: "everything",
    does: "does everything that administrators do, with accounts and rights too",
    role: "admin",
  },
];

/** The greatest of a token's scopes: "read and change". */
export function scopesInWords(scopes: readonly Scope[]): string {
  return SCOPES_IN_WORDS.findLast(({ scope }) => includesScope(scopes, scope))?.name ?? "";
}
