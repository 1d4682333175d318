import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../support/api-client.ts";
import {
  NotStarted,
  type ServiceProcess,
  startServiceProcess,
} from "../support/service-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const POLL = { timeout: 30_000, interval: 100 };

async function start(dataDir: string, mebibytes: number): Promise<ServiceProcess> {
  const service = await startServiceProcess(
    { DATA_DIR: dataDir },
    withSmallDisk(dataDir, mebibytes),
  );
  onTestFinished(async () => {
    await service.stop();
  });
  return service;
}

// Sizes at which initdb, the making of the database and a migration find no room.
describe.skipIf(!mayMount(tmpdir()))("a disk of the embedded database that is full", () => {
  test.each([1, 30, 41])(
    "a disk of the embedded database that is full at the start (%d MiB) is said in one line, by its folder",
    async (size) => {
      const dataDir = await temporaryDirectory();
      const failure = await start(dataDir, size).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(NotStarted);
      const { exitCode, output } = failure as NotStarted;
      expect(exitCode).toBe(1);
      const said = output.split("\n").filter((line) => !line.startsWith("{"));
      expect(said).toEqual([
        `DATA_DIR cannot be used: the disk of ${dataDir}/postgres is full (ENOSPC)`,
      ]);
    },
  );

  test("later makes the service unready until there is room, while reads are answered", async () => {
    const dataDir = await temporaryDirectory();
    const service = await start(dataDir, 100);
    const guest = createApiClient(service.url);
    const database = async () => {
      const { body } = await guest.get<ReadinessReport>("/api/ready");
      return body.checks.find(({ name }) => name === "database");
    };
    await expect.poll(database, POLL).toMatchObject({ status: "healthy" });
    const makeRoom = await fillDisk(service.pid, dataDir);
    await expect.poll(database, POLL).toMatchObject({
      status: "unhealthy",
      message: "The disk of the database is full: no change can be stored",
    });
    expect((await guest.get("/api/ready")).status).toBe(503);
    expect((await guest.get("/api/catalogues")).status).toBe(200);
    await makeRoom();
    await expect.poll(database, POLL).toMatchObject({ status: "healthy" });
    expect((await guest.get("/api/ready")).status).toBe(200);
  });
});

/**
 * What stands before a command to give it, and what it starts, a disk of their own at `path`: nobody
 * else sees it, and it is gone with them. It takes a user who may mount.
 */
function withSmallDisk(path: string, mebibytes: number): string[] {
  const mount = `mount -t tmpfs -o size=${mebibytes}m,mode=755 tmpfs "${path}" && exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", mount, "sh"];
}

function mayMount(path: string): boolean {
  const [program = "", ...args] = [...withSmallDisk(path, 1), "true"];
  return spawnSync(program, args).status === 0;
}

/** Fills the disk that a process sees at `path`; resolves with what makes room again. */
async function fillDisk(pid: number, path: string): Promise<() => Promise<void>> {
  const file = join("/proc", `${pid}`, "root", path, "filling");
  await pipeline(zeros, createWriteStream(file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOSPC") throw error;
  });
  return () => rm(file);
}

function* zeros(): Generator<Buffer> {
  const piece = Buffer.alloc(4096);
  while (true) yield piece;
}
