import type { FastifyRequest } from "fastify";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Access, CatalogueAct } from "#contracts/http/operation.ts";
import { type Role, roleAtLeast } from "#contracts/roles.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { isLoopback } from "#infra/config/loopback.ts";
import type { CatalogueFacts } from "#projections/read/rights.ts";
import { mayChange, mayOwn } from "#services/domain/catalogues/access.ts";
import type { Actor } from "../http/handler.ts";

export type Caller = {
  readonly actor: Actor | null;
  /** Whether the request comes from the service's own machine. */
  readonly isLocal: () => boolean;
  /** Whether the request came by the address of a share. */
  readonly isShared: () => Promise<boolean>;
};

type Needed = { readonly access: Access; readonly scope: Scope | "session" };

/**
 * Refuses callers without access by their role: 401 for a guest, 403 for a role that is too low and an access token
 * of another scope. `readers` are refused by the catalogue (`authoriseCatalogue`).
 * @throws Refusal UNAUTHENTICATED, FORBIDDEN; NOT_FOUND for an unknown share
 */
export async function authorise({ access, scope }: Needed, caller: Caller): Promise<void> {
  await requireAccess(access, caller);
  const isOpen = access === "share" || (access === "operators" && caller.isLocal());
  if (!isOpen && caller.actor?.token) requireScope(caller.actor.token, scope);
}

/** @throws Refusal FORBIDDEN for whoever does not act as an administrator here */
export function requireAdministrator(actor: Actor): void {
  if (ownRole(actor) !== "admin") throw new Refusal("FORBIDDEN");
  if (actor.token) requireScope(actor.token, "admin");
}

/** The role of the account; what a token may do of it, its scopes say. */
function ownRole({ role, token }: Actor): Role {
  return token?.ownerRole ?? role;
}

/** @throws Refusal FORBIDDEN for an access token that is not for this */
function requireScope(
  { scopes }: { readonly scopes: readonly Scope[] },
  needed: Scope | "session",
): void {
  if (needed === "session") {
    throw new Refusal("FORBIDDEN", "An access token cannot do this; sign in");
  }
  if (!includesScope(scopes, needed)) {
    throw new Refusal("FORBIDDEN", `The access token lacks the scope ${needed}`);
  }
}

async function requireAccess(access: Access, { actor, isLocal, isShared }: Caller): Promise<void> {
  switch (access) {
    case "public":
    case "readers":
      return;
    case "share":
      if (!(await isShared())) throw new Refusal("NOT_FOUND", "There is no such share");
      return;
    case "operators":
      if (!isLocal() && (!actor || ownRole(actor) !== "admin")) throw new Refusal("FORBIDDEN");
      return;
    case "signed-in":
    case "viewer":
    case "editor":
    case "admin": {
      if (actor === null) throw new Refusal("UNAUTHENTICATED");
      const required = access === "signed-in" ? "viewer" : access;
      if (!roleAtLeast(ownRole(actor), required)) throw new Refusal("FORBIDDEN");
      return;
    }
    default:
      return unknownCase(access);
  }
}

/** @throws Refusal FORBIDDEN for an access token that is for some catalogues alone */
export function requireMaker(actor: Actor | null): void {
  if ((actor?.token?.catalogues ?? null) === null) return;
  const message = "This access token is for some catalogues alone: it makes no others";
  throw new Refusal("FORBIDDEN", message);
}

export type CatalogueCall = {
  readonly act: CatalogueAct;
  readonly access: Access;
  readonly actor: Actor | null;
  /** Null for a catalogue that is not there for the caller. */
  readonly facts: CatalogueFacts | null;
  /** Whether guests learn only that they have to sign in, whatever they may not read. */
  readonly hidesUnknown: boolean;
};

/**
 * Refuses callers who may not do with a catalogue what an operation does. One that is not there for the caller is
 * answered for as one that does not exist.
 * @returns what is known of a catalogue that is there
 * @throws Refusal UNAUTHENTICATED, NOT_FOUND, FORBIDDEN
 */
export function authoriseCatalogue({
  act,
  access,
  actor,
  facts: there,
  hidesUnknown,
}: CatalogueCall): CatalogueFacts | null {
  if (act === "record") return there;
  if (there === null) {
    if (actor === null && hidesUnknown) throw new Refusal("UNAUTHENTICATED");
    throw new Refusal("NOT_FOUND", "Catalogue not found");
  }
  if (actor === null) {
    if (access === "readers" && !there.isPublic) throw new Refusal("UNAUTHENTICATED");
    return there;
  }
  const may = act === "read" || (act === "change" ? mayChange : mayOwn)(actor.role, there);
  if (!may) throw new Refusal("FORBIDDEN");
  return there;
}

/**
 * A proxy on this machine sets one of these; requests that it forwards are not local, whether the
 * proxy is trusted or not.
 */
const FORWARDED = ["x-forwarded-for", "forwarded", "x-real-ip"];

/**
 * Whether a request comes directly from a loopback address; behind a trusted proxy the client's
 * address counts.
 */
export function isLocal({ ip, ips, headers }: FastifyRequest): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
  return !(isForwarded && ips === undefined) && isLoopback(ip);
}
