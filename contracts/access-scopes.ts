/**
 * What an access token may be used for, each including those before it (`contracts/docs/tokens.md`).
 * The console reads this file too: schemas, which would bring zod with them, are where they are used.
 */
export const SCOPES = ["read", "write", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether one of the scopes is `needed` or includes it. */
export function includesScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => SCOPES.indexOf(scope) >= SCOPES.indexOf(needed));
}
