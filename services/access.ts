/** Who calls, and what they may do. */

import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { includesScope, type Scope } from "#contracts/access-scopes.ts";
import { unknownCase } from "#contracts/cases.ts";
import { Refusal } from "#contracts/errors.ts";
import type { Access, CatalogueAct } from "#contracts/http/operation.ts";
import { type Role, roleAtLeast } from "#contracts/rights.ts";
import { InvalidJson, parseJson } from "#infra/json/json.ts";
import { isLoopback } from "#infra/kernel/texts.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { findUser } from "#projections/read/accounts.ts";
import {
  type CatalogueFacts,
  catalogueFacts,
  GUEST,
  type Reader,
} from "#projections/read/rights.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/accounts/fields.ts";
import { mayChange, mayGiveRights } from "#services/domain/catalogues/access.ts";
import type { Actor } from "./handler.ts";

export type Caller = {
  readonly actor: Actor | null;
  /** Whether the request comes from the service's own machine. */
  readonly isLocal: () => boolean;
  /** Whether the request came by the address of a share. */
  readonly isShared: () => Promise<boolean>;
};

/**
 * Refuses callers without access by their role: 401 for a guest, 403 for a role that is too low and an access token
 * of another scope. `readers` are refused by the catalogue (`authoriseCatalogue`).
 * @throws Refusal UNAUTHENTICATED, FORBIDDEN; NOT_FOUND for an unknown share
 */
export async function authorise(
  { access, scope }: { readonly access: Access; readonly scope: Scope | "session" },
  caller: Caller,
): Promise<void> {
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
  const may = act === "read" || (act === "change" ? mayChange : mayGiveRights)(actor.role, there);
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

/**
 * The network of a request: an IPv4 address, or the /64 of an IPv6 address, within which a
 * subscriber can choose addresses freely.
 */
export function networkOf(request: FastifyRequest): string {
  // A proxy may forward a malformed address of any length, which is not stored.
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? "") : request.ip;
  return normalizeIP(address, 64);
}

/** The key of a caller for budgets and turns: the user, or a guest's network. */
export function callerOf(request: FastifyRequest): string {
  return request.actor ? `user ${request.actor.userId}` : networkKey(request);
}

/** Whose rights a request has; below a share those of the share, whoever calls. */
export function readerOf({ actor, sharedCatalogue }: FastifyRequest): Reader {
  if (sharedCatalogue !== null) return { kind: "share", catalogueId: sharedCatalogue };
  return readerOfActor(actor);
}

export function readerOfActor(actor: Actor | null): Reader {
  if (actor === null) return GUEST;
  const { userId, role, token } = actor;
  return { kind: "user", userId, role, catalogues: token?.catalogues ?? null };
}

export function networkKey(request: FastifyRequest): string {
  return `network ${networkOf(request)}`;
}

const Body = z.object({ email: z.string() });

/**
 * Pseudonym of the account that a request is about, whether it exists or not: the caller's own if
 * the operation needs a session, else that of the address in the body, whoever the caller is. Null
 * without an address. The address itself is not stored.
 */
export function accountTried(request: FastifyRequest): string | null {
  const email = isOwn(request) ? normalised(request.actor?.email) : addressIn(request.body);
  return email && `account ${createHash("sha256").update(email).digest("base64")}`;
}

function isOwn({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.operation?.access !== "public";
}

/** Null also for a malformed body, whose parser will report it. */
function addressIn(body: unknown): string | null {
  if (!(body instanceof Buffer)) return null;
  try {
    return normalised(Body.safeParse(parseJson(body)).data?.email);
  } catch (error) {
    if (error instanceof InvalidJson) return null;
    throw error;
  }
}

function normalised(email = ""): string | null {
  const trimmed = email.trim();
  return isEmailAddress(trimmed) ? normaliseEmail(trimmed) : null;
}

type OfMaker = { readonly maker: string; readonly catalogueId: string };

/** Why a schedule's maker may import into its catalogue no longer, a sentence; null where he may. */
export async function whyMakerMayNot(lookups: Lookups, of: OfMaker): Promise<string | null> {
  const rights = await makerRights(lookups, of);
  return typeof rights === "string" ? rights : null;
}

/** The maker of what changes a catalogue by itself, as its reader; a sentence where he may change it no longer. */
export async function makerRights(
  lookups: Lookups,
  { maker, catalogueId }: OfMaker,
): Promise<Reader | string> {
  const user = await findUser(lookups, maker);
  if (user === null) return "The account of its maker was deleted";
  if (!user.is_active) return "The account of its maker is not active";
  const { role } = user;
  const reader = { kind: "user", userId: maker, role, catalogues: null } as const;
  const facts = await catalogueFacts(lookups, catalogueId, reader);
  const may = facts !== null && mayChange(role, facts);
  return may ? reader : "Its maker may not change the catalogue any more";
}
