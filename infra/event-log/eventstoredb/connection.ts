import { setTimeout as delay } from "node:timers/promises";
import { type Credentials, EventStoreDBClient } from "@eventstore/db-client";
import { Unavailable } from "../errors.ts";
import { certificateFault } from "./certificate-fault.ts";
import { readConnectionString } from "./connection-string.ts";
import { calling, isGivenUp, isNotLeader, reading } from "./failures.ts";

/** The client and what each of its calls is given. */
export type Connection = {
  readonly client: EventStoreDBClient;
  /**
   * Also what keeps appends out of the client's BatchAppend: with credentials of its own an append
   * is a call of its own, apart from the table of promises that all clients of a process share.
   */
  readonly credentials: Credentials;
  /**
   * A call that only the leader answers, repeated until `deadline` (performance.now()) while
   * another server leads, or the leader gives it up without having finished it.
   * @throws Unavailable once the connection is closed
   */
  onLeader<T>(deadline: number, call: () => Promise<T>): Promise<T>;
  /**
   * Runs what finds out whether the servers answer at all.
   * @throws Unavailable when none can be reached; it names the certificate that is not taken
   */
  reaching<T>(call: () => Promise<T>): Promise<T>;
  readonly closing: AbortSignal;
  close(): Promise<void>;
};

const LEADER_RETRY_MS = 50;
const DISPOSE_MS = 2_000;

/** @throws RangeError for no connection string; it does not show the string */
export function openConnection(url: string): Connection {
  const parsed = readConnectionString(url);
  if (parsed === null) throw new RangeError("not a connection string of an event store");
  const client = EventStoreDBClient.connectionString(parsed.server);
  const closing = new AbortController();
  let isUsed = false;
  let closed: Promise<void> | null = null;

  async function close(): Promise<void> {
    closing.abort();
    // It waits for streams to end, which some that the server has ended never do.
    await Promise.race([client.dispose(), delay(DISPOSE_MS, undefined, { ref: false })]);
    // To ask for the channel of an unused client would open one, and look for a server.
    if (isUsed) await closeChannel(client);
  }

  return {
    get client() {
      isUsed = true;
      return client;
    },
    credentials: parsed.credentials,
    closing: closing.signal,

    async onLeader(deadline, call) {
      for (;;) {
        if (closing.signal.aborted) throw new Unavailable("the event log is closed");
        try {
          return await calling(call);
        } catch (error) {
          const isToRepeat = isNotLeader(error) || isGivenUp(error);
          if (!isToRepeat || performance.now() > deadline) throw error;
          await delay(LEADER_RETRY_MS);
        }
      }
    },

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

/** `dispose` leaves the channel open, with its socket; what would close it is not public. */
async function closeChannel(client: EventStoreDBClient): Promise<void> {
  const { getChannel } = client as unknown as { getChannel: () => Promise<{ close(): void }> };
  const channel = await getChannel().catch(() => null);
  channel?.close();
}
