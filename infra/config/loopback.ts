import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an address is of this machine alone. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Whether the host of a URL is this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
}
