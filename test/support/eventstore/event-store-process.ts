import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { createTemporaryDirectory } from "../temporary-directory.ts";

const PROGRAM = fileURLToPath(new URL("../event-store-main.ts", import.meta.url));

const Started = z.object({ url: z.string(), port: z.int() });

export type EventStoreProcess = {
  /** Connection string of clients. */
  readonly url: string;
  readonly pid: () => number;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, with what it has acknowledged. */
  readonly restart: () => Promise<void>;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
};

/** A server of the protocol in a process of its own, stored in a temporary directory. */
export async function startEventStoreProcess(): Promise<EventStoreProcess> {
  const directory = await createTemporaryDirectory();
  let { child, url, port } = await start(0, directory.path);

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    url,
    pid: () => child.pid ?? 0,
    kill,
    restart: async () => {
      ({ child, url, port } = await start(port, directory.path));
    },
    stop: async () => {
      await kill();
      await directory.remove();
    },
  };
}

async function start(
  port: number,
  directory: string,
): Promise<z.infer<typeof Started> & { child: ChildProcess }> {
  const child = spawn(process.execPath, [PROGRAM, `${port}`, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error("the process has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, ...Started.parse(JSON.parse(line)) };
  }
  throw new Error("the event store ended before it was ready");
}
