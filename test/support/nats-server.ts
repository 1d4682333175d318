import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { ClusterOptions } from "#infra/brokers/nats.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

export type NatsServer = {
  readonly url: string;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, with what it has stored. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes what it has stored: the next start finds an empty disk. */
  readonly wipe: () => Promise<void>;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
};

/** For a stream on a server that is no cluster. */
export const ONE_SERVER: ClusterOptions = {
  replicas: 1,
  signal: new AbortController().signal,
};

/** System packages put the server where the PATH of a user does not always look. */
const SERVER_DIRECTORIES = "/usr/local/sbin:/usr/sbin";

/**
 * A NATS server with JetStream on a free port of the loopback, stored in a temporary directory.
 * `options` are further arguments, `variables` its environment. `nats-server` has to be installed.
 */
export async function startNatsServer(
  options: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<NatsServer> {
  const port = await freePort();
  let directory = await createTemporaryDirectory();
  const start = () =>
    spawnServer([...options, "--port", `${port}`, "--store_dir", directory.path], variables);
  let child = await start();

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      child = await start();
    },
    wipe: async () => {
      await kill();
      await directory.remove();
      directory = await createTemporaryDirectory();
    },
    stop: async () => {
      await kill();
      await directory.remove();
    },
  };
}

async function spawnServer(
  options: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn("nats-server", ["--jetstream", "--addr", "127.0.0.1", ...options], {
    env: { ...variables, PATH: `${process.env["PATH"]}:${SERVER_DIRECTORIES}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lines: string[] = [];
  child.once("error", (cause) =>
    reject(new Error("nats-server cannot be started: is it installed?", { cause })),
  );
  child.once("exit", () => reject(new Error(`nats-server has ended:\n${lines.join("\n")}`)));
  createInterface(child.stderr).on("line", (line) => {
    lines.push(line);
    if (line.includes("Server is ready")) resolve();
  });
  await promise;
  return child;
}

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

/** A broker for all tests of the file, that runs and has nothing stored before each. */
export function useBroker(): NatsServer {
  let server: NatsServer | undefined;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  beforeEach(async () => {
    await broker().wipe();
    await broker().restart();
  });
  afterAll(() => server?.stop());

  function broker(): NatsServer {
    if (!server) throw new Error("the broker is there only while tests run");
    return server;
  }
  return {
    get url() {
      return broker().url;
    },
    kill: () => broker().kill(),
    restart: () => broker().restart(),
    wipe: () => broker().wipe(),
    stop: () => broker().stop(),
  };
}
