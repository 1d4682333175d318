import { z } from "zod";

/** What an access token may be used for, each including those before it (`contracts/docs/tokens.md`). */
export const SCOPES = ["read", "write", "admin"] as const;

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** Whether one of the scopes is `needed` or includes it. */
export function includesScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => SCOPES.indexOf(scope) >= SCOPES.indexOf(needed));
}
