import { execFile } from "node:child_process";
import { access, constants, readFile } from "node:fs/promises";
import { parse } from "node:path";
import { mayEnter, obstacleFor, type ServerAccount } from "./account.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";

/** Runs a PostgreSQL program to its end; returns all its output. @throws ProgramFailed */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

/** A PostgreSQL program failed; `output` is its output. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
  readonly output: string;

  constructor(program: string, output: string, cause: unknown) {
    super(`${parse(program).name} failed: ${output.trim()}`, { cause });
    this.output = output;
  }
}

/**
 * The server outlives this process and its environment is visible from outside, so it gets none of
 * our secrets. The fixed path suffices to find setpriv. Windows programs need the inherited one.
 */
const ENVIRONMENT =
  process.platform === "win32"
    ? {}
    : { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" } };

const SETPRIV = "/usr/bin/setpriv";

/** Capability numbers of linux/capability.h. */
const CAPABILITIES = { dac_override: 1n, dac_read_search: 2n } as const;
type Capability = keyof typeof CAPABILITIES;

async function permittedCapabilities(): Promise<bigint> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const hex = /^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return hex ? BigInt(`0x${hex}`) : 0n;
}

/** The weakest sufficient capability of this process: the first of `wanted` that it has. */
async function heldCapability(wanted: readonly Capability[]): Promise<Capability | null> {
  const permitted = await permittedCapabilities();
  return wanted.find((name) => (permitted >> CAPABILITIES[name]) & 1n) ?? null;
}

/**
 * Arguments of setpriv that change to the account and keep one capability. initdb looks for its own
 * binary with access(2), which ignores the capabilities of users other than root unless
 * no_setuid_fixup is set.
 */
function setprivArguments(account: { uid: number; gid: number }, capability: Capability): string[] {
  return [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    "--clear-groups",
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    "--securebits=+no_setuid_fixup,+noroot",
  ];
}

function unreachable(obstacle: string): Error {
  return new Error(
    `The user that PostgreSQL runs as may not enter ${obstacle}, and setpriv (util-linux) with the capability to pass it is not here: open that directory (chmod o+x), choose another DATA_DIR, or run the service as a user other than root`,
  );
}

async function isInstalled(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function execute(
  file: string,
  args: readonly string[],
  options: { cwd: string; uid?: number; gid?: number },
  program: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { ...options, ...ENVIRONMENT, windowsHide: true }, (error, out, err) => {
      if (error) reject(new ProgramFailed(program, `${out}${err}` || error.message, error));
      else resolve(`${out}${err}`);
    });
  });
}

/**
 * A runner of PostgreSQL programs as `account`. If that account may not enter a directory on the way
 * (a checkout under /root, a DATA_DIR made by mktemp -d), and only then, the programs keep the
 * capability to pass it.
 * @param dataDir absolute, exists
 * @throws Error when the account cannot reach the binaries or `dataDir`
 */
export async function createRunner(
  account: ServerAccount,
  binaries: PostgresBinaries,
  dataDir: string,
): Promise<RunProgram> {
  const cwd = parse(dataDir).root;
  if (!account) return (program, args) => execute(program, args, { cwd }, program);
  const obstacle =
    (await obstacleFor(account, dataDir)) ?? (await obstacleFor(account, binaries.postgres));
  if (!obstacle) return (program, args) => execute(program, args, { cwd, ...account }, program);
  // Searching directories is not enough if only root may execute the program (umask 077).
  const isExecutable = await mayEnter(account, binaries.postgres);
  const capability = await heldCapability(
    isExecutable ? ["dac_read_search", "dac_override"] : ["dac_override"],
  );
  if (!capability || !(await isInstalled(SETPRIV))) throw unreachable(obstacle);
  const prefix = setprivArguments(account, capability);
  return (program, args) => execute(SETPRIV, [...prefix, program, ...args], { cwd }, program);
}
