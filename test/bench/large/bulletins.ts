import { importAll, withAgency } from "../agency-import.ts";
import { exportAll } from "../bench-export.ts";
import { benchDocuments, bytesOf } from "../cases/bulletin.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import { type Result, within } from "../report.ts";
import { secondsOf } from "../statistics.ts";

const PICKS = 25;
const MEMORY_MIB = 600;
const IMPORTED_PER_SECOND = 1_000;
const EXPORTED_PER_SECOND = 5_000;
/** What each of them takes. */
const BYTES = { log: 1_000, rows: 1_300 } as const;

/** So many bulletins of 25 picks each: importing and exporting them whole, what they take, and one at a time. */
export function benchLargeBulletins(events: number): Promise<Result[]> {
  return withAgency(events, PICKS, async (bench) => {
    const { client, database, pid } = bench;
    const before = await bytesOf(database);
    let [id, importing, exporting] = ["", 0, 0];
    const peak = await peakMemoryOf(pid, async () => {
      importing = await secondsOf(async () => {
        id = await importAll(client, "full", events);
      });
      exporting = await secondsOf(() => exportAll(client, id, "quakeml", events));
    });
    const after = await bytesOf(database);
    const size = `${events} bulletins of ${PICKS} picks`;
    const timed = { size, unit: "s" } as const;
    return [
      {
        case: "importing bulletins until visible",
        ...timed,
        ...within(events / IMPORTED_PER_SECOND, [importing]),
      },
      {
        case: "exporting them as QuakeML",
        ...timed,
        ...within(events / EXPORTED_PER_SECOND, [exporting]),
      },
      { case: "peak memory of both", size, unit: "MiB", ...within(MEMORY_MIB, [peak]) },
      ...(["log", "rows"] as const).map((where) => ({
        case: `bytes of a bulletin in the ${where === "log" ? "log" : "read model"}`,
        size,
        unit: "bytes",
        ...within(BYTES[where], [(after[where] - before[where]) / events]),
      })),
      await benchDocuments(bench, id),
    ];
  });
}
