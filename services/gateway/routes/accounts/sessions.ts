import { Refusal } from "#contracts/errors.ts";
import { revokeSession } from "#infra/vault/credentials.ts";
import { clearedSessionCookie } from "#infra/vault/tokens.ts";
import type { MakeHandler } from "../make-handler.ts";
import { createSignIn, type SignInNeeds } from "./sign-in.ts";

export const loginHandler: MakeHandler<"login", SignInNeeds> = (deps) => {
  const signIn = createSignIn(deps);
  return async ({ body, network }) => {
    const signedIn = await signIn({ ...body, network });
    if (!signedIn) throw new Refusal("UNAUTHENTICATED", "Invalid email or password");
    const { user, token, cookie } = signedIn;
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
