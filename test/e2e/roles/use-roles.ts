import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { type ApiClient, signIn } from "../../support/api-client.ts";
import { silentLogger } from "../../support/logger.ts";
import { createPreparedDataDir } from "../../support/prepared-data-dir.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/service-process.ts";
import { unlimitedFor } from "../../support/unlimited-for.ts";

export const ADMIN = { email: "roles@example.org", password: "only for the tests of roles" };

/** Generous, since it only ends what would never end. */
export const POLL = { timeout: 240_000, interval: 50 };

export type Role = "gateway" | "projector" | "notifier" | "publisher";

export type RoleScene = {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Starts a process of one role, killed after the test if it runs. */
  readonly start: (
    role: Role,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<ServiceProcess>;
  /** A client of the administrator, once the account is visible. */
  readonly signIn: (gateway: ServiceProcess) => Promise<ApiClient>;
};

/**
 * A PostgreSQL of their own, whose connections no other test needs, for processes of one role each;
 * `variables` are asked at every start.
 */
export function useRoles(
  variables: () => Readonly<Record<string, string>> = () => ({}),
): RoleScene {
  let database: EmbeddedPostgres;
  let directory: { path: string; remove: () => Promise<void> };
  beforeAll(async () => {
    directory = await createPreparedDataDir();
    database = await startEmbeddedPostgres({ dataDir: directory.path, log: silentLogger() });
  });
  afterAll(async () => {
    await database.stop();
    await directory.remove();
  });

  return {
    get databaseUrl() {
      return database.url;
    },
    get dataDir() {
      return directory.path;
    },
    start: async (role, own = {}) => {
      const started = await startServiceProcess({
        ROLES: role,
        DATABASE_URL: database.url,
        DATA_DIR: directory.path,
        JWT_SECRET: "a secret of these tests alone, 32 long",
        PUBLIC_BASE_URL: "http://quakes.example.org",
        ...unlimitedFor(ADMIN),
        ...variables(),
        ...own,
      });
      onTestFinished(started.kill);
      return started;
    },
    signIn: async ({ url }) => {
      let client: ApiClient | undefined;
      const attempt = async (): Promise<boolean> => {
        client = await signIn(url, ADMIN).catch(() => undefined);
        return client !== undefined;
      };
      await expect.poll(attempt, POLL).toBe(true);
      if (client === undefined) throw new Error("signed in without a client");
      return client;
    },
  };
}

/** Of processes that stand by for each other, the one that has taken `lease` last and still runs. */
export function holderOf(
  processes: readonly ServiceProcess[],
  lease: string,
): ServiceProcess | undefined {
  return processes.find(({ output }) =>
    output().includes(`"lease":"${lease}","msg":"lease taken"`),
  );
}
