import { TOKEN_REALM } from "#infra/vault/tokens.ts";
import type { Challenges } from "../http/error-handlers.ts";
import { isForEventService } from "../http/event-service-paths.ts";
import type { Nonces } from "./nonces.ts";

/**
 * Clients of the event service read the first challenge alone, and ObsPy knows none but Digest. Elsewhere
 * the scheme is one for which browsers open no dialog.
 */
export function createChallenges(nonces: Nonces): Challenges {
  return (request) => {
    if (!isForEventService(request)) return "Bearer";
    const stale = request.hasStaleNonce ? ", stale=true" : "";
    return [
      `Digest realm="${TOKEN_REALM}", qop="auth", algorithm=MD5, nonce="${nonces.next()}"${stale}`,
      `Basic realm="${TOKEN_REALM}", charset="UTF-8"`,
    ];
  };
}
