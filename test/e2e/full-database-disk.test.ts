import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../support/api-client.ts";
import {
  NotStarted,
  type ServiceProcess,
  startServiceProcess,
} from "../support/service-process.ts";
import { fillDisk, mayMount, withSmallDisk } from "../support/small-disk.ts";
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
