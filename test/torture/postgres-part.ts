import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { serverPid } from "../support/embedded-server.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import type { Part } from "./part.ts";

export type PostgresPart = Part & {
  /** By way of the relay: the same whatever becomes of the server. */
  readonly url: () => string;
  readonly relay: TcpRelay;
  readonly stop: () => Promise<void>;
};

type Server = { readonly owner: ChildProcess; readonly url: URL };

const PROGRAM = fileURLToPath(new URL("../support/embedded-process-main.ts", import.meta.url));
const RETRY_MS = 300;
const Started = z.object({ url: z.string() });

/** A PostgreSQL server in `dataDir`, owned by a process of its own, behind a relay. */
export async function startPostgresPart(dataDir: string): Promise<PostgresPart> {
  let server: Server | null = await startServer(dataDir);
  let { url: direct } = server;
  const relay = await startTcpRelay(() => Number(direct.port));

  async function kill(): Promise<void> {
    process.kill(await serverPid(dataDir), "SIGKILL");
    if (server !== null) await endOwner(server.owner);
    server = null;
    relay.drop();
  }
  return {
    name: "postgres",
    relay,
    url: () => {
      const url = new URL(direct);
      url.host = `127.0.0.1:${relay.port}`;
      return url.href;
    },
    isRunning: () => server !== null,
    kill,
    start: async () => {
      // Processes of the old server end a moment after it.
      while (server === null) {
        server = await startServer(dataDir).catch(() => null);
        if (server === null) await delay(RETRY_MS);
        else direct = server.url;
      }
    },
    stop: async () => {
      await kill();
      await relay.close();
    },
  };
}

/** @throws Error when the server cannot be started */
async function startServer(dataDir: string): Promise<Server> {
  const owner = spawn(process.execPath, [PROGRAM, dataDir], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: owner.stdout })) {
    const started = Started.safeParse(JSON.parse(line));
    if (started.success) return { owner, url: new URL(started.data.url) };
    await endOwner(owner);
    throw new Error(line);
  }
  throw new Error("the owner of PostgreSQL has ended without a word");
}

async function endOwner(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const exited = once(owner, "exit");
  owner.kill("SIGKILL");
  await exited;
}
