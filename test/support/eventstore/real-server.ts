import { access, readFile } from "node:fs/promises";
import { parseComposeFile } from "../compose-file.ts";
import { startEventStoreProcess } from "./event-store-process.ts";

/** A server that is not this project's own. */
export type RealServer = {
  /** Connection string of clients. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

const COMPOSE_FILE = new URL("../../../docker-compose.yml", import.meta.url);
const PORT = 2113;
const DOCKER_SOCKET = "/var/run/docker.sock";

/**
 * The server that EVENTSTORE_TEST_URL names, else one of the program that EVENTSTORE_TEST_COMMAND names,
 * else one in a container; null where there is no Docker.
 */
export async function findRealServer(): Promise<RealServer | null> {
  const url = process.env["EVENTSTORE_TEST_URL"];
  if (url) return { url, stop: async () => undefined };
  if (process.env["EVENTSTORE_TEST_COMMAND"]) return startEventStoreProcess();
  if (!(await isDockerThere())) return null;
  try {
    return await startContainer();
  } catch (error) {
    process.emitWarning(`no event store in a container: ${String(error)}`);
    return null;
  }
}

/** An empty server in a container of its own, of the version that the service is run with. */
export async function startContainer(): Promise<RealServer> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const { services } = parseComposeFile(await readFile(COMPOSE_FILE, "utf8"));
  const container = await new GenericContainer(services["eventstore"]?.image ?? "")
    .withCommand(["--insecure", "--mem-db"])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forHttp("/health/live", PORT).forStatusCode(204))
    .start();
  return {
    url: `esdb://${container.getHost()}:${container.getMappedPort(PORT)}?tls=false`,
    stop: async () => {
      await container.stop();
    },
  };
}

async function isDockerThere(): Promise<boolean> {
  if (process.env["DOCKER_HOST"]) return true;
  return access(DOCKER_SOCKET).then(
    () => true,
    () => false,
  );
}
