import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { clearedSessionCookie, sessionCookie } from "#infra/security/session-cookie.ts";
import { revokeSession } from "#infra/security/vault/sessions.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

type LoginDeps = {
  readonly context: AccountContext;
  /** Signs a token with user and session; HS256. */
  readonly signToken: (claims: { sub: string; sid: string }, lifetimeSeconds: number) => string;
  readonly sessionDays: number;
  readonly publicBaseUrl: string;
};

const DAY_SECONDS = 24 * 60 * 60;

export function loginHandler(deps: LoginDeps): Handler<Operations["login"]> {
  const lifetimeSeconds = deps.sessionDays * DAY_SECONDS;
  return async ({ body, network }) => {
    const loggedIn = await loginCommand(
      deps.context,
      { ...body, network },
      lifetimeSeconds * 1_000,
    );
    if (!loggedIn) throw new Refusal("UNAUTHENTICATED", "Invalid email or password");
    const { user, sessionId } = loggedIn;
    const token = deps.signToken({ sub: user.id, sid: sessionId }, lifetimeSeconds);
    const cookie = sessionCookie(deps.publicBaseUrl, token, lifetimeSeconds);
    return { body: { user, token }, headers: { "set-cookie": cookie } };
  };
}

type LogoutDeps = {
  readonly context: Pick<CommandContext, "pool" | "now">;
  readonly publicBaseUrl: string;
};

export function logoutHandler(deps: LogoutDeps): Handler<Operations["logout"]> {
  const { pool, now } = deps.context;
  return async ({ actor }) => {
    if (actor) await revokeSession(pool, actor.sessionId, now());
    const cookie = clearedSessionCookie(deps.publicBaseUrl);
    return { body: { success: true }, headers: { "set-cookie": cookie } };
  };
}

export function getSessionHandler(): Handler<Operations["getSession"]> {
  return async ({ actor }) => {
    if (!actor) return { body: {} };
    const { userId, email, name, role, expires } = actor;
    return { body: { user: { id: userId, email, name, role }, expires } };
  };
}
