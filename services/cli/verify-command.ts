import { requireKnownLog } from "#infra/log/known-log.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import {
  holds,
  type TableComparison,
  type Verification,
  verifyProjection,
} from "#projections/rebuild/verify.ts";
import { type HashVerification, verifyHashes } from "#services/versions/verify-hashes.ts";
import {
  type CliCommand,
  type CommandTools,
  type ExitCode,
  projectionArgument,
  projectionNamed,
  withPool,
} from "./command.ts";

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
