import type { Logger } from "pino";
import { supervise } from "#infra/kernel/waiting.ts";
import { UnknownEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";

/** The broker answers, and still cannot be published to; the message says why. */
export class BrokerNotReady extends Error {
  override readonly name = "BrokerNotReady";
}

export type Publisher = {
  /** State of the connection to the broker, for readiness. */
  readonly state: () => "standing by" | "disconnected" | "connected" | `not ready: ${string}`;
  readonly close: () => Promise<void>;
};

export type PublishingOptions = {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Name of the lease, and of the work in the log. */
  readonly name: string;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
  /** Publishes over one connection, until it is lost or `signal` aborts. */
  readonly publish: (onConnected: () => void, signal: AbortSignal) => Promise<void>;
};

/**
 * Keeps publishing: one of all processes does, and the others stand by. Waits during outages of the
 * broker.
 */
export function publishUnderLease(options: PublishingOptions): Publisher {
  const { databaseUrl, openSocket, logger, name } = options;
  const stopping = new AbortController();
  let state: ReturnType<Publisher["state"]> = "standing by";

  async function publish(signal: AbortSignal): Promise<void> {
    state = "disconnected";
    await supervise(
      async (progressed) => {
        const onConnected = (): void => {
          state = "connected";
          progressed();
        };
        try {
          await options.publish(onConnected, signal);
          state = "disconnected";
        } catch (error) {
          state = error instanceof BrokerNotReady ? `not ready: ${error.message}` : "disconnected";
          throw error;
        }
      },
      { signal, logger, name, isFatal: (error) => error instanceof UnknownEvent },
    );
  }

  const running = withLease(
    databaseUrl,
    `relay ${name}`,
    { signal: stopping.signal, log: logger, openSocket },
    (lease) =>
      publish(lease.signal).finally(() => {
        state = "standing by";
      }),
  ).catch(options.onFatal);

  return {
    state: () => state,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
