import { Client } from "pg";
import { loadConfig } from "#infra/config/config.ts";
import { createLifecycle } from "#infra/lifecycle/lifecycle.ts";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { type ApiClient, createApiClient, sessionToken, signIn } from "../support/api-client.ts";
import { silentLogger } from "../support/logger.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";
import { createSharedCatalogues, type SharedCatalogues } from "./shared-catalogues.ts";

const ADMIN = { email: "bench@example.org", password: "only for the benchmark" };

/** What the cases measure: the service as its own process, and its database. */
export type BenchService = {
  readonly url: string;
  readonly pid: number;
  /** Address of an account. */
  readonly knownEmail: string;
  readonly client: ApiClient;
  /** Of the client's session. */
  readonly token: string;
  readonly shared: SharedCatalogues;
  readonly database: Client;
  readonly databaseUrl: string;
  /** Another process of the service on the same database, just started. */
  readonly startAnother: () => Promise<AnotherService>;
  readonly close: () => Promise<void>;
};

export type AnotherService = {
  readonly process: ServiceProcess;
  readonly signIn: () => Promise<ApiClient>;
};

/**
 * The service in a process of its own on a fresh embedded PostgreSQL, with its usual durability.
 * @param further variables beside the usual ones
 */
export async function startBenchService(
  further: Readonly<Record<string, string>> = {},
): Promise<BenchService> {
  const logger = silentLogger();
  const lifecycle = createLifecycle({ log: logger, timeoutMs: 60_000 });
  const directory = await createTemporaryDirectory();
  lifecycle.onClose("directory", directory.remove);
  const postgres = await startEmbeddedPostgres({ dataDir: directory.path, log: logger });
  lifecycle.onClose("postgres", postgres.stop);
  const { maxBodyBytes } = loadConfig({});
  const variables = {
    DATABASE_URL: postgres.url,
    JWT_SECRET: "a secret of the benchmark, 32 long..",
    PUBLIC_BASE_URL: "http://127.0.0.1",
    ...unlimitedFor(ADMIN),
    MAX_BODY_MB: String((4 * maxBodyBytes) / 1024 ** 2),
    ...further,
  };
  const service = await startServiceProcess(variables);
  lifecycle.onClose("service", async () => {
    await service.stop();
  });
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  lifecycle.onClose("connection", () => database.end());
  const token = await sessionToken(service.url, ADMIN);
  const client = createApiClient(service.url, token);
  return {
    url: service.url,
    pid: service.pid,
    knownEmail: ADMIN.email,
    client,
    token,
    shared: createSharedCatalogues(client, database),
    database,
    databaseUrl: postgres.url,
    startAnother: async () => {
      const another = await startServiceProcess(variables);
      return { process: another, signIn: () => signIn(another.url, ADMIN) };
    },
    close: async () => {
      await lifecycle.stop();
    },
  };
}
