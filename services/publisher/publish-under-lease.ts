import type { Logger } from "pino";
import { UnknownEvent } from "#infra/event-log/errors.ts";
import { supervise } from "#infra/lifecycle/supervise.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { withLease } from "#infra/postgres/lease.ts";

export type Publisher = {
  /** State of the connection to the broker, for readiness. */
  readonly state: () => "standing by" | "disconnected" | "connected";
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

  const publish = (signal: AbortSignal) =>
    supervise(
      async (progressed) => {
        state = "disconnected";
        try {
          const onConnected = (): void => {
            state = "connected";
            progressed();
          };
          await options.publish(onConnected, signal);
        } finally {
          state = "disconnected";
        }
      },
      { signal, logger, name, isFatal: (error) => error instanceof UnknownEvent },
    );

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
