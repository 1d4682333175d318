import type { ParkedSubject } from "#contracts/http/parked-events.ts";
import { listParked, retryParked, StillParked } from "#projections/engine/parked.ts";
import {
  type CliCommand,
  type CommandTools,
  type ExitCode,
  readArguments,
  UsageError,
  withPool,
} from "./command.ts";

const OPTIONS = { retry: { type: "string" }, all: { type: "boolean", default: false } } as const;

type Chosen = (parked: ParkedSubject) => boolean;

/** Lists the subjects blocked by parked events, or retries them. */
export const parkedCommand: CliCommand = {
  usage: "npm run parked [-- --retry <id> | --all]",
  parse(args) {
    const { values } = readArguments(args, OPTIONS, false);
    const { retry: id, all } = values;
    if (id !== undefined && all) throw new UsageError("Give --retry or --all, not both");
    if (id !== undefined) return (tools) => retry(tools, (parked) => parked.id === id);
    return all ? (tools) => retry(tools, () => true) : list;
  },
};

async function list(tools: CommandTools): Promise<0> {
  await withPool(tools, "parked", async (pool) => {
    for (const parked of await listParked(pool)) await tools.write(JSON.stringify(parked));
  });
  return 0;
}

/** Retries each subject separately, so that a failure does not stop the others. */
async function retry(tools: CommandTools, isChosen: Chosen): Promise<ExitCode> {
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
