import { clusterPassword, openCluster } from "#infra/postgres/embedded/cluster.ts";
import { serviceUrl } from "#infra/postgres/embedded/embedded.ts";
import { freePort, stopServer } from "#infra/postgres/embedded/server.ts";

const ATTEMPTS = 5;

/**
 * The run's server does not sync: it is thrown away at the end, and none of its tests crashes it. Each
 * worker has a service that is shared and one of a file, with all their connections.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "400",
  shared_buffers: "512MB",
  max_wal_size: "2GB",
  timezone: "UTC",
  fsync: "off",
};

export type TestServer = { readonly url: string; readonly stop: () => Promise<void> };

/** Starts PostgreSQL on a prepared DATA_DIR. */
export async function startTestServer(dataDir: string): Promise<TestServer> {
  const cluster = await openCluster(dataDir);
  const password = await clusterPassword(cluster);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const settings = Object.entries({ ...SETTINGS, port: String(port) });
    try {
      await cluster.run(cluster.binaries.pg_ctl, [
        "start",
        "--wait",
        "--silent",
        `--pgdata=${cluster.clusterDir}`,
        `--log=${cluster.clusterDir}/server.log`,
        `--options=${settings.map(([name, value]) => `-c ${name}=${value}`).join(" ")}`,
      ]);
      return { url: serviceUrl(password, port), stop: () => stopServer(cluster) };
    } catch (error) {
      // Another program may have taken the port.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
