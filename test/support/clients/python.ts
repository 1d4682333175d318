import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const CLIENTS = join(import.meta.dirname, "../../clients");
/** Made by `.ci/run` from requirements.txt. */
const VENV = join(CLIENTS, "../../.cache/clients-venv");
/** Programs of the clients that are written in Python. */
const BIN = join(VENV, "bin");

export const hasPython = existsSync(join(BIN, "python"));
export const hasOgr = spawnSync("ogrinfo", ["--version"]).status === 0;
export const hasXmllint = spawnSync("xmllint", ["--version"]).status === 0;

/** The path of a program that a package of the virtual environment brings. */
export const pythonProgram = (name: string): string => join(BIN, name);

export type PythonOptions = {
  /** Read by the script as JSON. */
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * What a script of this folder prints, read as JSON.
 * @throws Error with its output when it fails
 */
export async function runPython<T>(
  script: string,
  { input = null, env = {} }: PythonOptions = {},
): Promise<T> {
  const { child, output } = spawnPython("python", [join(CLIENTS, script)], { env });
  // A script that fails early is told of by its output.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(JSON.stringify(input));
  const { stdout } = await output;
  return JSON.parse(stdout) as T;
}

type SpawnOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Where it may write; by default where this process is. */
  readonly cwd?: string;
};

/** A program of the virtual environment, with the paths of this process and no proxy. */
export function spawnPython(
  program: string,
  args: readonly string[],
  { env = {}, ...options }: SpawnOptions = {},
) {
  const output = run(join(BIN, program), [...args], {
    ...options,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return { child: output.child, output };
}

/** The schema of QuakeML that ObsPy brings. */
export function quakemlSchema(): string {
  const [python = ""] = readdirSync(join(VENV, "lib"));
  return join(VENV, "lib", python, "site-packages/obspy/io/quakeml/data/QuakeML-1.2.xsd");
}
