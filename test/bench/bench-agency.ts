import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./bench-agency-main.ts", import.meta.url));

export type BenchAgency = { readonly url: string; readonly close: () => Promise<void> };

/** An agency of `count` generated events, each with `picks` picks in its XML. */
export async function startBenchAgency(count: number, picks: number): Promise<BenchAgency> {
  const child = spawn(process.execPath, [MAIN, String(count), String(picks)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url,
    close: async () => {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    },
  };
}
