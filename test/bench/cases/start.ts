import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/exports.ts";
import { type BenchService, catalogueOf, exportAll } from "../../support/bench-service.ts";
import { memoryOf, peakMemoryOf } from "../../support/process-figures.ts";
import { importAll, withAgency } from "../agencies.ts";
import { type Result, repeated, within } from "../measure.ts";

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[];
const STARTED_MIB = 150;
const IMPORTING_MIB = 400;
const EXPORTING_MIB = 250;
const STARTS = 3;
const SMALL = 10_000;
/** What an export of any size may hold above one of 10,000 events, MiB. */
const ABOVE_SMALL_MIB = 64;
/** Resident memory of the service's process: after its start, and at most while it imports and exports events. */
export async function benchMemory(events: number): Promise<Result[]> {
  return withAgency(events, 0, async (bench) => {
    const started = await afterStart(bench);
    const imported = await whileImporting(bench, events);
    return [started, imported.result, ...(await whileExporting(bench, imported.id, events))];
  });
}

async function afterStart({ withAnother }: BenchService): Promise<Result> {
  const figures = await repeated(STARTS, 0, () => withAnother((_, pid) => memoryOf(pid)));
  return within(["memory after start", "all roles in one process", "MiB"], STARTED_MIB, figures);
}

async function whileImporting({ client, pid }: BenchService, count: number) {
  const [peak, id] = await peakMemoryOf(pid, () => importAll(client, "full", count));
  const named = ["peak memory while importing QuakeML", `${count} events`, "MiB"] as const;
  return { id, result: within(named, IMPORTING_MIB, [peak]) };
}

/** Of a service that has done nothing else. */
async function whileExporting(
  { client, withAnother }: BenchService,
  large: string,
  count: number,
): Promise<Result[]> {
  const small = await catalogueOf(client, SMALL);
  return withAnother(async (fresh, pid) => {
    const peakOf = async (id: string, size: number): Promise<number> => {
      const [peak] = await peakMemoryOf(pid, async () => {
        for (const format of FORMATS) await exportAll(fresh, id, format, size);
      });
      return peak;
    };
    // Twice, so that what the runtime keeps for itself is in both figures.
    await peakOf(small, SMALL);
    const limit = (await peakOf(small, SMALL)) + ABOVE_SMALL_MIB;
    const figures = [await peakOf(large, count)];
    const named = ["peak memory while exporting in all formats", `${count} events`, "MiB"] as const;
    const yardstick = `${SMALL} events and ${ABOVE_SMALL_MIB} MiB`;
    return [within(named, EXPORTING_MIB, figures), { ...within(named, limit, figures), yardstick }];
  });
}
