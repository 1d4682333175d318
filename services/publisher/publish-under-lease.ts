import type { Logger } from "pino";
import { UnknownEvent } from "#infra/event-log/domain-events.ts";
import { supervise } from "#infra/lifecycle/supervise.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { withLease } from "#infra/postgres/lease.ts";

export type Publisher = {
  /** How it stands with the broker, for readiness. */
  readonly state: () => "standing by" | "disconnected" | "connected";
  readonly close: () => Promise<void>;
};

export type PublishingOptions = {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Names the lease, and the work in the log. */
  readonly name: string;
  /** Told when the log holds an event that this version cannot hand on. */
  readonly onFatal: (error: unknown) => void;
  /** Publishes over one connection, until it is lost or `signal` aborts. */
  readonly publish: (onConnected: () => void, signal: AbortSignal) => Promise<void>;
};

/**
 * Keeps publishing: over all processes one does and the others stand by. Outages of the broker are
 * waited out.
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
