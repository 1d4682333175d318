import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("../bare-client-main.ts", import.meta.url));

export type BareClientProcess = {
  /** Resolves when the process has come to its next line. */
  reached(): Promise<string>;
  /** Resolves when the process has ended, with what it had to complain of. */
  ended(): Promise<{ exitCode: number | null; complaint: string }>;
};

/** Appends by two clients of one process, which the answer to the first ends. */
export function spawnBareClient(slowUrl: string, failingUrl: string): BareClientProcess {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, slowUrl, failingUrl]);
  const exited = once(child, "exit") as Promise<[number | null]>;
  const complaint = child.stderr ? text(child.stderr) : Promise.resolve("");
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    reached: async () => (await lines.next()).value ?? "",
    ended: async () => ({ exitCode: (await exited)[0], complaint: await complaint }),
  };
}
