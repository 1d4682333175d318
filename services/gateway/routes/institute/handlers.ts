import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { validate } from "#infra/json/validation.ts";
import { type SignInFlow, SignInRefused } from "#infra/openid.ts";
import { joinInstituteCommand } from "#services/commands/accounts/institute/join.ts";
import { signInAtInstituteCommand } from "#services/commands/accounts/institute/sign-in.ts";
import type { Call, TextAnswer } from "../../http/handler.ts";
import { room } from "../../http/room.ts";
import { givenOut } from "../accounts/given-out.ts";
import { createSessions, type SessionNeeds } from "../accounts/sign-in.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";
import { begunCookie, type CookieNeeds, confirmedCookie } from "./cookies.ts";

type Needs = SessionNeeds | CookieNeeds | "context" | "provider" | "openId" | "registration";
type FinishCall = Call<Operations["finishOpenId"]>;
type Begun = SignInFlow & { readonly next: string };

const finishOpenIdHandler: MakeHandler<"finishOpenId", Needs> = (deps) => {
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

const Form = z.object({ password: z.string() });

const joinOpenIdHandler: MakeHandler<"joinOpenId", SessionNeeds | CookieNeeds | "context"> = (
  deps,
) => {
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

/** Any origin that no address names: a path that leads elsewhere leaves it. */
const HERE = "http://here.invalid";

/** A path of this service with its query; `/` for whatever leads elsewhere. */
function ownPath(next = "/"): string {
  if (!next.startsWith("/") || !URL.canParse(next, HERE)) return "/";
  const { origin, pathname, search } = new URL(next, HERE);
  // "/.//host" has its path begin with two slashes, which by itself names a host.
  return origin === HERE && !pathname.startsWith("//") ? pathname + search : "/";
}

const beginOpenIdHandler: MakeHandler<"beginOpenId", CookieNeeds | "provider"> = (deps) => {
  const { provider } = deps;
  const cookie = begunCookie(deps);
  return async ({ query, accept, log }) => {
    const next = ownPath(query.next);
    return provider
      .begin()
      .then(({ url, flow }) => redirect(url, cookie.set({ ...flow, next })))
      .catch((error: unknown) => refused(error, { accept, log, next, cleared: cookie.cleared }));
  };
};

export const handlersOfInstitute = room({
  beginOpenId: beginOpenIdHandler,
  finishOpenId: finishOpenIdHandler,
  joinOpenId: joinOpenIdHandler,
});

/** Sends a browser elsewhere, with what it shall keep. */
function redirect(location: string, ...cookies: readonly string[]): TextAnswer {
  return { contentType: "text/plain; charset=utf-8", text: "", headers: { location }, cookies };
}

type Asker = {
  readonly accept: string | undefined;
  readonly log: Pick<FastifyBaseLogger, "warn">;
  /** Where the person wanted to go. */
  readonly next: string;
  /** The `Set-Cookie` header that ends the sign-in. */
  readonly cleared: string;
};

/**
 * A browser is sent to the page for signing in, which says why; other programs get the error.
 * @throws the error
 */
function refused(error: unknown, { accept = "", log, next, cleared }: Asker): TextAnswer {
  if (!(error instanceof SignInRefused)) throw error;
  // Claims, which a cause may carry, are nobody else's business.
  const why = error.cause instanceof Error ? error.cause.message : undefined;
  log.warn({ reason: error.reason, why }, "a sign-in at the institute failed");
  if (!accept.includes("text/html")) throw error;
  const query = new URLSearchParams({ refused: error.reason, ...(next !== "/" && { next }) });
  return redirect(`/login?${query}`, cleared);
}
