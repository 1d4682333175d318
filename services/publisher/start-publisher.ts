import type { Logger } from "pino";
import { RELAYS } from "#contracts/names.ts";
import { UnknownEvent } from "#infra/event-log/domain-events.ts";
import { supervise } from "#infra/lifecycle/supervise.ts";
import { withLease } from "#infra/postgres/lease.ts";
import { type PublishDeps, publishNotices } from "./publish-notices.ts";

export type PublisherDeps = Omit<PublishDeps, "onConnected"> & {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Told when the log holds an event that this version cannot hand on. */
  readonly onFatal: (error: unknown) => void;
};

export type Publisher = {
  /** How it stands with the broker, for readiness. */
  readonly state: () => "standing by" | "disconnected" | "connected";
  readonly close: () => Promise<void>;
};

/** Publishes notices to the broker: over all processes one does and the others stand by. */
export function startPublisher(deps: PublisherDeps): Publisher {
  const { databaseUrl, logger } = deps;
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
          await publishNotices({ ...deps, onConnected }, signal);
        } finally {
          state = "disconnected";
        }
      },
      { signal, logger, name: RELAYS.publisher, isFatal: (e) => e instanceof UnknownEvent },
    );

  const running = withLease(
    databaseUrl,
    `relay ${RELAYS.publisher}`,
    { signal: stopping.signal, log: logger },
    (leaseSignal) =>
      publish(leaseSignal).finally(() => {
        state = "standing by";
      }),
  ).catch(deps.onFatal);

  return {
    state: () => state,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}
