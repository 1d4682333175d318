import { access } from "node:fs/promises";

/** A server that is not this project's own. */
export type RealServer = {
  /** Connection string of clients. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/** The long-term version under the BSD licence; later ones have another. */
const IMAGE = "eventstore/eventstore:23.10.1-bookworm-slim";
const PORT = 2113;
const DOCKER_SOCKET = "/var/run/docker.sock";

/** The server that EVENTSTORE_TEST_URL names, else one in a container; null where there is no Docker. */
export async function findRealServer(): Promise<RealServer | null> {
  const url = process.env["EVENTSTORE_TEST_URL"];
  if (url) return { url, stop: async () => undefined };
  if (!(await isDockerThere())) return null;
  try {
    return await startContainer();
  } catch (error) {
    process.emitWarning(`no event store in a container: ${String(error)}`);
    return null;
  }
}

/** An empty server in a container of its own, which keeps nothing. */
export async function startContainer(): Promise<RealServer> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer(IMAGE)
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
