import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { sleep } from "#infra/kernel/waiting.ts";
import { fillingUpload } from "../support/api/file-form.ts";
import { createApiClient } from "../support/api-client.ts";
import { serverPid } from "../support/embedded-server.ts";
import { startEventStoreProcess } from "../support/eventstore/event-store-process.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import { choose, leaveEarly, type Rudeness, takeNothing } from "./clients.ts";
import type { World } from "./world.ts";

/** A process that is killed and started again. */
export type Part = {
  readonly name: string;
  readonly isRunning: () => boolean;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it; tried again until it runs. */
  readonly start: () => Promise<void>;
};

export type ServicePart = Part & {
  /** The process that runs now, null when none does. */
  readonly process: () => ServiceProcess | null;
  /** Ends it in order. */
  readonly stop: () => Promise<void>;
  /** How often it has ended without being killed. */
  readonly ownEnds: () => number;
};

const RETRY_MS = 300;

/** A process of the service in one role. */
export function servicePart(
  name: string,
  variables: () => Readonly<Record<string, string>>,
): ServicePart {
  let process: ServiceProcess | null = null;
  let ownEnds = 0;

  const isRunning = (): boolean => process?.isRunning() ?? false;
  return {
    name,
    process: () => (isRunning() ? process : null),
    isRunning,
    ownEnds: () => ownEnds,
    kill: async () => {
      if (process !== null && !isRunning()) ownEnds += 1;
      await process?.kill();
      process = null;
    },
    start: async () => {
      if (isRunning()) return;
      // Where the database is away, a start is refused.
      while (process === null) {
        process = await startServiceProcess(variables()).catch(() => null);
        if (process === null) await delay(RETRY_MS);
      }
    },
    stop: async () => {
      await process?.stop();
      process = null;
    },
  };
}

/** A server that starts again where it was. */
export function restartable(
  name: string,
  server: { readonly kill: () => Promise<void>; readonly restart: () => Promise<void> },
): Part {
  let running = true;
  return {
    name,
    isRunning: () => running,
    kill: async () => {
      running = false;
      await server.kill();
    },
    start: async () => {
      if (!running) await server.restart();
      running = true;
    },
  };
}

export type PostgresPart = Part & {
  /** By way of the relay: the same whatever becomes of the server. */
  readonly url: () => string;
  readonly relay: TcpRelay;
  readonly stop: () => Promise<void>;
};

type Server = { readonly owner: ChildProcess; readonly url: URL };

const PROGRAM = fileURLToPath(new URL("../support/embedded-process-main.ts", import.meta.url));
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

export type EventStorePart = Part & {
  /** By way of the relay. */
  readonly url: string;
  readonly relay: TcpRelay;
  readonly stop: () => Promise<void>;
};

export async function startEventStorePart(): Promise<EventStorePart> {
  const server = await startEventStoreProcess();
  const relay = await startTcpRelay(() => server.port);
  return {
    ...restartable("eventstore", server),
    url: `esdb://127.0.0.1:${relay.port}?tls=false`,
    relay,
    stop: async () => {
      await relay.close();
      await server.stop();
    },
  };
}

const run = promisify(execFile);

export type Faults = {
  /** How often each was done, by what. */
  readonly counts: ReadonlyMap<string, number>;
  /** What did not behave under a fault as it should have. */
  readonly complaints: readonly string[];
};

type Fault = (context: Context) => Promise<void>;

type Context = {
  readonly world: World;
  readonly random: () => number;
  /** Of the administrator. */
  readonly token: string;
  readonly rudeness: Rudeness;
  readonly complaints: string[];
  /** Runs beside the faults that follow, and is waited for in the end. */
  readonly beside: (work: Promise<void>) => void;
  readonly counted: (name: string) => void;
};

const SECOND = 1_000;
const BETWEEN_MS = 1.5 * SECOND;
const DOWN_MS = 2 * SECOND;
const FROZEN_MS = 4 * SECOND;
const FROZEN_PROCESS_MS = 20 * SECOND;
/** The largest file that a process may write whose disk is full. */
const FULL_BYTES = 64 * 1024;
/** Clients that leave at once, of each gateway. */
const LEAVING = 20;

/** Breaks one thing after the other until `signal` aborts, then waits until all runs again. */
export async function superviseFaults(
  world: World,
  random: () => number,
  { token, rudeness }: { readonly token: string; readonly rudeness: Rudeness },
  signal: AbortSignal,
): Promise<Faults> {
  const counts = new Map<string, number>();
  const complaints: string[] = [];
  const running = new Set<Promise<void>>();
  const context: Context = {
    world,
    random,
    token,
    rudeness,
    complaints,
    counted: (name) => counts.set(name, (counts.get(name) ?? 0) + 1),
    beside: (work) => {
      const done = work.finally(() => running.delete(done));
      running.add(done);
    },
  };
  while (!signal.aborted) {
    await sleep(random() * 2 * BETWEEN_MS, signal);
    if (!signal.aborted) await choose(FAULTS, random)(context);
  }
  await Promise.all(running);
  return { counts, complaints };
}

