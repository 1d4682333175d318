import { runCli } from "#services/cli/run-cli.ts";
import { silentLogger } from "./logger.ts";

export type CliAnswer = {
  readonly exitCode: number;
  readonly lines: readonly string[];
  /** What was said beside the result. */
  readonly said: readonly string[];
};

/** Runs a command as its process does, on the database that `env` names. */
export async function cli(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CliAnswer> {
  const lines: string[] = [];
  const said: string[] = [];
  const exitCode = await runCli(args, {
    env,
    signal: new AbortController().signal,
    write: async (line) => void lines.push(line),
    say: (line) => void said.push(line),
    logger: silentLogger(),
  });
  return { exitCode, lines, said };
}
