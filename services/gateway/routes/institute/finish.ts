import type { Operations } from "#contracts/http/table/operations.ts";
import type { SignInFlow } from "#infra/openid/openid-provider.ts";
import { SignInRefused } from "#infra/openid/sign-in-refused.ts";
import { signInAtInstituteCommand } from "#services/commands/accounts/institute/sign-in.ts";
import type { Call, TextAnswer } from "../../http/handler.ts";
import { createSessions, type SessionNeeds } from "../accounts/sign-in.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";
import { begunCookie, type CookieNeeds, confirmedCookie } from "./cookies.ts";
import { redirect, refused } from "./redirect.ts";

type Needs = SessionNeeds | CookieNeeds | "context" | "provider" | "openId" | "registration";
type FinishCall = Call<Operations["finishOpenId"]>;
type Begun = SignInFlow & { readonly next: string };

export const finishOpenIdHandler: MakeHandler<"finishOpenId", Needs> = (deps) => {
  const begun = begunCookie(deps);
  const finish = createFinish(deps);
  return async (call) => {
    const { cookies, accept, log } = call;
    const flow = begun.read(cookies);
    return finish(flow, call).catch((error: unknown) =>
      refused(error, { accept, log, next: flow?.next ?? "/", cleared: begun.cleared }),
    );
  };
};

function createFinish(deps: Pick<HandlerDeps, Needs>) {
  const { context, provider, openId, registration } = deps;
  const begun = begunCookie(deps);
  const confirmed = confirmedCookie(deps);
  const sessions = createSessions(deps);
  return async (
    flow: Begun | null,
    { command, network, query, url }: FinishCall,
  ): Promise<TextAnswer> => {
    if (flow === null || query["state"] !== flow.state) throw new SignInRefused("not-begun");
    const identity = await provider.finish(url.slice(url.indexOf("?") + 1), flow);
    const { issuer, subject } = identity;
    const signedIn = await signInAtInstituteCommand(context, command, identity, {
      groupsOfRoles: openId?.groupsOfRoles ?? null,
      awaitsApproval: registration === "approval",
      network,
      sessionMs: sessions.lifetimeMs,
    });
    if (signedIn.kind === "to-join") {
      const { userId, role } = signedIn;
      const query = new URLSearchParams({ next: flow.next });
      const cookie = confirmed.set({ issuer, subject, userId, role });
      return redirect(`/join?${query}`, cookie, begun.cleared);
    }
    return redirect(flow.next, sessions.of(signedIn.loggedIn).cookie, begun.cleared);
  };
}
