import { afterAll, beforeAll } from "vitest";
import type { Logger } from "#infra/logging/logger.ts";
import { type ApiClient, createApiClient, signIn } from "./api-client.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { silentLogger } from "./logger.ts";
import { type ServiceLog, startServiceLog, type TestLogKind, testLogKind } from "./service-log.ts";
import { ADMIN, type StartedService, startTestService } from "./start-test-service.ts";

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
  /** Of the link by which it is set up while it has no administrator. */
  readonly setupCode?: string;
};

/** What the account of a role signs in with. */
export function signInOf(role: TestRole): { readonly email: string; readonly password: string } {
  return role === "admin" ? ADMIN : { email: `${role}@example.org`, password: PASSWORD };
}

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
    setupCode,
  }: UseServiceOptions = {},
): TestService {
  let database: Pick<TestDatabase, "url"> & Partial<TestDatabase>;
  let log: ServiceLog;
  let started: StartedService;
  let url = "";
  const clients = new Map<TestRole, Promise<ApiClient>>();

  beforeAll(async () => {
    const given = copyOf?.databaseUrl ?? databaseUrl?.();
    database = given ? { url: given } : await createTestDatabase();
    log = copyOf?.log ?? (await startServiceLog(eventLog, database.url));
    const own = typeof variables === "function" ? variables() : variables;
    const all = { DATABASE_URL: database.url, ...log.variables, ...own };
    const setup = setupCode === undefined ? {} : { setupCode };
    started = await startTestService(all, logger, setup);
    url = started.url;
  });
  afterAll(async () => {
    await started.stop();
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
    const { email, password } = signInOf(role);
    const guest = createApiClient(url);
    const { body } = await guest.send<{ user: { id: string } }>("POST", "/api/auth/register", {
      name: role,
      email,
      password,
    });
    const admin = await loginAs("admin");
    await admin.send("PATCH", `/api/users/${body.user.id}`, { role });
    return signIn(url, { email, password });
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
