import { chmod, cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { obstacleFor, serverAccount } from "#infra/postgres/embedded/account.ts";
import { makeCluster } from "#infra/postgres/embedded/make-cluster.ts";
import { findPostgresBinaries } from "#infra/postgres/embedded/postgres-binaries.ts";
import { createRunner } from "#infra/postgres/embedded/programs.ts";
import { freePort, startServer, stopServer } from "#infra/postgres/embedded/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)("PostgreSQL as root", () => {
  test("runs as another user", async () => {
    expect(await serverAccount("/nonexistent")).toMatchObject({ uid: expect.any(Number) });
    expect((await serverAccount("/nonexistent"))?.uid).not.toBe(0);
  });

  test("names the outermost directory that the other user may not enter", async () => {
    const account = { uid: 65_534, gid: 65_534 };
    const directory = await temporaryDirectory();
    expect(await obstacleFor(account, directory)).toBe(directory);
    await chmod(directory, 0o711);
    expect(await obstacleFor(account, directory)).toBeNull();
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
