import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { validate } from "#infra/json/validate.ts";
import { SignInRefused } from "#infra/openid/sign-in-refused.ts";
import { joinInstituteCommand } from "#services/commands/accounts/institute/join.ts";
import { givenOut } from "../accounts/given-out.ts";
import { createSessions, type SessionNeeds } from "../accounts/sign-in.ts";
import type { MakeHandler } from "../make-handler.ts";
import { type CookieNeeds, confirmedCookie } from "./cookies.ts";

const Form = z.object({ password: z.string() });

export const joinOpenIdHandler: MakeHandler<
  "joinOpenId",
  SessionNeeds | CookieNeeds | "context"
> = (deps) => {
  const { context } = deps;
  const confirmed = confirmedCookie(deps);
  const sessions = createSessions(deps);
  return async ({ body, command, cookies, network }) => {
    const { password } = validate(Form, body);
    const joining = confirmed.read(cookies);
    if (joining === null) throw new SignInRefused("not-begun");
    const start = { network, sessionMs: sessions.lifetimeMs };
    const loggedIn = await joinInstituteCommand(context, command, { ...joining, password }, start);
    if (loggedIn === null) throw new Refusal("UNAUTHENTICATED", "The password is wrong");
    const { user, token, cookie } = sessions.of(loggedIn);
    const left = await givenOut(context, loggedIn.tokensEnded, user);
    return { body: { user, token, ...left }, cookies: [cookie, confirmed.cleared] };
  };
};
