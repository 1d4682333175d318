import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, readdir, rename, symlink, watch } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  createRunner,
  findPostgresBinaries,
  makeCluster,
  obstacleFor,
  serverAccount,
} from "#infra/postgres/embedded/cluster.ts";
import {
  DataDirInUse,
  freePort,
  OtherFolder,
  startServer,
  stopServer,
  worksIn,
} from "#infra/postgres/embedded/embedded.ts";
import { withClient } from "../support/database-template.ts";
import { serverPid, startForTest } from "../support/embedded-server.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const PROGRAM = fileURLToPath(new URL("../support/embedded-process-main.ts", import.meta.url));

/**
 * A process of its own that runs an embedded PostgreSQL in `dataDir`, to be killed by the test.
 * `ready` is the database's URL, or the message of the error that the start ended with.
 */
function spawnEmbedded(dataDir: string): {
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

async function query(url: string, text: string): Promise<unknown[]> {
  return (await withClient(url, (client) => client.query(text))).rows;
}

const NOTES = "select text from notes order by text";
const KEPT = [{ text: "kept" }];

/** A service over a DATA_DIR with one note, in a folder of its own, in a process of its own. */
async function serviceWithNote() {
  const dataDir = join(await temporaryDirectory(), "original");
  await rename(await preparedDataDir(), dataDir);
  const { ready, kill } = spawnEmbedded(dataDir);
  const outcome = await ready;
  if ("error" in outcome) throw new Error(outcome.error);
  await query(outcome.url, "create table notes as select 'kept' as text");
  return { dataDir, url: outcome.url, pid: await serverPid(dataDir), kill };
}

describe("after the service was killed", () => {
  test("the next start adopts the server that goes on without it, also through a link or from a DATA_DIR that was moved", async () => {
    for (const way of ["as it is", "by a link", "moved"] as const) {
      const { dataDir, url, pid, kill } = await serviceWithNote();
      await kill();
      const next = way === "as it is" ? dataDir : join(await temporaryDirectory(), "next");
      if (way === "by a link") await symlink(dataDir, next);
      if (way === "moved") await rename(dataDir, next);
      const adopted = await startForTest(next);
      expect([adopted.url, await serverPid(next)], way).toEqual([url, pid]);
      expect(await query(url, NOTES), way).toEqual(KEPT);
      await adopted.stop();
    }
  });

  test("the next start recovers a server that was killed too", async () => {
    const { dataDir, pid, kill } = await serviceWithNote();
    await kill();
    process.kill(pid, "SIGKILL");
    const next = await startForTest(dataDir);
    expect(await serverPid(dataDir)).not.toBe(pid);
    expect(await query(next.url, NOTES)).toEqual(KEPT);
  });

  test("the next start makes the cluster that the killed one had only begun", async () => {
    const dataDir = await temporaryDirectory();
    const changes = watch(dataDir);
    const killed = spawnEmbedded(dataDir);
    for await (const { filename } of changes) {
      if (filename?.startsWith("postgres-unfinished-")) break;
    }
    await killed.kill();
    expect(await readdir(dataDir)).not.toContain("postgres");
    const next = await startForTest(dataDir);
    expect(await query(next.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("the one service of a DATA_DIR", () => {
  test("a second start says that another service is using it, and disturbs nothing, also after the server was killed and started again", async () => {
    const dataDir = await preparedDataDir();
    const { url, lost } = await startForTest(dataDir);
    await expect(startForTest(dataDir)).rejects.toThrow(DataDirInUse);
    expect(await spawnEmbedded(dataDir).ready).toEqual({
      error: `DataDirInUse: Another service is using this DATA_DIR: ${dataDir}`,
    });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    process.kill(await serverPid(dataDir), "SIGKILL");
    const serviceLocks = "select 1 from pg_locks where locktype = 'advisory' and granted";
    await vi.waitFor(async () => expect(await query(url, serviceLocks)).toHaveLength(1), {
      timeout: 20_000,
      interval: 50,
    });
    expect(lost.aborted).toBe(false);
    await expect(startForTest(dataDir)).rejects.toThrow(DataDirInUse);
  });

  test.each(["new", "existing"])(
    "of three starts at once in one %s DATA_DIR, one wins",
    async (kind) => {
      const dataDir = await (kind === "existing" ? preparedDataDir() : temporaryDirectory());
      const processes = [dataDir, dataDir, dataDir].map(spawnEmbedded);
      const starts = await Promise.all(processes.map(({ ready }) => ready));
      const urls = starts.flatMap((start) => ("url" in start ? [start.url] : []));
      const errors = starts.flatMap((start) => ("error" in start ? [start.error] : []));
      expect(urls).toHaveLength(1);
      expect(errors).toHaveLength(2);
      for (const error of errors) expect(error).toContain("DataDirInUse");
      expect(await query(urls[0] ?? "", "select 1 as one")).toEqual([{ one: 1 }]);
      await Promise.all(processes.map(({ kill }) => kill()));
      await startForTest(dataDir);
    },
  );
});

test("a copy of a DATA_DIR whose PostgreSQL runs gets a PostgreSQL of its own, whether its service was killed or not", async () => {
  for (const isKilled of [false, true]) {
    const original = await serviceWithNote();
    if (isKilled) await original.kill();
    const dataDir = join(await temporaryDirectory(), "copy");
    await cp(original.dataDir, dataDir, { recursive: true, preserveTimestamps: true });
    const copy = await startForTest(dataDir);
    await query(copy.url, "insert into notes values ('of the copy')");
    expect(await query(original.url, NOTES)).toEqual(KEPT);
    expect(await query(copy.url, NOTES)).toEqual([...KEPT, { text: "of the copy" }]);
    await copy.stop();
    expect(await query(original.url, NOTES)).toEqual(KEPT);
    // The killed service's is taken over by whoever starts there again, and stopped with him.
    await original.kill();
    expect((await startForTest(original.dataDir)).url).toBe(original.url);
  }
  const own = await temporaryDirectory();
  const elsewhere = worksIn(own, 2 ** 30, "/no/such/folder");
  await expect(elsewhere).rejects.toThrow(new OtherFolder(own, "/no/such/folder"));
});

describe.runIf(process.getuid?.() === 0)("PostgreSQL as root", () => {
  test("runs as another user, and names the outermost directory that this one may not enter", async () => {
    const account = await serverAccount("/nonexistent");
    expect(account).toMatchObject({ uid: expect.any(Number) });
    expect(account?.uid).not.toBe(0);
    const directory = await temporaryDirectory();
    const nobody = { uid: 65_534, gid: 65_534 };
    expect(await obstacleFor(nobody, directory)).toBe(directory);
    await chmod(directory, 0o711);
    expect(await obstacleFor(nobody, directory)).toBeNull();
  });

  test.each([
    ["everybody's", 0o755],
    ["root's alone", 0o700],
  ])("works in a directory of mode 0700 with programs that are %s", async (_, mode) => {
    const dataDir = await temporaryDirectory();
    const installed = dirname(dirname((await findPostgresBinaries()).postgres));
    await cp(installed, join(dataDir, "native"), { recursive: true, verbatimSymlinks: true });
    const [initdb, pg_ctl, postgres] = ["initdb", "pg_ctl", "postgres"].map((name) =>
      join(dataDir, "native/bin", name),
    ) as [string, string, string];
    for (const program of [initdb, pg_ctl, postgres]) await chmod(program, mode);
    const binaries = { initdb, pg_ctl, postgres };
    const clusterDir = join(dataDir, "postgres");
    const account = await serverAccount(clusterDir);
    const run = await createRunner(account, binaries, dataDir);
    const cluster = { dataDir, clusterDir, account, binaries, run };
    await makeCluster(cluster, "a password for this test only");
    await startServer(cluster, await freePort());
    await stopServer(cluster);
  });
});
