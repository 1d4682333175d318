import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MAIN = fileURLToPath(new URL("../../services/cli/main.ts", import.meta.url));

/** Runs a command of the service in a process of its own; what it says is shown in one line. */
export async function runCli(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<void> {
  const env = { PATH: process.env["PATH"], ...variables };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  console.info(`${stdout}${stderr}`.trim().replaceAll("\n", "; "));
}
