import type { Logger } from "pino";
import { ANALYTICS } from "#contracts/names.ts";
import { openKafkaSession } from "#infra/kafka/kafka-session.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { type AnalyticsDeps, publishAnalytics } from "./analytics/publish-analytics.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";

export type AnalyticsPublisherDeps = Omit<AnalyticsDeps, "send" | "onProgress"> & {
  /** Addresses of the Kafka cluster, each `host:port`. */
  readonly brokers: readonly string[];
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** Publishes changes of catalogues to Kafka: one of all processes does, and the others stand by. */
export function startAnalytics(deps: AnalyticsPublisherDeps): Publisher {
  const { brokers, logger } = deps;
  return publishUnderLease({
    ...deps,
    name: ANALYTICS.feed,
    async publish(onConnected, signal) {
      const session = await openKafkaSession({ brokers, clientId: CLIENT_ID, logger, signal });
      try {
        onConnected();
        await publishAnalytics(
          { ...deps, send: session.send, onProgress: onConnected },
          AbortSignal.any([signal, session.lost]),
        );
      } finally {
        await session.close();
      }
    },
  });
}

const CLIENT_ID = "earthquake-catalogue-service";
