import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { NoPrimary, openSession } from "#infra/postgres/connection.ts";
import { type Cluster, clusterPassword, openCluster } from "#infra/postgres/embedded/cluster.ts";
import {
  freePort,
  killServer,
  startEmbeddedPostgres,
  startServer,
} from "#infra/postgres/embedded/embedded.ts";
import { createApiClient } from "../support/api-client.ts";
import { withClient } from "../support/database-template.ts";
import { silentLogger } from "../support/logger.ts";
import {
  NotStarted,
  type ServiceProcess,
  startServiceProcess,
} from "../support/service-process.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

/** Generous, since it only ends what would never end. */
const POLL = { timeout: 60_000, interval: 200 };

type Server = {
  readonly cluster: Cluster;
  readonly host: string;
  /** Address of the service's database on this server alone. */
  readonly url: string;
  /** The same for the superuser. */
  readonly superuserUrl: string;
};

let directory: Awaited<ReturnType<typeof createTemporaryDirectory>>;
let primary: Server;
let standby: Server;

/** A server and a copy of it that follows it. */
beforeAll(async () => {
  directory = await createTemporaryDirectory();
  const [first, second] = ["first", "second"].map((name) => join(directory.path, name));
  if (first === undefined || second === undefined) throw new Error("there are two names");
  const made = await startEmbeddedPostgres({ dataDir: first, log: silentLogger() });
  await made.stop();
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  primary = await serverIn(first, made.url);
  standby = await serverIn(second, made.url);
  await startServer(primary.cluster, portOf(primary));
  await follow(standby, primary);
});

afterAll(async () => {
  for (const server of [primary, standby]) if (server) await killServer(server.cluster);
  await directory?.remove();
});

async function serverIn(dataDir: string, madeUrl: string): Promise<Server> {
  const cluster = await openCluster(dataDir);
  const url = new URL(madeUrl);
  url.port = String(await freePort());
  const superuser = new URL(url);
  superuser.username = "postgres";
  superuser.password = await clusterPassword(cluster);
  return { cluster, host: url.host, url: url.href, superuserUrl: superuser.href };
}

const portOf = ({ url }: Server): number => Number(new URL(url).port);

/** Starts a server as a standby of another. */
async function follow(server: Server, leader: Server): Promise<void> {
  const { clusterDir } = server.cluster;
  await writeFile(join(clusterDir, "standby.signal"), "");
  await writeFile(
    join(clusterDir, "postgresql.auto.conf"),
    `primary_conninfo = '${leader.superuserUrl}'\n`,
  );
  await startServer(server.cluster, portOf(server));
}

/** The address of both, the one that is a standby at first in front. */
function bothUrl(): string {
  return standby.url.replace(standby.host, `${standby.host},${primary.host}`);
}

function start(databaseUrl: string): Promise<ServiceProcess> {
  return startServiceProcess({
    DATABASE_URL: databaseUrl,
    PUBLIC_BASE_URL: "http://quakes.example.org",
    JWT_SECRET: "a secret of these tests alone, 32 long",
    RATE_LIMIT_AUTH: "0",
  });
}

test("a start on a standby alone is refused in one line", async () => {
  const failure = await start(standby.url).catch((error: unknown) => error);
  if (!(failure instanceof NotStarted)) throw new Error("the service has started");
  expect(failure.exitCode).toBe(1);
  expect(failure.output.split("\n")).toEqual([
    "DATABASE_URL cannot be used: it is a standby, which takes no changes",
  ]);
});

test("a service with both addresses uses the primary, and the other after a fail-over", async () => {
  const service = await start(bothUrl());
  onTestFinished(() => service.kill());
  let users = 0;
  const register = async (): Promise<number> => {
    users += 1;
    const form = { email: `u${users}@example.org`, password: "long enough 1", name: "Somebody" };
    const answer = await createApiClient(service.url).send("POST", "/api/auth/register", form);
    return answer.status;
  };
  expect(await register()).toBe(201);

  await killServer(primary.cluster);
  await expect(openSession(bothUrl(), "test")).rejects.toThrow(NoPrimary);
  await withClient(standby.superuserUrl, (client) => client.query("select pg_promote()"));
  await expect.poll(register, POLL).toBe(201);

  // The former primary comes back as a standby, and is first in the list of another client.
  await follow(primary, standby);
  const session = await openSession(
    primary.url.replace(primary.host, `${primary.host},${standby.host}`),
    "test",
  );
  const { rows } = await session.client.query("select pg_is_in_recovery() as standby");
  await session.close();
  expect(rows).toEqual([{ standby: false }]);
  expect(await register()).toBe(201);
  expect(await service.stop()).toBe(0);
});
