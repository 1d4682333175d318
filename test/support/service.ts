import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type ApiClient, createApiClient, signIn } from "./api-client.ts";
import { type RunningService, type RunServiceOptions, runService } from "./run-service.ts";
import { ADMIN } from "./start-test-service.ts";
import { atWorkersEnd } from "./worker-end.ts";

const PASSWORD = "a long user password";

export type TestRole = "guest" | "viewer" | "editor" | "admin";

export type TestService = Omit<RunningService, "stop"> & {
  /** What the account of a role signs in with; it is there once the role has been signed in. */
  readonly signInOf: (role: TestRole) => SignIn;
  /** A client of the given role; a guest's has no session. */
  readonly loginAs: (role: TestRole) => Promise<ApiClient>;
  /** The same, signed in by its first call: it can be named before the service is there. */
  readonly client: (role: TestRole) => ApiClient;
};

export type UseServiceOptions = Omit<RunServiceOptions, "copyOf" | "databaseUrl"> & {
  readonly copyOf?: TestService;
  readonly databaseUrl?: () => string;
};

type SignIn = { readonly email: string; readonly password: string };

/** What the account of a role signs in with, at a service of the file alone. */
export function signInOf(role: TestRole): SignIn {
  return role === "admin" ? ADMIN : { email: `${role}@example.org`, password: PASSWORD };
}

type Variables = Readonly<Record<string, string>>;

/**
 * A service of the file alone, which is stopped after its tests: for settings of its own, for what
 * begins empty, counts everything, fills up or breaks.
 * @param variables a function where they are known only once the hooks before have run
 */
export function useService(
  variables: Variables | (() => Variables) = {},
  { copyOf, databaseUrl, ...options }: UseServiceOptions = {},
): TestService {
  let running: RunningService | undefined;
  beforeAll(async () => {
    const own = typeof variables === "function" ? variables() : variables;
    running = await runService(own, { ...options, copyOf, databaseUrl: databaseUrl?.() });
  });
  afterAll(async () => {
    await running?.stop();
  });
  return testService(() => running, signInOf);
}

type Settings = () => Variables | Promise<Variables>;

/** Agencies of tests are on the loopback, and on a busy machine an answer may take its time. */
const OF_ALL = { AGENCY_ALLOW_PRIVATE: "true", AGENCY_TIMEOUT: "600" };

const shared = new Map<Settings, Promise<RunningService>>();
const DEFAULTS: Settings = () => ({});

async function runShared(settings: Settings): Promise<RunningService> {
  const running = await runService({ ...OF_ALL, ...(await settings()) }, {});
  atWorkersEnd(running.stop);
  return running;
}

/**
 * The service that files of this worker share, one after the other, with accounts of the file alone.
 * What earlier files have made is there, and their editors' catalogues are nobody else's but the
 * administrator's to see.
 * @param settings files that name the same function share one service
 */
export function sharedService(settings = DEFAULTS): TestService {
  let running: RunningService | undefined;
  beforeAll(async () => {
    const service = shared.get(settings) ?? runShared(settings);
    shared.set(settings, service);
    running = await service;
  });
  const file = randomUUID();
  return testService(
    () => running,
    (role) => {
      const credentials = signInOf(role);
      return role === "admin"
        ? credentials
        : { ...credentials, email: `${file}-${credentials.email}` };
    },
  );
}

function testService(
  service: () => RunningService | undefined,
  credentialsOf: typeof signInOf,
): TestService {
  const running = (): RunningService => {
    const there = service();
    if (there === undefined) throw new Error("the service is there only while tests run");
    return there;
  };
  const clients = new Map<TestRole, Promise<ApiClient>>();
  const loginAs = (role: TestRole): Promise<ApiClient> => {
    const client = clients.get(role) ?? clientOf(role);
    clients.set(role, client);
    return client;
  };
  async function clientOf(role: TestRole): Promise<ApiClient> {
    const { url } = running();
    if (role === "guest") return createApiClient(url);
    const credentials = credentialsOf(role);
    if (role !== "admin") await register(url, role, credentials);
    return signIn(url, credentials);
  }
  async function register(
    url: string,
    role: TestRole,
    credentials: ReturnType<typeof signInOf>,
  ): Promise<void> {
    const form = { name: role, ...credentials };
    const { body } = await createApiClient(url).send<{ user: { id: string } }>(
      "POST",
      "/api/auth/register",
      form,
    );
    const admin = await loginAs("admin");
    await admin.send("PATCH", `/api/users/${body.user.id}`, { role });
  }

  return {
    get url() {
      return running().url;
    },
    get databaseUrl() {
      return running().databaseUrl;
    },
    get log() {
      return running().log;
    },
    signInOf: credentialsOf,
    loginAs,
    client: (role) => ({
      get: async (...call) => (await loginAs(role)).get(...call),
      head: async (...call) => (await loginAs(role)).head(...call),
      stream: async (...call) => (await loginAs(role)).stream(...call),
      send: async (...call) => (await loginAs(role)).send(...call),
    }),
  };
}
