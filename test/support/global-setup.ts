import { mkdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { clusterPassword, openCluster } from "#infra/postgres/embedded/cluster.ts";
import { freePort, serviceUrl, stopServer } from "#infra/postgres/embedded/embedded.ts";
import { copyDataDir, prepareDataDir } from "./data-dir-template.ts";
import { createTemplate, withClient } from "./database-template.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";
import { workersEnded } from "./worker-end.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A database whose role may create others. */
    databaseUrl: string;
    /** Where workers note what their files share: test/support/worker-end.ts. */
    workersDirectory: string;
    /** Copied by test/support/prepared-data-dir.ts. */
    preparedDataDir: string;
    /** The migrated database that test databases are copied from, or why there is none. */
    databaseTemplate: { name: string } | { failure: string };
  }
}

async function startCopy(prepared: string, dataDir: string): Promise<TestServer> {
  await mkdir(dataDir);
  await copyDataDir(prepared, dataDir);
  return startTestServer(dataDir);
}

/**
 * One PostgreSQL cluster for the whole run; test files make databases of their own in it
 * (test/support/database.ts). TEST_DATABASE_URL names another server to use instead; with
 * TEST_OPEN_TRANSACTIONS_MS transactions of others hold back what subscriptions give.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await createTemporaryDirectory(await placeOfRun());
  const given = process.env["TEST_DATABASE_URL"];
  try {
    const prepared = join(directory.path, "prepared");
    await prepareDataDir(prepared);
    const embedded = given ? null : await startCopy(prepared, join(directory.path, "run"));
    const databaseUrl = given ?? embedded?.url ?? "";
    const template = await createTemplate(databaseUrl);
    const openMs = Number(process.env["TEST_OPEN_TRANSACTIONS_MS"] ?? 0);
    const endOpen = openMs > 0 ? keepTransactionsOpen(databaseUrl, openMs) : null;
    project.provide("databaseUrl", databaseUrl);
    const workers = join(directory.path, "workers");
    await mkdir(workers);
    project.provide("workersDirectory", workers);
    project.provide("preparedDataDir", prepared);
    project.provide("databaseTemplate", template.outcome);
    return async () => {
      try {
        await workersEnded(workers);
      } finally {
        await endOpen?.();
        await template.drop();
        await embedded?.stop();
        await directory.remove();
      }
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

/** Linux's directory in memory: a database is made there in a tenth of the time that a disk takes. */
const MEMORY = "/dev/shm";
/** A run has half a GiB there, and its log 1 GiB more at most; the rest is for what runs beside it. In bytes. */
const ENOUGH = 8 * 2 ** 30;

async function placeOfRun(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ENOUGH ? MEMORY : tmpdir();
}

/**
 * Transactions of another database of the same server, one of them open at any time, so that
 * subscriptions to a log in PostgreSQL lag by up to twice `ms`: what tests forget to wait for shows.
 */
function keepTransactionsOpen(databaseUrl: string, ms: number): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const begin = (startMs: number) =>
    withClient(databaseUrl, async (client) => {
      await delay(startMs, undefined, { signal }).catch(() => undefined);
      while (!signal.aborted) {
        await client.query("begin");
        await client.query("select pg_current_xact_id()");
        await delay(2 * ms, undefined, { signal }).catch(() => undefined);
        await client.query("commit");
      }
    });
  const both = Promise.all([begin(0), begin(ms)]);
  return async () => {
    ending.abort();
    await both;
  };
}

const ATTEMPTS = 5;

/**
 * The run's server does not sync: it is thrown away at the end, and none of its tests crashes it. Each
 * worker has a service that is shared and one of a file, with all their connections.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "400",
  shared_buffers: "512MB",
  max_wal_size: "1GB",
  timezone: "UTC",
  fsync: "off",
};

type TestServer = { readonly url: string; readonly stop: () => Promise<void> };

/** Starts PostgreSQL on a prepared DATA_DIR. */
async function startTestServer(dataDir: string): Promise<TestServer> {
  const cluster = await openCluster(dataDir);
  const password = await clusterPassword(cluster);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const settings = Object.entries({ ...SETTINGS, port: String(port) });
    try {
      await cluster.run(cluster.binaries.pg_ctl, [
        "start",
        "--wait",
        "--silent",
        `--pgdata=${cluster.clusterDir}`,
        `--log=${cluster.clusterDir}/server.log`,
        `--options=${settings.map(([name, value]) => `-c ${name}=${value}`).join(" ")}`,
      ]);
      return { url: serviceUrl(password, port), stop: () => stopServer(cluster) };
    } catch (error) {
      // Another program may have taken the port.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
