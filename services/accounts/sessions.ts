import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { SessionUser } from "#contracts/http/accounts.ts";
import type { MadeShare } from "#contracts/http/catalogues.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { Role } from "#contracts/rights.ts";
import type { Config } from "#infra/config/config.ts";
import { validate } from "#infra/json/validation.ts";
import { type SignInFlow, SignInRefused } from "#infra/openid.ts";
import { revokeSession } from "#infra/vault/credentials.ts";
import { clearedSessionCookie, createSignedCookie, sessionCookie } from "#infra/vault/tokens.ts";
import { listSharesMadeBy } from "#projections/read/catalogues.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { CommandContext } from "#services/context.ts";
import { normaliseEmail } from "#services/domain/accounts/fields.ts";
import type { Call, Handlers, TextAnswer } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { joinInstituteCommand, signInAtInstituteCommand } from "./institute.ts";
import { type LoggedIn, type LoginForm, loginCommand } from "./passwords.ts";

export function handlersOfSessions(deps: HandlerDeps) {
  const { pool, now, publicBaseUrl } = deps;
  return {
    login: loginHandler(deps),

    logout: async ({ actor }) => {
      if (actor) await revokeSession(pool, actor.sessionId, now());
      const cookie = clearedSessionCookie(publicBaseUrl);
      return { body: { success: true }, headers: { "set-cookie": cookie } };
    },

    getSession: async ({ actor }) => {
      if (!actor) return { body: {} };
      const { userId, email, name, role, expires } = actor;
      return { body: { user: { id: userId, email, name, role }, expires } };
    },
  } satisfies Partial<Handlers>;
}

export const handlersOfInstitute = (deps: HandlerDeps) =>
  ({
    beginOpenId: beginOpenIdHandler(deps),

    finishOpenId: finishOpenIdHandler(deps),

    joinOpenId: joinOpenIdHandler(deps),
  }) satisfies Partial<Handlers>;

const loginHandler: (deps: HandlerDeps) => Handlers["login"] = (deps) => {
  const signIn = createSignIn(deps);
  return async ({ body, network }) => {
    const signedIn = await signIn({ ...body, network });
    if (!signedIn) throw new Refusal("UNAUTHENTICATED", "Invalid email or password");
    const { user, token, cookie } = signedIn;
    return { body: { user, token }, headers: { "set-cookie": cookie } };
  };
};

const DAY_SECONDS = 24 * 60 * 60;

export type SignedIn = {
  readonly user: z.infer<typeof SessionUser>;
  readonly token: string;
  /** `Set-Cookie` */
  readonly cookie: string;
};

/** What whoever has signed in gets. */
function createSessions({ signToken, sessionDays, publicBaseUrl }: HandlerDeps) {
  const lifetimeSeconds = sessionDays * DAY_SECONDS;
  return {
    lifetimeMs: lifetimeSeconds * 1_000,
    of: ({ user, sessionId }: LoggedIn): SignedIn => {
      const token = signToken({ sub: user.id, sid: sessionId }, lifetimeSeconds);
      return { user, token, cookie: sessionCookie(publicBaseUrl, token, lifetimeSeconds) };
    },
  };
}

/** Begins sessions; null where address and password do not fit. */
export function createSignIn(deps: HandlerDeps) {
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

const finishOpenIdHandler: (deps: HandlerDeps) => Handlers["finishOpenId"] = (deps) => {
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

function createFinish(deps: HandlerDeps) {
  const { context, provider, openId, registration } = deps;
  const begun = begunCookie(deps);
  const confirmed = confirmedCookie(deps);
  const sessions = createSessions(deps);
  return async (
    flow: (SignInFlow & { readonly next: string }) | null,
    { command, network, query, url }: Call<Operations["finishOpenId"]>,
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

const joinOpenIdHandler: (deps: HandlerDeps) => Handlers["joinOpenId"] = (deps) => {
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

const beginOpenIdHandler: (deps: HandlerDeps) => Handlers["beginOpenId"] = (deps) => {
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

/** From its end to the joining of an account. */
const confirmedCookie = (deps: HandlerDeps) =>
  createSignedCookie({ ...optionsOf(deps), name: "oidc-join", schema: Confirmed });

const Confirmed = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** Whose password is to be typed. */
  userId: z.string(),
  role: Role.nullable(),
});

/** For signing in at the institute, and for typing a password. */
const LIFETIME_SECONDS = 10 * 60;

/** From the beginning of a sign-in to its end. */
const begunCookie = (deps: HandlerDeps) =>
  createSignedCookie({ ...optionsOf(deps), name: "oidc", schema: Begun });

const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path of this service to come back to. */
  next: z.string(),
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

function optionsOf({ jwtSecret, publicBaseUrl, now }: HandlerDeps) {
  return { lifetimeSeconds: LIFETIME_SECONDS, secret: jwtSecret, publicBaseUrl, now };
}

/**
 * What an account had given out, for the answer to whatever makes it somebody's own again.
 * @param reader whoever gets the answer: the account's owner unless it is said otherwise
 */
export async function givenOut(
  { pool, now }: Pick<CommandContext, "pool" | "now">,
  tokensEnded: number,
  { id, role }: { readonly id: string; readonly role: Role },
  reader: Reader = { kind: "user", userId: id, role, catalogues: null },
): Promise<{ readonly tokensEnded: number; readonly shares: MadeShare[] }> {
  return { tokensEnded, shares: [...(await listSharesMadeBy(pool, id, reader, now()))] };
}
