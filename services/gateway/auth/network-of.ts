import { isIP } from "node:net";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";

/**
 * The network that a request comes from: an IPv4 address, or the /64 of an IPv6 address, which a
 * subscriber has whole to choose addresses from.
 */
export function networkOf(request: FastifyRequest): string {
  // A proxy may pass on what is no address; whatever its length, it is not kept.
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? "") : request.ip;
  return normalizeIP(address, 64);
}

/** Whose budget and place a request counts for: its user's, or a guest's network. */
export function callerOf(request: FastifyRequest): string {
  return request.actor ? `user ${request.actor.userId}` : networkKey(request);
}

export function networkKey(request: FastifyRequest): string {
  return `network ${networkOf(request)}`;
}
