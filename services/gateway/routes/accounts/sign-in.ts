import type { z } from "zod";
import type { SessionUser } from "#contracts/http/accounts/accounts.ts";
import type { Config } from "#infra/config/config.ts";
import { sessionCookie } from "#infra/vault/tokens.ts";
import { type LoggedIn, type LoginForm, loginCommand } from "#services/commands/accounts/login.ts";
import { normaliseEmail } from "#services/domain/accounts/fields.ts";
import type { HandlerDeps } from "../make-handler.ts";

const DAY_SECONDS = 24 * 60 * 60;

export type SignedIn = {
  readonly user: z.infer<typeof SessionUser>;
  readonly token: string;
  /** `Set-Cookie` */
  readonly cookie: string;
};

export type SessionNeeds = "signToken" | "sessionDays" | "publicBaseUrl";

/** What whoever has signed in gets. */
export function createSessions({
  signToken,
  sessionDays,
  publicBaseUrl,
}: Pick<HandlerDeps, SessionNeeds>) {
  const lifetimeSeconds = sessionDays * DAY_SECONDS;
  return {
    lifetimeMs: lifetimeSeconds * 1_000,
    of: ({ user, sessionId }: LoggedIn): SignedIn => {
      const token = signToken({ sub: user.id, sid: sessionId }, lifetimeSeconds);
      return { user, token, cookie: sessionCookie(publicBaseUrl, token, lifetimeSeconds) };
    },
  };
}

export type SignInNeeds = SessionNeeds | "context" | "openId";

/** Begins sessions; null where address and password do not fit. */
export function createSignIn(deps: Pick<HandlerDeps, SignInNeeds>) {
  const sessions = createSessions(deps);
  return async (form: Omit<LoginForm, "isOff">): Promise<SignedIn | null> => {
    const isOff = isPasswordOff(deps.openId, form.email);
    const loggedIn = await loginCommand(deps.context, { ...form, isOff }, sessions.lifetimeMs);
    return loggedIn && sessions.of(loggedIn);
  };
}

/** Where people sign in at their institute alone, only the bootstrap administrator has a password. */
function isPasswordOff(openId: Config["openId"], email: string): boolean {
  if (!openId?.only) return false;
  const { exceptEmail } = openId.only;
  return exceptEmail === null || normaliseEmail(exceptEmail) !== normaliseEmail(email);
}
