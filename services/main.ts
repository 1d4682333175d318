/** The process: reads the environment, starts the configured roles, ends in order. */

import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Config, loadConfig } from "#infra/config/config.ts";
import { hostsOf } from "#infra/config/servers.ts";
import { openSession, requirePrimary } from "#infra/postgres/connection.ts";
import { developmentSecret } from "#infra/postgres/embedded/cluster.ts";
import {
  DataDirInUse,
  killEmbeddedPostgres,
  startEmbeddedPostgres,
} from "#infra/postgres/embedded/embedded.ts";
import { untilReached } from "#infra/postgres/failures.ts";
import { createLifecycle, installSignals, type Lifecycle } from "#infra/process/lifecycle.ts";
import {
  createLogger,
  type Logger,
  type LogOutput,
  standardOutput,
  subsystemLogger,
} from "#infra/process/logger.ts";
import { limitHeapGrowth } from "#infra/process/memory.ts";
import { newSetupCode } from "#infra/vault/tokens.ts";
import { databaseMistake, explain, StartError } from "./start-error.ts";
import { startService } from "./start-service.ts";

const BEAT_MS = 5_000;

/**
 * `docker stop` kills after 10 s. The gateway takes 6 s at most; the rest is for PostgreSQL, which
 * writes its memory to disk.
 */
const STOP = { hurryMs: 6_500, timeoutMs: 8_500 };

async function main(): Promise<void> {
  limitHeapGrowth();
  const config = loadConfig(process.env);
  const output = standardOutput();
  const pretty = process.stdout.isTTY;
  const root = createLogger({ level: config.logLevel, pretty, destination: output });
  const logger = subsystemLogger(root, "process");
  output.onResumed((dropped) => logger.warn({ dropped }, "log lines were dropped"));
  const lifecycle = createLifecycle({ log: logger, ...STOP });
  installSignals(process, lifecycle, logger);
  const fail = (error: unknown): void => {
    logger.fatal({ err: error }, "the service cannot go on");
    process.exitCode = 1;
    void lifecycle.stop().then(() => process.exit(1));
  };
  try {
    await start(config, lifecycle, { root, output }, fail);
  } catch (error) {
    await lifecycle.stop();
    throw databaseMistake(config, error);
  }
}

async function start(
  config: Config,
  lifecycle: Lifecycle,
  { root, output }: { readonly root: Logger; readonly output: Pick<LogOutput, "dropped"> },
  onFatal: (error: unknown) => void,
): Promise<void> {
  const logger = subsystemLogger(root, "process");
  const databaseUrl = config.databaseUrl
    ? await reachable(config.databaseUrl, lifecycle, logger)
    : await openEmbedded(config, lifecycle, root, onFatal);
  if (lifecycle.signal.aborted) return;
  const makesSecret = config.jwtSecret === null && config.roles.has("gateway");
  const jwtSecret = makesSecret ? await developmentSecret(config.dataDir) : config.jwtSecret;
  // Who reads this process's log may set the service up; a database of its own is nobody else's.
  const isOwn = config.databaseUrl === null && config.admin === null;
  const setupCode = isOwn ? newSetupCode() : undefined;
  const options = {
    ...(setupCode !== undefined && { setupCode }),
    config: { ...config, jwtSecret },
    databaseUrl,
    lifecycle,
    logger: root,
    droppedLogLines: output.dropped,
    onFatal,
  };
  const { url, isToBeSetUp } = await startService(options);
  if (url === null) {
    lifecycle.onClose("heartbeat", startHeartbeat(join(config.dataDir, "alive"), logger).close);
    logger.info({ roles: [...config.roles] }, "running without a gateway");
  } else {
    logger.info(`Earthquake Catalogue Service on ${url}`);
    // A port chosen by the system is known only now.
    const publicUrl = config.port === 0 ? url : config.publicBaseUrl;
    logger.info(`API documentation on ${publicUrl}/api/docs`);
    if (isToBeSetUp) logger.info(`Set it up on ${publicUrl}/setup?code=${setupCode}`);
  }
}

async function openEmbedded(
  { dataDir }: Config,
  lifecycle: Lifecycle,
  logger: Logger,
  onFatal: (error: unknown) => void,
): Promise<string> {
  const log = subsystemLogger(logger, "postgres");
  // Another service's server found in the same folder must not be ended.
  let isOwn = false;
  const onOwned = (): void => {
    isOwn = true;
  };
  const starting = startEmbeddedPostgres({ dataDir, log, signal: lifecycle.signal, onOwned });
  // Registered before the server runs, so that a stop during its start does not leave it behind.
  const stop = () => starting.then((started) => started.stop(), nothing);
  const force = async () => {
    if (isOwn) await killEmbeddedPostgres(dataDir);
  };
  lifecycle.onClose("embedded PostgreSQL", stop, { force });
  const postgres = await starting.catch((cause: unknown) => {
    throw cause instanceof DataDirInUse ? cause : new StartError("DATA_DIR", cause);
  });
  postgres.lost.addEventListener("abort", () => onFatal(postgres.lost.reason));
  return postgres.url;
}

function nothing(): void {}

async function reachable(
  databaseUrl: string,
  { signal }: Pick<Lifecycle, "signal">,
  log: Logger,
): Promise<string> {
  const reach = async (): Promise<void> => {
    if (hostsOf(databaseUrl).length === 1) await requirePrimary(databaseUrl);
    const session = await openSession(databaseUrl, "start");
    await session.close();
  };
  try {
    await untilReached(reach, { log, signal });
    return databaseUrl;
  } catch (cause) {
    throw new StartError("DATABASE_URL", cause);
  }
}

try {
  await main();
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

/**
 * Touches `path` every 5 s, to show that a process without a listener is alive, for example to a
 * container's health check. A failure is logged once.
 */
function startHeartbeat(path: string, logger: Logger): { readonly close: () => void } {
  let complained = false;
  const beat = (): void => {
    touch(path).catch((error: unknown) => {
      if (!complained) logger.warn({ err: error }, "the heartbeat cannot be written");
      complained = true;
    });
  };
  beat();
  const timer = setInterval(beat, BEAT_MS).unref();
  return { close: () => clearInterval(timer) };
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  try {
    await utimes(path, now, now);
  } catch {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
  }
}
