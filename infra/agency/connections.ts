import {
  type ClientRequest,
  get as getHttp,
  Agent as HttpAgent,
  type OutgoingHttpHeaders,
} from "node:http";
import { get as getHttps, Agent as HttpsAgent } from "node:https";
import type { AddressGuard } from "./guard/address-guard.ts";

/** Connections to one agency, kept alive for further requests. */
export type Connections = {
  /** @throws AddressRefused before anything is sent; of a name it is the request's error */
  readonly send: (url: URL, headers: OutgoingHttpHeaders, signal: AbortSignal) => ClientRequest;
  /** Closes the idle ones. */
  readonly close: () => void;
};

/** @param guard where they may lead; null for anywhere */
export function createConnections(userAgent: string, guard: AddressGuard | null): Connections {
  const options = { keepAlive: true, ...(guard && { lookup: guard.lookup }) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const own = { "user-agent": userAgent, "accept-encoding": "gzip" };
  return {
    send(url, further, signal) {
      guard?.require(url);
      const headers = { ...own, ...further };
      return url.protocol === "https:"
        ? getHttps(url, { agent: agents.https, headers, signal })
        : getHttp(url, { agent: agents.http, headers, signal });
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
