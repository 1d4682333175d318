import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";
import { type BenchService, catalogueOf, exportAll } from "../../support/bench-service.ts";
import { memoryOf, peakMemoryOf } from "../../support/process-figures.ts";
import { startServiceProcess } from "../../support/service-process.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { importAll, withAgency } from "../agencies.ts";
import { type Result, secondsOf, within } from "../measure.ts";

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

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[];
const STARTED_MIB = 150;
const IMPORTING_MIB = 400;
const EXPORTING_MIB = 250;
const STARTS = 3;
const SMALL = 10_000;
/** What an export of any size may hold above one of 10,000 events, MiB. */
const ABOVE_SMALL_MIB = 64;
const PICKS = 25;

/**
 * Resident memory of the service's process: after its start, and at most while it imports `light`
 * events, while it imports `heavy` ones with picks, and while it exports the `light` ones.
 */
export async function benchMemory(light: number, heavy: number): Promise<Result[]> {
  const ofLight = await withAgency(light, 0, async (bench) => {
    const started = await afterStart(bench);
    const imported = await whileImporting(bench, light);
    return [started, imported.result, ...(await whileExporting(bench, imported.id, light))];
  });
  const ofHeavy = await withAgency(heavy, PICKS, (bench) => whileImporting(bench, heavy));
  const size = `${heavy} events with ${PICKS} picks`;
  return [...ofLight, { ...ofHeavy.result, size }];
}

async function afterStart({ startAnother }: BenchService): Promise<Result> {
  const figures: number[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const { process } = await startAnother();
    figures.push(await memoryOf(process.pid));
    await process.stop();
  }
  const size = "all roles in one process";
  return { case: "memory after start", size, unit: "MiB", ...within(STARTED_MIB, figures) };
}

async function whileImporting({ client, pid }: BenchService, count: number) {
  let id = "";
  const peak = await peakMemoryOf(pid, async () => {
    id = await importAll(client, "full", count);
  });
  const result: Result = {
    case: "peak memory while importing QuakeML",
    size: `${count} events`,
    unit: "MiB",
    ...within(IMPORTING_MIB, [peak]),
  };
  return { id, result };
}

/** Of a service that has done nothing else. */
async function whileExporting(
  { client, startAnother }: BenchService,
  large: string,
  count: number,
): Promise<Result[]> {
  const small = await catalogueOf(client, SMALL);
  const { process, signIn } = await startAnother();
  const fresh = await signIn();
  const peak = (id: string, size: number): Promise<number> =>
    peakMemoryOf(process.pid, async () => {
      for (const format of FORMATS) await exportAll(fresh, id, format, size);
    });
  try {
    // Twice, so that what the runtime keeps for itself is in both figures.
    await peak(small, SMALL);
    return exportingOf(count, await peak(small, SMALL), await peak(large, count));
  } finally {
    await process.stop();
  }
}

function exportingOf(count: number, smallPeak: number, largePeak: number): Result[] {
  const common = { case: "peak memory while exporting in all formats", unit: "MiB" } as const;
  const size = `${count} events`;
  return [
    { ...common, size, ...within(EXPORTING_MIB, [largePeak]) },
    {
      ...common,
      size,
      ...within(smallPeak + ABOVE_SMALL_MIB, [largePeak]),
      yardstick: `${SMALL} events and ${ABOVE_SMALL_MIB} MiB`,
    },
  ];
}
