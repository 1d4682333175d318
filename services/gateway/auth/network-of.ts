import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";

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

export function networkKey(request: FastifyRequest): string {
  return `network ${networkOf(request)}`;
}
