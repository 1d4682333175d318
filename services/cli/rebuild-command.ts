import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { LogMismatch } from "#infra/log/event-log.ts";
import { adoptLog, requireKnownLog } from "#infra/log/known-log.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { rebuildProjection } from "#projections/rebuild/rebuild.ts";
import {
  type CliCommand,
  type CommandTools,
  type ExitCode,
  projectionArgument,
  projectionNamed,
  withPool,
} from "./command.ts";

/** A process of the service is connected to the database. */
class ServiceRunning extends Error {
  override readonly name = "ServiceRunning";
}

/** Names of connections, besides leases, that processes of the service keep while they run. */
const OF_SERVICE = ["gateway presence", "event-log listener", "log watch"];

const Row = z.object({ name: z.string() });

/** @throws ServiceRunning */
async function requireStopped(pool: Pick<Pool, "query">): Promise<void> {
  const rows = await statementsOn(pool).any(sql.type(Row)`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = any(${sql.array(OF_SERVICE, "text")})
        or application_name like 'lease %')`);
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceRunning(
    `Stop every process of the service first; connected to the database: ${names.join(", ")}`,
  );
}

/**
 * Rebuilds read models in separate tables and replaces the live ones. If they were built from
 * another log, all of them are rebuilt from the present one, while no service runs.
 */
export const rebuildCommand: CliCommand = {
  usage: "npm run rebuild [-- <projection>]",
  parse(args) {
    const name = projectionArgument(args);
    return (tools) => rebuild(tools, name);
  },
};

function rebuild(tools: CommandTools, name: string | undefined): Promise<ExitCode> {
  const { log, projections } = tools;
  return withPool<ExitCode>(tools, "rebuild", async (pool) => {
    const mismatch = await findMismatch(tools, pool);
    if (mismatch === null) {
      const chosen = name === undefined ? projections : [projectionNamed(projections, name)];
      for (const projection of chosen) await rebuildOne(tools, pool, projection, false);
      return 0;
    }
    if (name !== undefined) throw mismatch;
    await requireStopped(pool);
    tools.say(mismatch.message);
    for (const projection of projections) await rebuildOne(tools, pool, projection, true);
    await adoptLog(log, pool, () => new Date());
    await tools.write("The read models are those of the log as it is.");
    return 0;
  });
}

async function findMismatch({ log }: CommandTools, pool: Pool): Promise<LogMismatch | null> {
  try {
    await requireKnownLog(log, pool);
    return null;
  } catch (error) {
    if (error instanceof LogMismatch) return error;
    throw error;
  }
}

async function rebuildOne(
  { databaseUrl, log, say, signal, write }: CommandTools,
  pool: Pool,
  projection: Projection,
  replacesMismatch: boolean,
): Promise<void> {
  const { name } = projection;
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(1);
  const onPhase = (phase: string): void => say(`${seconds()} s: ${phase}`);
  await runAlone(databaseUrl, `rebuild ${name}`, signal, (either) =>
    rebuildProjection({ log, pool, signal: either, onPhase, replacesMismatch }, projection),
  );
  await write(`The read model of ${name} was rebuilt in ${seconds()} s and is being served.`);
}
