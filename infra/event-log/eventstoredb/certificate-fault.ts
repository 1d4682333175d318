import { readFile } from "node:fs/promises";
import { connect } from "node:tls";
import type { Encryption, Endpoint } from "../../config/event-store-connection-string.ts";

const TIMEOUT_MS = 2_000;

/** OpenSSL's verification codes (Node.js documentation, TLS, "X509 certificate error codes"). */
const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  CERT_REVOKED: "was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "names another host",
  SELF_SIGNED_CERT_IN_CHAIN: "is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is not trusted",
};

/**
 * The certificate problem that prevents TLS connections to a server; null when certificates are not
 * the reason. The client reports none while it looks for the leader of several servers.
 */
export async function certificateFault({
  endpoints,
  authorityFile,
}: Encryption): Promise<string | null> {
  const authority = authorityFile === null ? undefined : await readFile(authorityFile);
  const found = await Promise.all(endpoints.map((endpoint) => faultOf(endpoint, authority)));
  return found.find((fault) => fault !== null) ?? null;
}

function faultOf({ host, port }: Endpoint, ca: Buffer | undefined): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connect({ host, port, ca, ALPNProtocols: ["h2"], timeout: TIMEOUT_MS });
  const end = (fault: string | null): void => {
    resolve(fault);
    socket.destroy();
  };
  socket.once("secureConnect", () => end(null));
  socket.once("timeout", () => end(null));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    const fault = FAULTS[error.code ?? ""];
    end(fault === undefined ? null : `the certificate of ${host}:${port} ${fault}`);
  });
  return promise;
}
