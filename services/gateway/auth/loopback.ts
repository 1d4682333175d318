import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an address, or the host of a URL, is of this machine alone. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}
