/** The process of the commands outside the service: `npm run log`, `verify`, `rebuild`, `parked`. */
import { once } from "node:events";
import { pino } from "pino";
import { createLogger } from "#infra/process/logger.ts";
import { runCli, UsageError } from "./run-cli.ts";

const FAILED = 1;
const MISUSED = 2;

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stopping.abort(new Error("stopped")));
}
// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : FAILED);
});

async function write(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const logger = createLogger({ level: "warn", pretty: false, destination: pino.destination(2) });
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    signal: stopping.signal,
    write,
    say,
    logger,
  });
} catch (error) {
  say(error instanceof Error ? error.message || error.name : String(error));
  process.exitCode = error instanceof UsageError ? MISUSED : FAILED;
}
