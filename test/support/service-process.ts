import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** As `npm start` starts it, except for a developer's `.env`. */
const ARGUMENTS = packageJson.scripts.start
  .split(" ")
  .slice(2)
  .filter((argument) => !argument.startsWith("--env-file"));
const READY = /Earthquake Catalogue Service on (http:\/\/\S+?)"|running without a gateway/;

export type ServiceProcess = {
  /** Where its gateway listens; empty when `ROLES` names none. */
  readonly url: string;
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** All lines written so far. */
  readonly output: () => string;
  /** Ends the process as an operator does, by SIGTERM or Ctrl-C; resolves with its exit code. */
  readonly stop: (signal?: "SIGTERM" | "SIGINT" | "SIGHUP") => Promise<number | null>;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
};

/** The process has ended before it was ready. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  readonly exitCode: number | null;
  readonly output: string;

  constructor(exitCode: number | null, output: string) {
    super(`the service ended with ${exitCode} before it was ready:\n${output}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/**
 * Starts the service, whole or the parts that `ROLES` names, as its own process on a free port, and resolves when it is ready.
 * Variables of the caller's environment that configure the service do not reach it.
 * @param before a command that becomes the process, which is its last arguments
 * @throws NotStarted
 */
export async function startServiceProcess(
  variables: Readonly<Record<string, string>>,
  before: readonly string[] = [],
): Promise<ServiceProcess> {
  const child = spawnService(variables, { before });
  const pieces: Buffer[] = [];
  const output = (): string => Buffer.concat(pieces).toString().trimEnd();
  const url = await untilReady(child, pieces, output);
  return {
    url,
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    output,
    stop: (signal = "SIGTERM") => end(child, signal),
    kill: async () => {
      await end(child, "SIGKILL");
    },
  };
}

/** The service as its own process, which is only just starting. */
export function spawnService(
  variables: Readonly<Record<string, string>>,
  {
    stdio = ["ignore", "pipe", "pipe"],
    before = [],
  }: { readonly stdio?: StdioOptions; readonly before?: readonly string[] } = {},
): ChildProcess {
  const [program = "", ...args] = [...before, process.execPath, ...ARGUMENTS];
  return spawn(program, args, {
    cwd: ROOT,
    env: serviceEnvironment(variables),
    stdio,
  });
}

/** What a service's process gets of the caller's environment, beside these variables. */
export function serviceEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: process.env["HOME"], PORT: "0", ...variables };
}

/** Goes on collecting the output in `pieces`; who measures the service is not to pay for reading it. */
async function untilReady(
  child: ChildProcess,
  pieces: Buffer[],
  output: () => string,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let isReady = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece: Buffer) => {
      pieces.push(piece);
      const ready = isReady ? null : READY.exec(output());
      if (ready === null) return;
      isReady = true;
      resolve(ready[1] ?? "");
    });
  }
  child.once("close", (code) => reject(new NotStarted(code, output())));
  return promise;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, "close");
  }
  return child.exitCode;
}
