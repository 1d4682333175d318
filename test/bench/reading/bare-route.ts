import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./bare-route-main.ts", import.meta.url));

export type BareRoute = { readonly url: string; readonly close: () => Promise<void> };

/** Starts the yardstick of pages as its own process, for one version of one catalogue. */
export async function startBareRoute(
  databaseUrl: string,
  { id, key, version }: { id: string; key: number; version: number },
): Promise<BareRoute> {
  const child = spawn(process.execPath, [MAIN, databaseUrl, id, String(key), String(version)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) return { url, close };
  throw new Error("the bare route ended before it listened");
}
