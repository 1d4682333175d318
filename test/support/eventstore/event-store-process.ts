import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BACKWARDS, EventStoreDBClient } from "@eventstore/db-client";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { createTemporaryDirectory } from "../temporary-directory.ts";

const PROGRAM = fileURLToPath(new URL("../event-store-main.ts", import.meta.url));

const START_MS = 60_000;
const RETRY_MS = 100;

export type EventStoreProcess = {
  /** Connection string of clients. */
  readonly url: string;
  readonly port: number;
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, with what it has acknowledged. */
  readonly restart: () => Promise<void>;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
};

/**
 * A server in a process of its own, stored in a temporary directory: of the program that
 * EVENTSTORE_TEST_COMMAND names, else the tests' own server of the protocol. The program runs in the
 * foreground and is given the port of clients, another port for the server's own use, and the directory.
 */
export async function startEventStoreProcess(
  command: string | undefined = process.env["EVENTSTORE_TEST_COMMAND"],
): Promise<EventStoreProcess> {
  const directory = await createTemporaryDirectory();
  const [port, ownPort] = [await freePort(), await freePort()];
  const url = `esdb://127.0.0.1:${port}?tls=false`;
  const start = () =>
    command
      ? startCommand(command, [`${port}`, `${ownPort}`, directory.path], url)
      : startOwn(port, directory.path);
  let child = await start();

  /** Of a program that starts another one, to both. */
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid) process.kill(command ? -child.pid : child.pid, name);
  };

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    signal("SIGKILL");
    await exited;
  };
  return {
    url,
    port,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    kill,
    restart: async () => {
      child = await start();
    },
    stop: async () => {
      await kill();
      await directory.remove();
    },
  };
}

async function startOwn(port: number, directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, `${port}`, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error("the process has no output");
  for await (const _line of createInterface({ input: child.stdout })) return child;
  throw new Error("the event store ended before it was ready");
}

/** Resolves when the server answers. */
async function startCommand(
  command: string,
  given: readonly string[],
  url: string,
): Promise<ChildProcess> {
  const child = spawn(command, given, { stdio: "ignore", detached: true });
  await once(child, "spawn");
  const client = EventStoreDBClient.connectionString(url);
  const endsAt = performance.now() + START_MS;
  try {
    while (!(await isAnswering(client))) {
      if (child.exitCode !== null) throw new Error("the event store ended before it was ready");
      if (performance.now() > endsAt) throw new Error("the event store does not answer");
      await delay(RETRY_MS);
    }
    return child;
  } finally {
    await client.dispose();
  }
}

async function isAnswering(client: EventStoreDBClient): Promise<boolean> {
  try {
    for await (const _event of client.readAll({ direction: BACKWARDS, maxCount: 1 }));
    return true;
  } catch {
    return false;
  }
}
