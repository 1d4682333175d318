import { startServiceProcess } from "../../support/service-process.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { type Result, within } from "../report.ts";
import { secondsOf } from "../statistics.ts";

const FIRST_SECONDS = 10;
const LATER_SECONDS = 3;

/**
 * From the start of the process until it answers: in an empty DATA_DIR, where it makes its PostgreSQL
 * and all tables, and once more in the same.
 */
export async function benchStart(repetitions: number): Promise<Result[]> {
  const first: number[] = [];
  const later: number[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    const directory = await createTemporaryDirectory();
    first.push(await startIn(directory.path));
    later.push(await startIn(directory.path));
    await directory.remove();
  }
  const common = { size: "embedded PostgreSQL", unit: "s" } as const;
  return [
    { case: "first start until ready", ...common, ...within(FIRST_SECONDS, first) },
    { case: "later start until ready", ...common, ...within(LATER_SECONDS, later) },
  ];
}

async function startIn(dataDir: string): Promise<number> {
  let stop = async (): Promise<unknown> => undefined;
  const seconds = await secondsOf(async () => {
    ({ stop } = await startServiceProcess({ DATA_DIR: dataDir }));
  });
  await stop();
  return seconds;
}
