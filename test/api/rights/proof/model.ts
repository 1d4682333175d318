/**
 * Who may do what, written from the contract's words and the specification's table of access alone: nothing
 * here is the product's but the names of its operations.
 */
import type { Caller, Catalogue, Share, User, World } from "./world.ts";

export type Verdict = 401 | 403 | 404 | "allowed";

/** What a request does, of which the table of operations tells. */
export type Deed = {
  /** Whose work it is by the specification's table; `local` is for the service's own machine, too. */
  readonly level: "public" | "viewer" | "editor" | "admin" | "local";
  readonly isGet: boolean;
  /** For sessions alone; for tokens that only read, though it is no GET; or not there, so that no scope is asked. */
  readonly token?: "never" | "read" | "any";
  readonly makesCatalogue: boolean;
  /**
   * What it does with catalogues: guests `see` the names of internal ones; `open` are public ones alone; who may
   * not read one does not `find` in it, but in what was merged of it.
   */
  readonly act: "see" | "read" | "change" | "own" | "open" | "find";
  /** Null for one that nobody has. */
  readonly catalogues: readonly (Catalogue | null)[];
  /** Whether guests are asked who they are before they learn which catalogues there are. */
  readonly asksFirst: boolean;
  /** By whose address it comes, which asks for nothing else; null for one that nobody has made. */
  readonly share?: Share | null;
  /** Whether it is answered before anybody asks who calls. */
  readonly isProbe: boolean;
};

const LEVELS = ["public", "viewer", "editor", "admin"];

export function verdictOn(world: World, caller: Caller, deed: Deed): Verdict {
  if (deed.isProbe) return "allowed";
  const token = caller.kind === "token" ? caller.token : null;
  if (token && (token.isDead || !token.owner.isActive)) return 401;
  if (deed.share !== undefined) return deed.share?.isEnded === false ? "allowed" : 404;
  const role = accountRole(caller);
  if (deed.level !== "local" && LEVELS.indexOf(role) < LEVELS.indexOf(deed.level)) {
    return role === "public" ? 401 : 403;
  }
  if (token && !isInScope(token.scopes, deed)) return 403;
  if (token?.catalogues && deed.makesCatalogue) return 403;
  const verdicts = deed.catalogues.map((catalogue) => onCatalogue(world, caller, deed, catalogue));
  return verdicts.find((verdict) => verdict !== "allowed") ?? "allowed";
}

function onCatalogue(world: World, caller: Caller, deed: Deed, one: Catalogue | null): Verdict {
  const { act, asksFirst } = deed;
  const role = roleOf(caller);
  if (!one || !isThere(world, caller, one)) return role === "public" && asksFirst ? 401 : 404;
  if (act === "see") return "allowed";
  if (act === "find" && role === "public") {
    const merges = world.catalogues.filter(({ sources }) => sources?.includes(one));
    return [one, ...merges].some(({ access }) => access === "public") ? "allowed" : 404;
  }
  if (act === "open") return one.access === "public" ? "allowed" : 404;
  if (role === "public") return one.access === "public" ? "allowed" : 401;
  const right = rightOf(world, caller, one);
  const isOpen = one.editing === "all" && one.access !== "restricted";
  const mayChange = isOpen || right === "edit" || right === "own";
  if (act === "read" || act === "find" || role === "admin") return "allowed";
  if (role !== "editor") return 403;
  return (act === "change" ? mayChange : right === "own") ? "allowed" : 403;
}

/** Restricted catalogues are there for members and administrators, and no others than its own for a token. */
export function isThere(world: World, caller: Caller, one: Catalogue): boolean {
  if (caller.kind === "token" && caller.token.catalogues?.includes(one.id) === false) return false;
  const isRestricted = one.access === "restricted";
  return !isRestricted || roleOf(caller) === "admin" || rightOf(world, caller, one) !== null;
}

function rightOf({ groups }: World, caller: Caller, { members }: Catalogue) {
  const user = userOf(caller);
  if (!user) return null;
  const own = groups.filter((group) => group.members.has(user.id)).map(({ id }) => id);
  const rights = [user.id, ...own].map((id) => members.get(id));
  return (["own", "edit", "read"] as const).find((right) => rights.includes(right)) ?? null;
}

/** Whether somebody stays who owns a catalogue: an active user whose role lets him, or a group with one. */
export function isOwnedWithout({ users, groups }: World, { members }: Catalogue, gone: string) {
  const may = ({ role, isActive }: User) => isActive && role !== "viewer";
  const owners = [...members].flatMap(([id, right]) => (right === "own" && id !== gone ? id : []));
  return owners.some((owner) => {
    const group = groups.find(({ id }) => id === owner);
    return users.some((user) => may(user) && (user.id === owner || group?.members.has(user.id)));
  });
}

function userOf(caller: Caller) {
  if (caller.kind === "guest") return null;
  const user = caller.kind === "session" ? caller.user : caller.token.owner;
  return user.isActive ? user : null;
}

const accountRole = (caller: Caller) => userOf(caller)?.role ?? "public";

/** Of a token the less of its owner's role and of what it is for. */
function roleOf(caller: Caller): string {
  const role = accountRole(caller);
  if (caller.kind !== "token") return role;
  const { scopes } = caller.token;
  const writing = scopes.includes("write") ? "editor" : "viewer";
  const most = LEVELS.indexOf(scopes.includes("admin") ? "admin" : writing);
  return LEVELS[Math.min(LEVELS.indexOf(role), most)] ?? role;
}

function isInScope(scopes: readonly string[], { level, isGet, token }: Deed): boolean {
  if (token === "never") return false;
  // Whoever is on the service's own machine.
  if (level === "local" || token === "any") return true;
  if (scopes.every((scope) => scope === "metrics")) return false;
  const isRead = token === "read" || level === "public";
  if (level === "admin") return scopes.includes("admin");
  if (isRead || (level === "viewer" && isGet)) return true;
  return scopes.includes("write") || scopes.includes("admin");
}
