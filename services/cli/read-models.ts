/**
 * Commands about the read models: built again from the log, compared with it, and the events
 * that they could not apply.
 */

import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import type { ParkedSubject } from "#contracts/http/audit.ts";
import { LogMismatch } from "#infra/log/event-log.ts";
import { adoptLog, requireKnownLog } from "#infra/log/known-log.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { listParked, retryParked, StillParked } from "#projections/engine/run.ts";
import {
  holds,
  rebuildProjection,
  type TableComparison,
  type Verification,
  verifyProjection,
} from "#projections/rebuild/rebuild.ts";
import { type HashVerification, verifyHashes } from "#services/versions/hashes.ts";
import {
  type CliCommand,
  type CommandTools,
  type ExitCode,
  projectionArgument,
  projectionNamed,
  readArguments,
  UsageError,
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

/**
 * Compares read models with a rebuild from the log; exit code 1 when they differ, or when they were
 * built from another log.
 */
export const verifyCommand: CliCommand = {
  usage: "npm run verify [-- <projection>]",
  parse(args) {
    const name = projectionArgument(args);
    return (tools) => verify(tools, name);
  },
};

function verify(tools: CommandTools, name: string | undefined): Promise<ExitCode> {
  const { databaseUrl, log, projections } = tools;
  const chosen = name === undefined ? projections : [projectionNamed(projections, name)];
  return withPool(tools, "verify", async (pool) => {
    await requireKnownLog(log, pool);
    let same = true;
    for (const projection of chosen) {
      const task = `verify ${projection.name}`;
      const verification = await runAlone(databaseUrl, task, tools.signal, (signal) =>
        verifyProjection({ log, pool, signal }, projection),
      );
      for (const line of linesOf(verification)) await tools.write(line);
      same &&= holds(verification);
    }
    const hashes = await verifyHashes(pool, tools.signal);
    for (const line of hashLines(hashes)) await tools.write(line);
    return same && hashes.wrong.length === 0 ? 0 : 1;
  });
}

function* linesOf(verification: Verification): Generator<string> {
  const { projection, position, tables, revisions, parked } = verification;
  const outcome = holds(verification) ? "as the log says" : "NOT as the log says";
  yield `${projection}: ${outcome}, at ${position || "the start of the log"}`;
  for (const table of tables) yield* tableLines(table);
  if (revisions.checked > 0) {
    yield `  content hashes: ${revisions.checked} revisions, ${revisions.wrong.length} wrong`;
  }
  for (const { catalogueId, revision, recorded, computed } of revisions.wrong) {
    yield `    revision ${revision} of ${catalogueId}: recorded ${recorded}, computed ${computed}`;
  }
  if (parked.live > 0 || parked.rebuilt > 0) {
    yield `  parked events: ${parked.live} live, ${parked.rebuilt} rebuilt`;
  }
}

function* hashLines({ checked, gone, wrong }: HashVerification): Generator<string> {
  if (checked + gone === 0) return;
  const left = gone > 0 ? `, ${gone} of versions that are gone` : "";
  yield `versions: ${checked} hashes computed again, ${wrong.length} wrong${left}`;
  for (const { catalogueId, version, remembered, computed } of wrong) {
    yield `  version ${version} of ${catalogueId}: remembered ${remembered}, computed ${computed}`;
  }
}

function* tableLines({ table, live, rebuilt, differences, differing }: TableComparison) {
  yield `  ${table}: ${live.rows} rows, sha256 ${live.hash}`;
  if (differing === 0) return;
  yield `    rebuilt: ${rebuilt.rows} rows, sha256 ${rebuilt.hash}; ${differing} rows differ`;
  for (const { key, kind, columns } of differences) {
    yield `    ${key}: ${kind}${columns ? ` in ${columns.join(", ")}` : ""}`;
  }
  if (differing > differences.length) yield `    and ${differing - differences.length} more`;
}

const PARKED_OPTIONS = {
  retry: { type: "string" },
  all: { type: "boolean", default: false },
} as const;

type Chosen = (parked: ParkedSubject) => boolean;

/** Lists the subjects blocked by parked events, or retries them. */
export const parkedCommand: CliCommand = {
  usage: "npm run parked [-- --retry <id> | --all]",
  parse(args) {
    const { values } = readArguments(args, PARKED_OPTIONS, false);
    const { retry: id, all } = values;
    if (id !== undefined && all) throw new UsageError("Give --retry or --all, not both");
    if (id !== undefined) return (tools) => retryChosen(tools, (parked) => parked.id === id);
    return all ? (tools) => retryChosen(tools, () => true) : printParked;
  },
};

async function printParked(tools: CommandTools): Promise<0> {
  await withPool(tools, "parked", async (pool) => {
    for (const parked of await listParked(pool)) await tools.write(JSON.stringify(parked));
  });
  return 0;
}

/** Retries each subject separately, so that a failure does not stop the others. */
async function retryChosen(tools: CommandTools, isChosen: Chosen): Promise<ExitCode> {
  const { log, projections, write, say } = tools;
  return withPool(tools, "parked", async (pool) => {
    const chosen = (await listParked(pool)).filter(isChosen);
    if (chosen.length === 0) say("Nothing is parked");
    let exitCode: ExitCode = 0;
    for (const parked of chosen) {
      try {
        const applied = await retryParked(pool, log, projections, parked);
        await write(`${parked.subject}: ${applied} events applied`);
      } catch (error) {
        if (!(error instanceof StillParked)) throw error;
        say(error.message);
        exitCode = 1;
      }
    }
    return exitCode;
  });
}
