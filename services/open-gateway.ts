import type { DatabasePool } from "slonik";
import { operations } from "#contracts/http/table/operations.ts";
import { createCircuitBreaker } from "#infra/agency/http/circuit-breaker.ts";
import { createOpenIdProvider, isUnavailable, NO_PROVIDER } from "#infra/openid.ts";
import { createPresence } from "#infra/postgres/coordination.ts";
import { untilReached } from "#infra/postgres/failures.ts";
import {
  createDatabase,
  createPgPool,
  createPreparedStatements,
  useOfDatabase,
  useOfPgPool,
} from "#infra/postgres/pool.ts";
import { ENDS_WITH_CLIENT } from "#infra/postgres/statements.ts";
import { type Logger, subsystemLogger } from "#infra/process/logger.ts";
import { NotVisibleYet, type PositionWaits } from "#projections/engine/progress.ts";
import type { EventReads } from "#projections/read/walk.ts";
import { createAgencies } from "./agencies/agencies.ts";
import { createAgencyCircuits } from "./agencies/agency-circuits.ts";
import { createAgencyGates } from "./agencies/agency-gates.ts";
import { hasAdministrator } from "./commands/accounts/first-administrator.ts";
import { type BuiltConsole, buildConsole } from "./console/build/build-console.ts";
import { EXPORT_CONNECTIONS } from "./gateway/capacity/queue-limits.ts";
import { API_VERSION } from "./gateway/http/headers/standard-headers.ts";
import { type GatewayDeps, startGateway } from "./gateway/start-gateway.ts";
import { openAccountContext } from "./open-account-context.ts";
import { serviceMetrics } from "./service-metrics.ts";
import type { PartOptions } from "./service-options.ts";
import { createVersionHistories } from "./versions/version-histories.ts";

export type Reading = { readonly reads: EventReads; readonly waits: PositionWaits };

type Publishing = Pick<GatewayDeps, "deliveryStates" | "feedStates" | "epoch">;

export type OpenedGateway = {
  readonly url: string;
  /** Whether somebody has to make an administrator, by the link for setting up. */
  readonly isToBeSetUp: boolean;
};

/** Opens what only a gateway needs, and starts it. */
export async function openGateway(
  options: PartOptions,
  { reads, waits, ...publishing }: Publishing & Reading,
): Promise<OpenedGateway> {
  const { config, databaseUrl, lifecycle, openSocket, log, registry, pools } = options;
  const { jwtSecret } = config;
  if (jwtSecret === null) throw new Error("a gateway needs the secret of sessions");
  const logger = subsystemLogger(options.logger, "gateway");
  const isTest = options.checkAnswers === true;
  const building = openConsole({
    isDevelopment: config.hasStyleguide,
    mustSucceed: isTest,
    logger,
  });
  const { pool, exportPool, retryPool, presence } = await openConnections(options, logger);
  const { provider, circuit } = openProvider(options);
  const { agencies, gates, circuits: agencyCircuits } = openAgencies(options, pool);
  const circuits = async () => ({ ...(await agencyCircuits.byName()), ...circuit() });
  const collectors = [...serviceMetrics({ pool, log, circuits, pools })];
  for (const collect of collectors) collect(registry);
  const vault = createPreparedStatements(databaseUrl, {
    log: logger,
    openSocket,
    applicationName: "vault",
  });
  lifecycle.onClose("vault's connections", vault.close);
  pools.set("vault", vault.inUse);
  const lookups = reads.prepared;
  const accounts = { config, log, pool, lookups, vault, waits, presence, logger };
  const patience = { log: logger, signal: lifecycle.signal };
  const { context, administratorAt } = await untilReached(
    () => openAccountContext(accounts),
    patience,
  );
  // The first administrator must be able to sign in once the gateway listens; whether there is one
  // decides on the link for setting up.
  if ((config.admin ?? options.setupCode) && config.roles.has("projector")) {
    // The log's head may still precede an account created just now (decision 0001).
    const visible = context.untilVisible("users", administratorAt ?? (await log.head()));
    // A read model being built from the start of the log takes longer; readiness shows its lag.
    await visible.catch((error: unknown) => {
      if (!(error instanceof NotVisibleYet)) throw error;
    });
  }
  const gateway = await startGateway({
    ...options,
    ...publishing,
    setupCode: options.setupCode ?? null,
    checkAnswers: options.checkAnswers ?? false,
    console: {
      built: await building,
      pictureOrigins: config.mapTiles ? [new URL(config.mapTiles.url).origin] : [],
    },
    config: { ...config, jwtSecret },
    context,
    reads,
    versionHistories: createVersionHistories(log),
    exportPool,
    retryPool,
    presence,
    agencies,
    gates,
    circuits: agencyCircuits,
    provider,
    eventLog: log,
    logger,
  });
  lifecycle.onClose("gateway", gateway.close);
  const isToBeSetUp = options.setupCode !== undefined && !(await hasAdministrator(context));
  return { url: gateway.url, isToBeSetUp };
}

