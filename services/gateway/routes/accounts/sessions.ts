import { Refusal } from "#contracts/errors.ts";
import { clearedSessionCookie, sessionCookie } from "#infra/security/session-cookie.ts";
import { revokeSession } from "#infra/security/vault/sessions.ts";
import { loginCommand } from "#services/commands/accounts/login.ts";
import type { MakeHandler } from "../make-handler.ts";

const DAY_SECONDS = 24 * 60 * 60;

export const loginHandler: MakeHandler<
  "login",
  "context" | "signToken" | "sessionDays" | "publicBaseUrl"
> = ({ context, signToken, sessionDays, publicBaseUrl }) => {
  const lifetimeSeconds = sessionDays * DAY_SECONDS;
  return async ({ body, network }) => {
    const form = { ...body, network };
    const loggedIn = await loginCommand(context, form, lifetimeSeconds * 1_000);
    if (!loggedIn) throw new Refusal("UNAUTHENTICATED", "Invalid email or password");
    const { user, sessionId } = loggedIn;
    const token = signToken({ sub: user.id, sid: sessionId }, lifetimeSeconds);
    const cookie = sessionCookie(publicBaseUrl, token, lifetimeSeconds);
    return { body: { user, token }, headers: { "set-cookie": cookie } };
  };
};

export const logoutHandler: MakeHandler<"logout", "pool" | "now" | "publicBaseUrl"> =
  ({ pool, now, publicBaseUrl }) =>
  async ({ actor }) => {
    if (actor) await revokeSession(pool, actor.sessionId, now());
    const cookie = clearedSessionCookie(publicBaseUrl);
    return { body: { success: true }, headers: { "set-cookie": cookie } };
  };

export const getSessionHandler: MakeHandler<"getSession", never> =
  () =>
  async ({ actor }) => {
    if (!actor) return { body: {} };
    const { userId, email, name, role, expires } = actor;
    return { body: { user: { id: userId, email, name, role }, expires } };
  };
