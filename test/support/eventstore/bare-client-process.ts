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
  isRunning(): boolean;
  /** Resolves when the process has ended, with what it had to complain of. */
  ended(): Promise<{ exitCode: number | null; complaint: string }>;
};

/** The client in a process that it ends; `scenario` is one of test/support/bare-client-main.ts. */
export function spawnBareClient(
  scenario: "late-answer" | "broken",
  ...urls: readonly string[]
): BareClientProcess {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, scenario, ...urls]);
  const exited = once(child, "exit") as Promise<[number | null]>;
  const complaint = child.stderr ? text(child.stderr) : Promise.resolve("");
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    reached: async () => (await lines.next()).value ?? "",
    isRunning: () => child.exitCode === null && child.signalCode === null,
    ended: async () => ({ exitCode: (await exited)[0], complaint: await complaint }),
  };
}
