import { afterAll, beforeAll } from "vitest";
import { loadConfig } from "#infra/config/config.ts";
import { createLifecycle, type Lifecycle } from "#infra/lifecycle/lifecycle.ts";
import type { Logger } from "#infra/logging/logger.ts";
import { PRESSURE } from "#services/gateway/plugins/pressure.ts";
import { startService } from "#services/start-service.ts";
import { type ApiClient, createApiClient, signIn } from "./api-client.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { silentLogger } from "./logger.ts";
import { type ServiceLog, startServiceLog, type TestLogKind, testLogKind } from "./service-log.ts";

const ADMIN = { email: "admin@example.org", password: "a long admin password" };
/** A machine that runs all tests at once is under pressure, which is none of theirs. */
const UNHURRIED = {
  ...PRESSURE,
  eventLoopDelayMs: Number.POSITIVE_INFINITY,
  eventLoopUtilisation: Number.POSITIVE_INFINITY,
};
const PASSWORD = "a long user password";

export type TestRole = "guest" | "viewer" | "editor" | "admin";

export type TestService = {
  readonly url: string;
  readonly databaseUrl: string;
  readonly log: ServiceLog;
  /** A client of the given role; a guest's has no session. */
  readonly loginAs: (role: TestRole) => Promise<ApiClient>;
};

export type UseServiceOptions = {
  /** Whose database it shares: another copy of that service. A database of its own when absent. */
  readonly copyOf?: TestService;
  readonly logger?: Logger;
  /** Instead of a new database in the run's PostgreSQL; migrated at the start. */
  readonly databaseUrl?: () => string;
  /** Where its event log is; by default where TEST_EVENT_LOG says. */
  readonly eventLog?: TestLogKind;
};

type Variables = Readonly<Record<string, string>>;

/**
 * The whole service in this process; stopped after the tests of the file.
 * @param variables a function where they are known only once the hooks before have run
 */
export function useService(
  variables: Variables | (() => Variables) = {},
  {
    copyOf,
    databaseUrl,
    logger = silentLogger(),
    eventLog = testLogKind(),
  }: UseServiceOptions = {},
): TestService {
  let database: Pick<TestDatabase, "url"> & Partial<TestDatabase>;
  let log: ServiceLog;
  let lifecycle: Lifecycle;
  let url = "";
  const clients = new Map<TestRole, Promise<ApiClient>>();

  beforeAll(async () => {
    const given = copyOf?.databaseUrl ?? databaseUrl?.();
    database = given ? { url: given } : await createTestDatabase();
    log = copyOf?.log ?? (await startServiceLog(eventLog, database.url));
    lifecycle = createLifecycle({ log: logger, timeoutMs: 10_000 });
    const own = typeof variables === "function" ? variables() : variables;
    const config = loadConfig({ ...configuration(database.url), ...log.variables, ...own });
    const service = await startService({
      config,
      databaseUrl: database.url,
      lifecycle,
      logger,
      checkAnswers: true,
      pressure: UNHURRIED,
      onFatal: (error) => {
        throw error;
      },
    });
    url = service.url ?? "";
  });
  afterAll(async () => {
    await lifecycle.stop();
    if (!copyOf) await log.close();
    await database.drop?.();
  });

  const loginAs = (role: TestRole): Promise<ApiClient> => {
    const client = clients.get(role) ?? clientOf(role);
    clients.set(role, client);
    return client;
  };
  async function clientOf(role: TestRole): Promise<ApiClient> {
    if (role === "guest") return createApiClient(url);
    if (role === "admin") return signIn(url, ADMIN);
    const email = `${role}@example.org`;
    const guest = createApiClient(url);
    const { body } = await guest.send<{ user: { id: string } }>("POST", "/api/auth/register", {
      name: role,
      email,
      password: PASSWORD,
    });
    const admin = await loginAs("admin");
    await admin.send("PATCH", `/api/users/${body.user.id}`, { role });
    return signIn(url, { email, password: PASSWORD });
  }

  return {
    get url() {
      return url;
    },
    get databaseUrl() {
      return database.url;
    },
    get log() {
      return log;
    },
    loginAs,
  };
}

function configuration(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    JWT_SECRET: "a secret of the tests alone, 32 long",
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_READ: "0",
    RATE_LIMIT_WRITE: "0",
    RATE_LIMIT_AUTH: "0",
    // Nothing listens there: no test reaches an agency that it has not started.
    AGENCY_URL: "http://127.0.0.1:9/fdsnws/event/1",
    AGENCY_RETRIES: "0",
    LOG_LEVEL: "silent",
  };
}
