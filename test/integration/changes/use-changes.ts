import { sql } from "slonik";
import { beforeEach, expect, onTestFinished } from "vitest";
import { RELAYS } from "#contracts/events/log.ts";
import { readRelayCheckpoint } from "#infra/brokers/relay.ts";
import type { Position } from "#infra/log/event-log.ts";
import { startChanges } from "#services/publisher/broker.ts";
import type { Publisher } from "#services/publisher/publish-under-lease.ts";
import { type TestCatalogues, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { silentLogger } from "../../support/logger.ts";
import { type NatsServer, useBroker } from "../../support/nats-server.ts";
import { type ChangeMessage, readChanges } from "../../support/read-changes.ts";

export const PUBLIC_BASE_URL = "https://quakes.example.org";

/** Generous, since it only ends what would never end. */
export const POLL = { timeout: 60_000, interval: 20 };

export type ChangesScene = {
  readonly catalogues: TestCatalogues;
  readonly broker: NatsServer;
  /** Where the log ended when the test began. */
  readonly start: () => Position;
  readonly startPublisher: () => Publisher;
  /** Everything that the stream holds. */
  readonly messages: () => Promise<ChangeMessage[]>;
  /** Waits until everything that the log holds is acknowledged. */
  readonly settled: () => Promise<void>;
};

/** Catalogues over a real log, an empty broker, and a relay that stands at the end of the log, before each test. */
export function useChanges(): ChangesScene {
  const catalogues = useCatalogues();
  const broker = useBroker();
  let start: Position;
  beforeEach(async () => {
    const { pool, log } = catalogues.context;
    start = await log.head();
    await pool.query(sql.unsafe`
      insert into notifications.checkpoints as c (relay, position) values (${RELAYS.changes}, ${start})
      on conflict (relay) do update
        set position = excluded.position, event_id = null, broker_sequence = 0, broker_leader = null`);
    await pool.query(sql.unsafe`truncate notifications.published`);
  });
  return {
    catalogues,
    broker,
    start: () => start,
    startPublisher: () => {
      const { context, databaseUrl } = catalogues;
      const publisher = startChanges({
        databaseUrl,
        log: context.log,
        pool: context.pool,
        natsUrl: broker.url,
        natsReplicas: 1,
        compareEveryMs: 100,
        publicBaseUrl: PUBLIC_BASE_URL,
        logger: silentLogger(),
        onFatal: (error) => {
          throw error;
        },
      });
      onTestFinished(publisher.close);
      return publisher;
    },
    messages: () => readChanges(broker.url),
    settled: async () => {
      const { pool, log } = catalogues.context;
      const head = await log.head();
      const position = async () => (await readRelayCheckpoint(pool, RELAYS.changes)).position;
      await expect.poll(async () => (await position()) >= head, POLL).toBe(true);
    },
  };
}
