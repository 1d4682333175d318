import { openEventLog } from "#infra/log/open-log.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import type { CommandTools } from "./command.ts";

export type CliOptions = Pick<CommandTools, "signal" | "write" | "say" | "logger"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Runs `work` with the event log of a database, which is closed afterwards. */
export async function withLog<T>(
  place: Pick<CommandTools, "databaseUrl" | "publicBaseUrl"> & {
    readonly eventStoreUrl: string | null;
  },
  { signal, write, say, logger }: CliOptions,
  work: (tools: CommandTools) => Promise<T>,
): Promise<T> {
  const options = { applicationName: "command", maxConnections: 3, log: logger };
  const log = await openEventLog({ ...place, ...options });
  const { databaseUrl, publicBaseUrl } = place;
  try {
    return await work({
      databaseUrl,
      publicBaseUrl,
      log,
      projections: ALL_PROJECTIONS,
      signal,
      write,
      say,
      logger,
    });
  } finally {
    await log.close();
  }
}
