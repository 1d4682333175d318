/** `npm run bench`: figures of the service, each beside a yardstick measured in the same run. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchService, startBenchService } from "./bench-service.ts";
import { benchCreate } from "./cases/create.ts";
import { benchEventStore } from "./cases/eventstoredb.ts";
import { benchExport } from "./cases/export.ts";
import { benchImport } from "./cases/import.ts";
import { benchAddressTiming } from "./cases/login-timing.ts";
import { benchMerge, benchMergeGrowth } from "./cases/merge.ts";
import { benchGrouping } from "./cases/merge-grouping.ts";
import { benchRead } from "./cases/read.ts";
import { benchRebuild } from "./cases/rebuild.ts";
import { isMet, printResults, type Result } from "./report.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
});
const { quick, only } = values;

type Case = (service: BenchService) => Promise<readonly Result[]>;

const TRIES = 200;

/** The cases by name, as `--only` takes them. */
const CASES: Readonly<Record<string, Case>> = {
  "login-timing": async (bench) => [
    await benchAddressTiming(bench, "/api/auth/login", TRIES),
    await benchAddressTiming(bench, "/api/auth/forgot-password", TRIES),
  ],
  create: async (bench) => [
    await benchCreate(bench, 100_000, quick ? 3 : 7, 2.5),
    ...(quick ? [] : [await benchCreate(bench, 500_000, 3, 2.5)]),
  ],
  eventstoredb: async (bench) => [await benchEventStore(bench, 100_000, quick ? 3 : 7, 2)],
  read: (bench) => benchRead(bench, 100_000, quick ? 3 : 7),
  export: (bench) => benchExport(bench, quick ? 100_000 : 1_000_000, 3),
  import: () => benchImport(100_000, quick ? 50_000 : 300_000, quick ? 2 : 5),
  rebuild: (bench) => benchRebuild(bench, quick ? 300_000 : 1_000_000, 3),
  merge: async (bench) => [
    ...(await benchGrouping(quick ? 100_000 : 500_000, 5)),
    ...(quick
      ? await benchMerge(bench, 100_000, 1)
      : await benchMergeGrowth(bench, [100_000, 500_000])),
  ],
};

const chosen = only === undefined ? Object.values(CASES) : [CASES[only]];
if (chosen.includes(undefined)) {
  throw new Error(`--only takes one of ${Object.keys(CASES).join(", ")}`);
}

const service = await startBenchService();
try {
  const results: Result[] = [];
  for (const run of chosen) results.push(...((await run?.(service)) ?? []));
  printResults(results);
  await writeFile("bench.json", `${JSON.stringify(results, null, 2)}\n`);
  if (!results.every(isMet)) process.exitCode = 1;
} finally {
  await service.close();
}
