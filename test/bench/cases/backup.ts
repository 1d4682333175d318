import { join } from "node:path";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import { exportAll } from "../bench-export.ts";
import { type BenchService, startBenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { runCli } from "../run-cli.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const BACKUP_TARGET = 2;
const RESTORE_TARGET = 3;

/**
 * A backup beside the running service against an export of all events as JSON, and its restore to an empty
 * DATA_DIR, which builds the read models and verifies them, against a rebuild of the same.
 */
export async function benchBackup(count: number): Promise<Result[]> {
  // Of its own: a backup holds the whole database, the catalogues of other cases too.
  const bench = await startBenchService();
  const directory = await createTemporaryDirectory();
  try {
    return await backUpAndRestore(bench, directory.path, count);
  } finally {
    await directory.remove();
    await bench.close();
  }
}

async function backUpAndRestore(
  { client, databaseUrl }: BenchService,
  directory: string,
  count: number,
): Promise<Result[]> {
  const id = await catalogueOf(client, count);
  const exported = await secondsOf(() => exportAll(client, id, "json", count));
  const file = join(directory, "backup");
  const backedUp = await secondsOf(() => runCli({ DATABASE_URL: databaseUrl }, "backup", file));
  const restored = { DATA_DIR: join(directory, "restored") };
  const restoring = await secondsOf(() => runCli(restored, "restore", file));
  const rebuilding = await secondsOf(() => runCli(restored, "rebuild"));
  const size = `${count} events`;
  return [
    against("backup", size, backedUp, "export as JSON", exported, BACKUP_TARGET),
    against("restore", size, restoring, "rebuild", rebuilding, RESTORE_TARGET),
  ];
}

function against(
  name: string,
  size: string,
  ours: number,
  yardstick: string,
  figure: number,
  target: number,
): Result {
  return {
    case: name,
    size,
    unit: "s",
    ours: spreadOf([ours]),
    yardstick,
    yardstickFigure: spreadOf([figure]),
    ratio: ours / figure,
    target,
  };
}
