import { z } from "zod";
import { Role } from "#contracts/roles.ts";
import { createSignedCookie } from "#infra/vault/tokens.ts";
import type { HandlerDeps } from "../make-handler.ts";

/** For signing in at the institute, and for typing a password. */
const LIFETIME_SECONDS = 10 * 60;

const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path of this service to come back to. */
  next: z.string(),
});

const Confirmed = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** Whose password is to be typed. */
  userId: z.string(),
  role: Role.nullable(),
});

export type CookieNeeds = "jwtSecret" | "publicBaseUrl" | "now";

/** From the beginning of a sign-in to its end. */
export const begunCookie = (deps: Pick<HandlerDeps, CookieNeeds>) =>
  createSignedCookie({ ...optionsOf(deps), name: "oidc", schema: Begun });

/** From its end to the joining of an account. */
export const confirmedCookie = (deps: Pick<HandlerDeps, CookieNeeds>) =>
  createSignedCookie({ ...optionsOf(deps), name: "oidc-join", schema: Confirmed });

function optionsOf({ jwtSecret, publicBaseUrl, now }: Pick<HandlerDeps, CookieNeeds>) {
  return { lifetimeSeconds: LIFETIME_SECONDS, secret: jwtSecret, publicBaseUrl, now };
}
