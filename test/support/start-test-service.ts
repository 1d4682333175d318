import { loadConfig } from "#infra/config/config.ts";
import { createLifecycle } from "#infra/process/lifecycle.ts";
import type { Logger } from "#infra/process/logger.ts";
import { PRESSURE } from "#services/gateway/connections.ts";
import { type ServiceOptions, startService } from "#services/start-service.ts";
import { silentLogger } from "./logger.ts";
import { unlimitedFor } from "./unlimited-for.ts";

export const ADMIN = { email: "admin@example.org", password: "a long admin password" };

/** A machine that runs all tests at once is under pressure, which is none of theirs. */
const UNHURRIED = {
  ...PRESSURE,
  eventLoopDelayMs: Number.POSITIVE_INFINITY,
  eventLoopUtilisation: Number.POSITIVE_INFINITY,
};

/** What tokens are signed with, unless a file has a secret of its own. */
export const TEST_SECRET = "a secret of the tests alone, 32 long";

const CONFIGURATION = {
  PORT: "0",
  PUBLIC_BASE_URL: "http://catalogues.example.org",
  JWT_SECRET: TEST_SECRET,
  ...unlimitedFor(ADMIN),
  // Nothing listens there: no test reaches an agency that it has not started.
  AGENCY_URL: "http://127.0.0.1:9/fdsnws/event/1",
  AGENCY_RETRIES: "0",
  LOG_LEVEL: "silent",
};

export type StartedService = {
  /** Empty where it runs no gateway. */
  readonly url: string;
  readonly stop: () => Promise<unknown>;
};

/**
 * The whole service in this process, on the database that the variables name; every answer is checked
 * against its schema. What fails to start is stopped.
 * @param variables in place of those of the tests
 */
export async function startTestService(
  variables: Readonly<Record<string, string>> & { readonly DATABASE_URL: string },
  logger: Logger = silentLogger(),
  options: Pick<ServiceOptions, "setupCode" | "columnsLimits"> = {},
): Promise<StartedService> {
  const lifecycle = createLifecycle({ log: logger, timeoutMs: 10_000 });
  const config = loadConfig({ ...CONFIGURATION, ...variables });
  try {
    const { url } = await startService({
      ...options,
      config,
      databaseUrl: variables.DATABASE_URL,
      lifecycle,
      logger,
      checkAnswers: true,
      pressure: UNHURRIED,
      onFatal: (error) => {
        throw error;
      },
    });
    return { url: url ?? "", stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
