import type { DatabasePool } from "slonik";
import type { Logger } from "#infra/logging/logger.ts";
import { subsystemLogger } from "#infra/logging/logger.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { untilReached } from "#infra/postgres/until-reached.ts";
import type { PartOptions } from "./service-options.ts";

/** Separate connections and a logger for one part. */
export async function openPart(
  { databaseUrl, openSocket, lifecycle, logger: root }: PartOptions,
  part: string,
  maxConnections: number,
): Promise<{ readonly pool: DatabasePool; readonly logger: Logger }> {
  const logger = subsystemLogger(root, part);
  const connections = { applicationName: part, maxConnections, log: logger, openSocket };
  const patience = { log: logger, signal: lifecycle.signal };
  const pool = await untilReached(() => createDatabase(databaseUrl, connections), patience);
  lifecycle.onClose(`${part}'s connections`, () => pool.end());
  return { pool, logger };
}
