import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A process beside the service, and where it answers. */
export type UrlProcess = { readonly url: string; readonly close: () => Promise<void> };

/** Starts a program that prints its URL once it listens, and ends at SIGTERM. */
export async function startUrlProcess(
  program: URL,
  args: readonly (string | number)[],
): Promise<UrlProcess> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) return { url, close };
  throw new Error(`${program.pathname} ended before it listened`);
}