/** The connections of a gateway; each is closed in its turn. */
async function openConnections(options: PartOptions, logger: Logger) {
  const { databaseUrl, lifecycle, openSocket, pools } = options;
  const connections = { log: logger, openSocket };
  const patience = { log: logger, signal: lifecycle.signal };
  const ofGateway = { ...connections, applicationName: "gateway" };
  const pool = await untilReached(() => createDatabase(databaseUrl, ofGateway), patience);
  lifecycle.onClose("gateway's connections", () => pool.end());
  const exportPool = createPgPool(databaseUrl, {
    ...connections,
    applicationName: "export",
    maxConnections: EXPORT_CONNECTIONS,
    // No limit: a large export to a slow client takes long; when its client disconnects it is ended,
    // even while sorting.
    statementTimeoutMs: 0,
    settings: ENDS_WITH_CLIENT,
  });
  lifecycle.onClose("exports' connections", () => exportPool.end());
  pools.set("export", () => useOfPgPool(exportPool));
  // A separate pool, so that parked events can be retried while slow clients hold all connections
  // for exports.
  const retryPool = createPgPool(databaseUrl, {
    ...connections,
    applicationName: "retries",
    maxConnections: 2,
  });
  lifecycle.onClose("retries' connections", () => retryPool.end());
  pools.set("retries", () => useOfPgPool(retryPool));
  const present = { ...connections, applicationName: "gateway presence" };
  const presence = await untilReached(() => createPresence(databaseUrl, present), patience);
  lifecycle.onClose("presence", presence.close);
  pools.set("gateway", () => useOfDatabase(pool));
  return { pool, exportPool, retryPool, presence };
}

/** The agencies that imports ask, and what their circuits do. */
function openAgencies({ config, lifecycle }: PartOptions, pool: DatabasePool) {
  const userAgent = `earthquake-catalogue-service/${API_VERSION} (+${config.publicBaseUrl})`;
  const agencies = createAgencies({ pool, config, userAgent });
  const gates = createAgencyGates();
  lifecycle.onClose("agencies' circuit breakers", gates.close);
  return { agencies, gates, circuits: createAgencyCircuits(agencies, gates) };
}

/** How long the institute may take for each answer. */
const PROVIDER_TIMEOUT_SECONDS = 5;

/** The institute's sign-in, if there is one, with its circuit breaker for the metrics. */
function openProvider({ config, lifecycle }: PartOptions) {
  const { openId, publicBaseUrl } = config;
  if (openId === null) return { provider: NO_PROVIDER, circuit: () => ({}) };
  const name = new URL(openId.issuer).host;
  const breaker = createCircuitBreaker({ name, isFailure: isUnavailable });
  lifecycle.onClose("institute's circuit breaker", breaker.close);
  const provider = createOpenIdProvider({
    ...openId,
    callbackUrl: `${publicBaseUrl}${operations.finishOpenId.path}`,
    timeoutSeconds: PROVIDER_TIMEOUT_SECONDS,
    breaker,
  });
  return { provider, circuit: () => ({ [name]: breaker.state() }) };
}

type ConsoleChoices = {
  readonly isDevelopment: boolean;
  readonly mustSucceed: boolean;
  readonly logger: Logger;
};

/** Builds the console beside the opening of everything else; the API is served without it too. */
async function openConsole(choices: ConsoleChoices): Promise<BuiltConsole | null> {
  const { isDevelopment, mustSucceed, logger } = choices;
  try {
    return await buildConsole(isDevelopment);
  } catch (error) {
    if (mustSucceed) throw error;
    logger.warn({ err: error }, "the console could not be built; its pages say so");
    return null;
  }
}
