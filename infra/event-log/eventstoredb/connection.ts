import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { type Credentials, EventStoreDBClient } from "@eventstore/db-client";
import {
  type Encryption,
  type Endpoint,
  readConnectionString,
} from "../../config/event-store-connection-string.ts";
import { Unavailable } from "../errors.ts";
import { calling, isGivenUp, isNotLeader, reading } from "./failures.ts";

/** The client, and the arguments of all its calls. */
export type Connection = {
  readonly client: EventStoreDBClient;
  /**
   * Also keep appends out of the client's BatchAppend: with its own credentials an append is a
   * separate call, without the table of promises that all clients of a process share.
   */
  readonly credentials: Credentials;
  /**
   * Repeats a call that only the leader answers, until `deadline` (performance.now()), while another
   * server leads or the leader gives up before it has finished.
   * @throws Unavailable once the connection is closed
   */
  onLeader<T>(deadline: number, call: () => Promise<T>): Promise<T>;
  /**
   * Runs a call that finds out whether the servers answer.
   * @throws Unavailable when no server can be reached; its message names a rejected certificate
   */
  reaching<T>(call: () => Promise<T>): Promise<T>;
  readonly closing: AbortSignal;
  close(): Promise<void>;
};

const LEADER_RETRY_MS = 50;
const DISPOSE_MS = 2_000;

/** @throws RangeError for an invalid connection string; the message does not show it */
export function openConnection(url: string): Connection {
  const parsed = readConnectionString(url);
  if (parsed === null) throw new RangeError("not a connection string of an event store");
  const client = EventStoreDBClient.connectionString(parsed.server);
  const closing = new AbortController();
  let isUsed = false;
  let closed: Promise<void> | null = null;

  async function close(): Promise<void> {
    closing.abort();
    // `dispose` waits for streams to end, and some streams that the server ended never do.
    await Promise.race([client.dispose(), delay(DISPOSE_MS, undefined, { ref: false })]);
    // Asking an unused client for its channel would open one and look for a server.
    if (isUsed) await closeChannel(client);
  }

  return {
    get client() {
      isUsed = true;
      return client;
    },
    credentials: parsed.credentials,
    closing: closing.signal,

    onLeader: (deadline, call) => onLeader(deadline, call, closing.signal),

    async reaching(call) {
      try {
        return await reading(call);
      } catch (error) {
        if (!(error instanceof Unavailable) || parsed.encryption === null) throw error;
        const fault = await certificateFault(parsed.encryption);
        throw fault === null ? error : new Unavailable(fault, { cause: error });
      }
    },

    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function onLeader<T>(
  deadline: number,
  call: () => Promise<T>,
  closing: AbortSignal,
): Promise<T> {
  for (;;) {
    if (closing.aborted) throw new Unavailable("the event log is closed");
    try {
      return await calling(call);
    } catch (error) {
      const isToRepeat = isNotLeader(error) || isGivenUp(error);
      if (!isToRepeat || performance.now() > deadline) throw error;
      await delay(LEADER_RETRY_MS);
    }
  }
}

/** `dispose` leaves the channel and its socket open; no public method closes them. */
async function closeChannel(client: EventStoreDBClient): Promise<void> {
  const { getChannel } = client as unknown as { getChannel: () => Promise<{ close(): void }> };
  const channel = await getChannel().catch(() => null);
  channel?.close();
}

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
async function certificateFault({ endpoints, authorityFile }: Encryption): Promise<string | null> {
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
