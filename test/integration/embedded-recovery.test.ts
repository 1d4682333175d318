import { readdir, watch } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { DataDirInUse } from "#infra/postgres/embedded/connect.ts";
import { withClient } from "../support/database-template.ts";
import { spawnEmbedded } from "../support/embedded-process.ts";
import { serverPid, startForTest } from "../support/embedded-server.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

async function query(url: string, text: string): Promise<unknown[]> {
  return (await withClient(url, (client) => client.query(text))).rows;
}

async function urlOf(started: ReturnType<typeof spawnEmbedded>): Promise<string> {
  const outcome = await started.ready;
  if ("error" in outcome) throw new Error(outcome.error);
  return outcome.url;
}

describe("after the service was killed", () => {
  test("the next start adopts the server that goes on without it", async () => {
    const dataDir = await preparedDataDir();
    const killed = spawnEmbedded(dataDir);
    const url = await urlOf(killed);
    await query(url, "create table kept as select 42 as answer");
    const pid = await serverPid(dataDir);
    await killed.kill();
    const next = await startForTest(dataDir);
    expect(next.url).toBe(url);
    expect(await serverPid(dataDir)).toBe(pid);
    expect(await query(next.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  test("the next start recovers a server that was killed too", async () => {
    const dataDir = await preparedDataDir();
    const killed = spawnEmbedded(dataDir);
    await query(await urlOf(killed), "create table kept as select 42 as answer");
    const pid = await serverPid(dataDir);
    await killed.kill();
    process.kill(pid, "SIGKILL");
    const next = await startForTest(dataDir);
    expect(await serverPid(dataDir)).not.toBe(pid);
    expect(await query(next.url, "select answer from kept")).toEqual([{ answer: 42 }]);
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
  test("a second start says that another service is using it, and disturbs nothing", async () => {
    const dataDir = await preparedDataDir();
    const { url } = await startForTest(dataDir);
    await expect(startForTest(dataDir)).rejects.toThrow(DataDirInUse);
    expect(await spawnEmbedded(dataDir).ready).toEqual({
      error: `DataDirInUse: Another service is using this DATA_DIR: ${dataDir}`,
    });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test.each(["new", "existing"])(
    "the one service of a DATA_DIR of three starts at once in one %s DATA_DIR, one wins",
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

  test("the server is started again, on the same port, when it was killed", async () => {
    const dataDir = await preparedDataDir();
    const { url, lost } = await startForTest(dataDir);
    process.kill(await serverPid(dataDir), "SIGKILL");
    const serviceLocks = "select 1 from pg_locks where locktype = 'advisory' and granted";
    await vi.waitFor(async () => expect(await query(url, serviceLocks)).toHaveLength(1), {
      timeout: 20_000,
      interval: 50,
    });
    expect(lost.aborted).toBe(false);
    await expect(startForTest(dataDir)).rejects.toThrow(DataDirInUse);
  });
});
