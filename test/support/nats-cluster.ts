import { freePort } from "#infra/postgres/embedded/server.ts";
import { type NatsServer, startNatsServer } from "./nats-server.ts";

export type NatsCluster = {
  readonly servers: readonly NatsServer[];
  /** All of them, as NATS_URL takes them. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/** Three NATS servers of one cluster, named 0, 1 and 2. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
  const servers = await Promise.all(
    routes.map((route, i) =>
      startNatsServer([
        ...["--name", `${i}`, "--cluster_name", "test", "--cluster", route],
        ...["--routes", routes.join(",")],
      ]),
    ),
  );
  return {
    servers,
    url: servers.map(({ url }) => url).join(","),
    stop: async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
    },
  };
}
