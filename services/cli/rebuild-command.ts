import { createPgPool } from "#infra/postgres/pool.ts";
import { runAlone } from "#infra/postgres/run-alone.ts";
import { rebuildProjection } from "#projections/rebuild/rebuild-projection.ts";
import { projectionNamed, readArguments } from "./arguments.ts";
import { type CliCommand, type CommandTools, UsageError } from "./command.ts";

/** Builds a read model anew beside the live one and puts it in its place. */
export const rebuildCommand: CliCommand = {
  usage: "npm run rebuild -- <projection>",
  parse(args) {
    const { positionals } = readArguments(args, {}, true);
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new UsageError("Name one projection");
    return (tools) => rebuild(tools, name);
  },
};

async function rebuild(tools: CommandTools, name: string): Promise<0> {
  const { databaseUrl, log, say } = tools;
  const projection = projectionNamed(tools.projections, name);
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(1);
  const pool = createPgPool(databaseUrl, { applicationName: "rebuild", statementTimeoutMs: 0 });
  try {
    await runAlone(databaseUrl, `rebuild ${name}`, tools.signal, (signal) =>
      rebuildProjection(
        { log, pool, signal, onPhase: (phase) => say(`${seconds()} s: ${phase}`) },
        projection,
      ),
    );
  } finally {
    await pool.end();
  }
  await tools.write(`The read model of ${name} was rebuilt in ${seconds()} s and is being served.`);
  return 0;
}
