import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type AnswerOf, call, sessionEnded, share } from "./call.ts";

export type SessionUser = NonNullable<AnswerOf<"GET /api/auth/session">["user"]>;
export type Role = SessionUser["role"];

/** Who is signed in: null for a guest, undefined until the service has answered. */
export const user = signal<SessionUser | null | undefined>(undefined);

/** Counts how often somebody has signed in or out since the page was opened: what was read before may differ. */
export const changesOfAccount = signal(0);

/** Why the service has not said who is signed in; null once it has. */
export const sessionFailure = signal<unknown>(null);

/** Counts questions and what is done to the session: an answer holds until something later is known. */
let count = 0;
let known = 0;

function become(now: SessionUser | null): void {
  const isOther = user.value !== undefined && user.value?.id !== now?.id;
  user.value = now;
  // What was refused before says nothing of who is signed in now.
  sessionEnded.value = false;
  sessionFailure.value = null;
  if (isOther) changesOfAccount.value += 1;
}

const RANKS: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, admin: 3 };

/** Whether the caller's role is at least this one. */
export function has(role: Role): boolean {
  return user.value ? RANKS[user.value.role] >= RANKS[role] : false;
}

/** Whether the caller may have what is for this role; undefined: for everybody. */
export function mayUse(role: Role | undefined): boolean {
  return role === undefined || has(role);
}

/** Asks the service anew: at the start, and after anything that may have ended the session. */
export async function readSession(): Promise<void> {
  if (share !== null) {
    become(null);
    // Whether the service is there is what some ask for.
    await call("GET /api/catalogues/:id", { params: { id: "" } });
    return;
  }
  const turn = ++count;
  try {
    const { user: answer } = await call("GET /api/auth/session", {});
    if (turn < known) return;
    known = turn;
    become(answer ?? null);
  } catch (error) {
    sessionFailure.value = error;
    throw error;
  }
}

export async function signIn(email: string, password: string): Promise<void> {
  const { user: answer } = await call("POST /api/auth/login", { body: { email, password } });
  known = ++count;
  become(answer);
}

/** Signs in to the account that has the address of the institute's, and ties them to each other. */
export async function joinInstitute(password: string) {
  const answer = await call("POST /api/auth/oidc/join", { body: { password } });
  known = ++count;
  become(answer.user);
  return answer;
}

export async function signOut(): Promise<void> {
  await call("POST /api/auth/logout", {});
  known = ++count;
  become(null);
}

/** This address as the query of the page for signing in, which leads back to it. */
export function hereAsNext(): string {
  const here = location.pathname + location.search;
  return here === "/" ? "" : `?next=${encodeURIComponent(here)}`;
}

/** Where to go after signing in: an address of this console, never another host. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  if (!next.startsWith("/") || !URL.canParse(next, location.origin)) return "/";
  const { origin, pathname, search: query } = new URL(next, location.origin);
  // "/.//host" has its path begin with two slashes, which by itself names a host.
  return origin === location.origin && !pathname.startsWith("//") ? pathname + query : "/";
}

export type Settings = AnswerOf<"GET /api/settings">;

const settings = signal<Settings | null>(null);
/** The first who needs them asks for all; after a failure the next one does. */
let isAsked = false;

/** What this installation is set to; null until the service has answered, and on pages of a share. */
export function useSettings(): Settings | null {
  useEffect(() => {
    if (isAsked || share !== null) return;
    isAsked = true;
    call("GET /api/settings", {}).then(
      (answer) => {
        settings.value = answer;
      },
      // What needs them does without.
      () => {
        isAsked = false;
      },
    );
  }, []);
  return settings.value;
}
