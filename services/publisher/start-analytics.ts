import type { Logger } from "pino";
import { ANALYTICS } from "#contracts/names.ts";
import {
  createSizedSends,
  type KafkaSession,
  type KafkaSessionOptions,
  openKafkaSession,
} from "#infra/brokers/kafka.ts";
import { noteRefusal } from "#infra/brokers/relay.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { type AnalyticsDeps, publishAnalytics } from "./analytics/publish-analytics.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";
import { restrictedNow } from "./restricted-now.ts";

/** The cluster, and how to sign in to it. */
export type KafkaAccess = Pick<KafkaSessionOptions, "brokers" | "ssl" | "sasl">;

export type AnalyticsPublisherDeps = Omit<AnalyticsDeps, "send" | "isRestricted" | "onProgress"> & {
  readonly kafka: KafkaAccess;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** Publishes changes of catalogues to Kafka: one of all processes does, and the others stand by. */
export function startAnalytics(deps: AnalyticsPublisherDeps): Publisher {
  const { kafka, logger } = deps;
  const isRestricted = restrictedNow(deps.log);
  return publishUnderLease({
    ...deps,
    name: ANALYTICS.feed,
    async publish(onConnected, signal) {
      const session = await openKafkaSession({ ...kafka, clientId: CLIENT_ID, logger, signal });
      try {
        const ended = AbortSignal.any([signal, session.lost]);
        const { send, partitionOf } = session;
        const onRefused = (bytes: number) => reportRefusal(deps, session, bytes);
        const sized = createSizedSends({ send, partitionOf, onRefused, signal: ended });
        onConnected();
        await publishAnalytics(
          { ...deps, isRestricted, send: sized, onProgress: onConnected },
          ended,
        );
      } finally {
        await session.close();
      }
    },
  });
}

/** Tells readiness and metrics why the feed stands still, and the log once. */
async function reportRefusal(
  { pool, logger }: AnalyticsPublisherDeps,
  session: Pick<KafkaSession, "limit">,
  bytes: number,
): Promise<void> {
  const refusal = { topic: ANALYTICS.topic, bytes, limit: await session.limit() };
  const isNew = await noteRefusal(pool, ANALYTICS.feed, refusal);
  if (isNew) logger.warn(refusal, "Kafka refuses a message for its size: raise max.message.bytes");
}

const CLIENT_ID = "earthquake-catalogue-service";
