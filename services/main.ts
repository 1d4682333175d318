/** The process: reads the environment, starts the roles it names, ends in order. */
import { type Config, loadConfig } from "#infra/config/config.ts";
import { ConfigError } from "#infra/config/config-error.ts";
import { developmentSecret } from "#infra/config/development-secret.ts";
import { createLifecycle, type Lifecycle } from "#infra/lifecycle/lifecycle.ts";
import { installSignals } from "#infra/lifecycle/signals.ts";
import { createLogger, type Logger, subsystemLogger } from "#infra/logging/logger.ts";
import { startEmbeddedPostgres } from "#infra/postgres/embedded.ts";
import { DataDirInUse } from "#infra/postgres/embedded-lock.ts";
import { startService } from "./start-service.ts";

const STOP_TIMEOUT_MS = 30_000;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  const lifecycle = createLifecycle({ log: logger, timeoutMs: STOP_TIMEOUT_MS });
  installSignals(process, lifecycle, logger);
  const fail = (error: unknown): void => {
    logger.fatal({ err: error }, "the service cannot go on");
    process.exitCode = 1;
    void lifecycle.stop().then(() => process.exit(1));
  };
  try {
    await start(config, lifecycle, logger, fail);
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function start(
  config: Config,
  lifecycle: Lifecycle,
  logger: Logger,
  onFatal: (error: unknown) => void,
): Promise<void> {
  const databaseUrl =
    config.databaseUrl ?? (await openEmbedded(config, lifecycle, logger, onFatal));
  const jwtSecret = config.jwtSecret ?? (await developmentSecret(config.dataDir));
  const options = { config: { ...config, jwtSecret }, databaseUrl, lifecycle, logger, onFatal };
  const { url } = await startService(options);
  if (url === null) logger.info({ roles: [...config.roles] }, "running without a gateway");
  else {
    logger.info(`Earthquake Catalogue Service on ${url}`);
    logger.info(`API documentation on ${url}/api/docs`);
  }
}

async function openEmbedded(
  { dataDir }: Config,
  lifecycle: Lifecycle,
  logger: Logger,
  onFatal: (error: unknown) => void,
): Promise<string> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: subsystemLogger(logger, "postgres"),
  });
  lifecycle.onClose("embedded PostgreSQL", postgres.stop);
  postgres.lost.addEventListener("abort", () => onFatal(postgres.lost.reason));
  return postgres.url;
}

/** Mistakes of whoever starts the service get a sentence, not a stack. */
function explain(error: unknown): unknown {
  return error instanceof ConfigError || error instanceof DataDirInUse ? error.message : error;
}

try {
  await main();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
