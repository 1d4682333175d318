import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { sessionCookie } from "#infra/security/session-cookie.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import type { Handler } from "../../http/handler.ts";

export type LoginDeps = {
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
