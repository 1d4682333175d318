import { readFile } from "node:fs/promises";
import { GenericContainer, Wait } from "testcontainers";
import { parse } from "yaml";
import { z } from "zod";
import { freePort } from "#infra/postgres/embedded/server.ts";

const COMPOSE = new URL("../../docker-compose.yml", import.meta.url);
const KAFKA_PORT = 9092;
const Compose = z.object({
  services: z.object({ redpanda: z.object({ image: z.string() }) }),
});

export type Redpanda = {
  /** `host:port` */
  readonly broker: string;
  readonly stop: () => Promise<void>;
};

/** Redpanda in a container, of the version in docker-compose.yml. Docker has to be there. */
export async function startRedpanda(): Promise<Redpanda> {
  const { services } = Compose.parse(parse(await readFile(COMPOSE, "utf8"), { merge: true }));
  // The broker tells clients its address, so the port outside has to be known before it starts.
  const port = await freePort();
  const container = await new GenericContainer(services.redpanda.image)
    .withExposedPorts({ container: KAFKA_PORT, host: port })
    .withCommand([
      "redpanda",
      "start",
      "--smp=1",
      "--memory=1G",
      "--overprovisioned",
      "--node-id=0",
      `--kafka-addr=PLAINTEXT://0.0.0.0:${KAFKA_PORT}`,
      `--advertise-kafka-addr=PLAINTEXT://127.0.0.1:${port}`,
    ])
    .withWaitStrategy(Wait.forLogMessage("Successfully started Redpanda!"))
    .start();
  return {
    broker: `127.0.0.1:${port}`,
    stop: async () => {
      await container.stop();
    },
  };
}
