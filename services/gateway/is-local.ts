import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** A proxy on this machine says so: what it passes on is not local, whether its word is believed or not. */
const FORWARDED = ["x-forwarded-for", "forwarded", "x-real-ip"];

/** Whether a request comes from a loopback address itself; behind a believed proxy its client's counts. */
export function isLocal({ ip, ips, headers }: FastifyRequest): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
  if (isForwarded && ips === undefined) return false;
  const family = isIP(ip);
  return family !== 0 && LOOPBACK.check(ip, family === 6 ? "ipv6" : "ipv4");
}
