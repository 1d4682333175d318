import type { FastifyRequest } from "fastify";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Access } from "#contracts/http/operation.ts";
import { roleAtLeast } from "#contracts/roles.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { isLoopback } from "#infra/kernel/loopback.ts";
import type { Actor } from "../http/handler.ts";

export type Caller = {
  readonly actor: Actor | null;
  /** Whether the request comes from the service's own machine. */
  readonly isLocal: () => boolean;
  readonly isPublic: () => Promise<boolean>;
  /** Whether the request came by the address of a share. */
  readonly isShared: () => Promise<boolean>;
};

type Needed = { readonly access: Access; readonly scope: Scope | "session" };

/**
 * Refuses callers without access: 401 for a guest, 403 for a role that is too low and an access token of
 * another scope. `isPublic` returns whether the named catalogue is public.
 * @throws Refusal UNAUTHENTICATED, FORBIDDEN; NOT_FOUND for an unknown share, and from `isPublic`
 */
export async function authorise({ access, scope }: Needed, caller: Caller): Promise<void> {
  await requireAccess(access, caller);
  const isOpen = access === "share" || (access === "operators" && caller.isLocal());
  if (!isOpen && caller.actor?.token) requireScope(caller.actor.token, scope);
}

/** Whether somebody acts as an administrator here, by a session or an access token that is for it. */
export function isAdministrator({ role, token }: Actor): boolean {
  return role === "admin" && (token === undefined || includesScope(token.scopes, "admin"));
}

/** @throws Refusal FORBIDDEN for an access token that is not for this */
export function requireScope(
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

async function requireAccess(
  access: Access,
  { actor, isLocal, isPublic, isShared }: Caller,
): Promise<void> {
  switch (access) {
    case "public":
      return;
    case "readers":
      if (actor === null && !(await isPublic())) throw new Refusal("UNAUTHENTICATED");
      return;
    case "share":
      if (!(await isShared())) throw new Refusal("NOT_FOUND", "There is no such share");
      return;
    case "operators":
      if (!isLocal() && actor?.role !== "admin") throw new Refusal("FORBIDDEN");
      return;
    case "signed-in":
    case "viewer":
    case "editor":
    case "admin": {
      if (actor === null) throw new Refusal("UNAUTHENTICATED");
      const required = access === "signed-in" ? "viewer" : access;
      if (!roleAtLeast(actor.role, required)) throw new Refusal("FORBIDDEN");
      return;
    }
    default:
      return unknownCase(access);
  }
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
