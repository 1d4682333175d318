import type { z } from "zod";
import type { SessionUser } from "#contracts/http/accounts/accounts.ts";
import { sessionCookie } from "#infra/security/session-cookie.ts";
import { type LoginForm, loginCommand } from "#services/commands/accounts/login.ts";
import type { HandlerDeps } from "../make-handler.ts";

const DAY_SECONDS = 24 * 60 * 60;

export type SignInNeeds = "context" | "signToken" | "sessionDays" | "publicBaseUrl";

export type SignedIn = {
  readonly user: z.infer<typeof SessionUser>;
  readonly token: string;
  /** `Set-Cookie` */
  readonly cookie: string;
};

/** Begins sessions; null where address and password do not fit. */
export function createSignIn({
  context,
  signToken,
  sessionDays,
  publicBaseUrl,
}: Pick<HandlerDeps, SignInNeeds>) {
  const lifetimeSeconds = sessionDays * DAY_SECONDS;
  return async (form: LoginForm): Promise<SignedIn | null> => {
    const loggedIn = await loginCommand(context, form, lifetimeSeconds * 1_000);
    if (!loggedIn) return null;
    const { user, sessionId } = loggedIn;
    const token = signToken({ sub: user.id, sid: sessionId }, lifetimeSeconds);
    return { user, token, cookie: sessionCookie(publicBaseUrl, token, lifetimeSeconds) };
  };
}
