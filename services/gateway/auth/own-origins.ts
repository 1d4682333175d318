import { isLoopbackHost } from "#infra/config/loopback.ts";

/** What a request says of where it comes from: its headers `Origin` and `Host`. */
type Sender = { readonly origin: string; readonly host: string | undefined };

/**
 * Tells whether pages of an origin may use a visitor's cookie. A service that is known by a loopback
 * address has several names on its machine (localhost, 127.0.0.1), so there the one that was called counts too.
 */
export function ownOrigins(
  publicBaseUrl: string,
  corsOrigins: readonly string[],
): (sender: Sender) => boolean {
  const base = new URL(publicBaseUrl);
  const origins = new Set([base.origin, ...corsOrigins]);
  const isLocal = isLoopbackHost(base.hostname);
  return ({ origin, host }) => {
    if (origins.has(origin)) return true;
    if (!isLocal || !URL.canParse(origin)) return false;
    const url = new URL(origin);
    return url.origin === origin && url.host === host && isLoopbackHost(url.hostname);
  };
}
