import type { ConnectionOptions } from "nats";

/** Servers of one cluster, and how a client signs in to each of them. */
export type NatsServers = Pick<ConnectionOptions, "servers" | "tls" | "user" | "pass" | "token">;

/**
 * nats://[user:password@]host[:port] or tls://…, or a comma list, whose later addresses need neither
 * scheme nor user, as with other clients. The client takes user name, password and token as options.
 * @returns null when invalid, or when addresses differ in scheme, user or password
 */
export function readNatsServers(text: string): NatsServers | null {
  const addresses = addressesIn(text);
  const scheme = /^(?:nats|tls):\/\//.exec(addresses[0] ?? "")?.[0];
  if (scheme === undefined) return null;
  const urls = addresses.map((each) => URL.parse(each.includes("://") ? each : scheme + each));
  const [url] = urls;
  if (!url) return null;
  const servers: string[] = [];
  for (const each of urls) {
    if (!each?.host || each.protocol !== url.protocol) return null;
    const signsIn = `${each.username}${each.password}` !== "";
    const isSame = each.username === url.username && each.password === url.password;
    if (signsIn && !isSame) return null;
    servers.push(each.host);
  }
  const credentials = credentialsOf(url);
  return credentials && { servers, ...credentials, ...(scheme === "tls://" && { tls: {} }) };
}

/** The items of a comma list; a comma before the `@` of an address is part of its password. */
function addressesIn(text: string): string[] {
  if (!text.includes(",")) return [text.trim()];
  const addresses: string[] = [];
  for (const item of text.split(",")) {
    const continues = item.includes("@") && !item.includes("://");
    addresses.push(continues ? `${addresses.pop()},${item}` : item.trim());
  }
  // With two of them nobody can say where the password ends.
  return addresses.every((each) => each.split("@").length <= 2) ? addresses : [];
}

function credentialsOf({ username, password }: URL): Omit<NatsServers, "servers"> | null {
  try {
    const user = decodeURIComponent(username);
    if (password !== "") return { user, pass: decodeURIComponent(password) };
    return user === "" ? {} : { token: user };
  } catch {
    return null;
  }
}
