import { join } from "node:path";
import { type Fault, randomFaults } from "../support/agency/fault.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import { type KafkaCluster, startKafkaCluster } from "../support/kafka-cluster.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { startTopicRecorder, type TopicRecorder } from "./clients.ts";
import {
  type EventStorePart,
  type Part,
  type PostgresPart,
  restartable,
  type ServicePart,
  servicePart,
  startEventStorePart,
  startPostgresPart,
} from "./parts.ts";

export const ADMIN = { email: "torture@example.org", password: "only for the torture test" };

/** The whole service as it is run apart, and all that it needs. */
export type World = {
  readonly postgres: PostgresPart;
  readonly nats: Part & { readonly relay: TcpRelay; readonly url: string };
  /** The log's server; null where the log is in PostgreSQL. */
  readonly eventStore: EventStorePart | null;
  readonly kafka: KafkaCluster;
  readonly topic: TopicRecorder;
  readonly webhook: WebhookReceiver;
  readonly agency: TestAgency;
  readonly services: readonly ServicePart[];
  /** URLs of the gateways that run. */
  readonly gateways: () => string[];
  readonly close: () => Promise<void>;
};

const AGENCY = { events: 5_000, cap: 400 } as const;
const AGENCY_FAULTS: readonly Fault[] = [
  { kind: "dropped" },
  { kind: "reset" },
  { kind: "truncated" },
  { kind: "malformed" },
  { kind: "status", status: 500 },
];

/** How many processes of each role run. */
const COPIES = { gateway: 2, projector: 2, publisher: 1, notifier: 1 } as const;

/** @param seed of what the agency has, and of how it fails */
export async function startWorld(seed: number): Promise<World> {
  const directory = await createTemporaryDirectory();
  const postgres = await startPostgresPart(join(directory.path, "database"));
  const eventStore = process.env["EVENTSTORE_TEST_COMMAND"] ? await startEventStorePart() : null;
  const server = await startNatsServer();
  const natsRelay = await startTcpRelay(() => Number(new URL(server.url).port));
  const kafka = await startKafkaCluster();
  const topic = startTopicRecorder(kafka.directBroker());
  const webhook = await startWebhookReceiver();
  const agency = await startTestAgency({
    events: servedEvents(seed, AGENCY.events),
    cap: AGENCY.cap,
  });
  agency.fail(randomFaults(seed, { share: 0.1, faults: AGENCY_FAULTS }));
  const variables = (role: string) => () => ({
    ROLES: role,
    DATA_DIR: directory.path,
    DATABASE_URL: postgres.url(),
    ...(eventStore && { EVENTSTORE_URL: eventStore.url }),
    JWT_SECRET: "a secret of the torture alone, 32 long",
    PUBLIC_BASE_URL: "http://quakes.example.org",
    NATS_URL: `nats://127.0.0.1:${natsRelay.port}`,
    KAFKA_BROKERS: kafka.broker,
    AGENCY_URL: agency.url,
    EMAIL_WEBHOOK_URL: webhook.url,
    ...unlimitedFor(ADMIN),
  });
  const services = Object.entries(COPIES).flatMap(([role, copies]) =>
    Array.from({ length: copies }, (_, i) => servicePart(`${role} ${i + 1}`, variables(role))),
  );
  await Promise.all(services.map(({ start }) => start()));
  return {
    postgres,
    nats: { ...restartable("nats-server", server), relay: natsRelay, url: server.url },
    eventStore,
    kafka,
    topic,
    webhook,
    agency,
    services,
    gateways: () =>
      services.flatMap((part) => {
        const url = part.process()?.url;
        return url ? [url] : [];
      }),
    close: async () => {
      await Promise.all(services.map(({ stop }) => stop()));
      await topic.close();
      await webhook.close();
      await agency.close();
      await kafka.stop();
      await natsRelay.close();
      await server.stop();
      await eventStore?.stop();
      await postgres.stop();
      await directory.remove();
    },
  };
}
