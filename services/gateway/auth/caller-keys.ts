import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { parseJson } from "#infra/json/json-body.ts";
import { InvalidJson } from "#infra/json/scan.ts";
import { GUEST, type Reader } from "#projections/read/rights.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/accounts/fields.ts";
import type { Actor } from "../http/handler.ts";

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
