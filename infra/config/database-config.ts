import { ConfigError } from "./config-error.ts";
import { Variables } from "./variables.ts";

const DatabaseVariables = Variables.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  EVENTSTORE_URL: true,
});

export type DatabaseConfig = {
  /** null: embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** null: the event log is in the database. */
  readonly eventStoreUrl: string | null;
};

/**
 * Where the data are: the configuration that commands need outside the service.
 * @throws ConfigError
 */
export function loadDatabaseConfig(
  env: Readonly<Record<string, string | undefined>>,
): DatabaseConfig {
  const given = Object.entries(env).filter(([, value]) => value?.trim());
  const result = DatabaseVariables.safeParse(Object.fromEntries(given));
  if (!result.success) {
    throw new ConfigError(
      result.error.issues.map(({ path, message }) => ({ variable: String(path[0]), message })),
    );
  }
  const { DATABASE_URL, DATA_DIR, EVENTSTORE_URL } = result.data;
  return {
    databaseUrl: DATABASE_URL ?? null,
    dataDir: DATA_DIR,
    eventStoreUrl: EVENTSTORE_URL ?? null,
  };
}
