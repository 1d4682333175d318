import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("./embedded-process-main.ts", import.meta.url));

/**
 * A process of its own that runs an embedded PostgreSQL in `dataDir`, to be killed by the test.
 * `ready` is the database's URL, or the message of the error that the start ended with.
 */
export function spawnEmbedded(dataDir: string): {
  readonly ready: Promise<{ url: string } | { error: string }>;
  kill(): Promise<void>;
} {
  const child = spawn(process.execPath, [PROGRAM, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { ready: firstLine(child), kill };
}

async function firstLine(child: ChildProcess): Promise<{ url: string } | { error: string }> {
  if (!child.stdout) throw new Error("the process has no output");
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  return { error: "the process ended without a word" };
}