/** Kills a part that runs, and starts it again a moment later. */
const killOne =
  (isWanted: (part: Part) => boolean): Fault =>
  async ({ world, random, counted, beside }) => {
    const { services, nats, postgres, eventStore } = world;
    const parts = [...services, nats, postgres, ...(eventStore ? [eventStore] : [])].filter(
      isWanted,
    );
    const part = parts[Math.floor(random() * parts.length)];
    if (part === undefined || !part.isRunning()) return;
    counted(`kill -9 ${part.name.split(" ")[0]}`);
    await part.kill();
    beside(delay(random() * DOWN_MS).then(part.start));
  };

/** Stops a process where it is, longer than it can hold a lease, and lets it go on. */
const freezeOne: Fault = async ({ world, random, counted, beside }) => {
  const part = world.services[Math.floor(random() * world.services.length)];
  const pid = part?.process()?.pid;
  if (part === undefined || pid === undefined) return;
  counted(`frozen ${part.name.split(" ")[0]}`);
  signalTo(pid, "SIGSTOP");
  beside(delay(random() * FROZEN_PROCESS_MS).then(() => signalTo(pid, "SIGCONT")));
};

/** It may have been killed meanwhile. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** @param dropOf undefined where the world has no such server */
const cut =
  (name: string, dropOf: (world: World) => (() => void) | undefined): Fault =>
  async ({ world, counted }) => {
    const drop = dropOf(world);
    if (drop === undefined) return;
    counted(`connections cut to ${name}`);
    drop();
  };

const freezeKafka: Fault = async ({ world, random, counted, beside }) => {
  counted("Kafka frozen");
  world.kafka.freeze();
  beside(delay(random() * FROZEN_MS).then(world.kafka.thaw));
};

/** A gateway that cannot write a file refuses the upload, and lives. */
const fillDisk: Fault = async ({ world, token, complaints, counted }) => {
  const gateway = world.services.find((part) => part.process()?.url)?.process();
  if (!gateway) return;
  counted("disk full");
  const client = createApiClient(gateway.url, token);
  await run("prlimit", [`--pid=${gateway.pid}`, `--fsize=${FULL_BYTES}:`]);
  // The refusal may come, and the connection end, while the file is still being sent.
  const status = await client.send("POST", "/api/upload", fillingUpload()).then(
    (answer) => answer.status,
    () => "cut off" as const,
  );
  await run("prlimit", [`--pid=${gateway.pid}`, "--fsize=unlimited:"]);
  if (typeof status === "number" && status < 500) {
    complaints.push(`an upload to a full disk was answered ${status}`);
  }
  // As who watches over it asks: without a token, which only the database knows to be good.
  const alive = await createApiClient(gateway.url)
    .get("/api/health")
    .catch(() => null);
  if (alive?.status !== 200) {
    const lines = gateway.output().split("\n").slice(-5).join("\n");
    complaints.push(`a full disk has ended a gateway (upload ${status}):\n${lines}`);
  }
};

/** Clients that leave before they have what they asked for. */
const leaveClients: Fault = async ({ world, random, rudeness, counted, beside }) => {
  for (const url of world.gateways()) {
    counted(`${LEAVING} clients that leave early`);
    for (let i = 0; i < LEAVING; i += 1) beside(leaveEarly(url, rudeness, random));
  }
};

/** A client that asks, and takes nothing. */
const stallClient: Fault = async ({ world, random, rudeness, counted, complaints, beside }) => {
  const urls = world.gateways();
  const url = urls[Math.floor(random() * urls.length)];
  if (url === undefined) return;
  counted("clients that take nothing");
  beside(
    takeNothing(url, rudeness).then((complaint) => {
      if (complaint !== null) complaints.push(complaint);
    }),
  );
};

const FAULTS: readonly (readonly [Fault, weight: number])[] = [
  [killOne(({ name }) => name.startsWith("gateway")), 4],
  [killOne(({ name }) => name.startsWith("projector")), 4],
  [killOne(({ name }) => name.startsWith("publisher")), 2],
  [killOne(({ name }) => name.startsWith("notifier")), 2],
  [killOne(({ name }) => name === "nats-server"), 2],
  [killOne(({ name }) => name === "postgres"), 1.5],
  [cut("PostgreSQL", ({ postgres }) => postgres.relay.drop), 2],
  [killOne(({ name }) => name === "eventstore"), 2],
  [cut("the event store", ({ eventStore }) => eventStore?.relay.drop), 2],
  [cut("NATS", ({ nats }) => nats.relay.drop), 1],
  [cut("Kafka", ({ kafka }) => kafka.dropConnections), 2],
  [freezeOne, 3],
  [freezeKafka, 1],
  [fillDisk, 1],
  [leaveClients, 4],
  [stallClient, 3],
];
