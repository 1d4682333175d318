/** `npm run bench`: figures of the service, each beside a yardstick measured in the same run. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchService, startBenchService } from "../support/bench-service.ts";
import { benchAccounts } from "./cases/accounts.ts";
import { benchAnalytics } from "./cases/analytics.ts";
import { benchAnswers } from "./cases/answers.ts";
import { benchBesideBulletins, benchBulletin } from "./cases/bulletin.ts";
import { benchClients, benchClientsMemory } from "./cases/clients.ts";
import { benchConsole } from "./cases/console.ts";
import { benchCreate, benchImport, benchRead } from "./cases/create.ts";
import { benchColumns, benchExport } from "./cases/export.ts";
import { benchFeed } from "./cases/feed.ts";
import { benchFiltered, benchRegions } from "./cases/filtered.ts";
import { benchGuest } from "./cases/guest.ts";
import { benchGrouping, benchMerge, benchMergeMemory, benchMergeRefresh } from "./cases/merge.ts";
import { benchPages } from "./cases/pages.ts";
import { benchParts } from "./cases/parts.ts";
import { benchBackup, benchRebuild } from "./cases/rebuild.ts";
import { benchSchedules } from "./cases/schedules.ts";
import { benchCrowd, benchSmallGet } from "./cases/small-get.ts";
import { benchMemory } from "./cases/start.ts";
import { benchStrangers } from "./cases/strangers.ts";
import { benchVersions } from "./cases/versions.ts";
import { benchGrowth } from "./large.ts";
import { isMet, printChanges, printResults, type Result } from "./measure.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    large: { type: "boolean", default: false },
    events: { type: "string", default: "10000000" },
    minutes: { type: "string", default: "5" },
  },
});
const { quick, only, large } = values;

type Case = (service: BenchService) => Promise<readonly Result[]>;

const SIZES = [10_000, 100_000, 1_000_000];
const LARGE = quick ? 100_000 : 1_000_000;
const SMALL_GET = { idle: 3_000, imported: 300_000, asked: 4 };
const SMALL_GET_QUICK = { idle: 500, imported: 20_000, asked: 2 };

/** How often a stranger tries. */
const TRIES = { logins: 100, forgotten: 25, ids: 100 };
const TRIES_QUICK = { logins: 20, forgotten: 8, ids: 20 };

/** A guest's analyses; `--minutes` says how long he asks. */
const GUEST = { events: 1_000_000, idle: 3_000 };
const GUEST_QUICK = { events: 50_000, minutes: 0.5, idle: 500 };

const SCHEDULES = { events: 9_900, figures: 5, atOnce: 100, idle: 3_000 };
const SCHEDULES_QUICK = { events: 9_900, figures: 2, atOnce: 10, idle: 500 };

const CONSOLE_QUICK = [{ events: 20_000, firstPictureMs: 600 }];
const CONSOLE = [...CONSOLE_QUICK, { events: 1_000_000, firstPictureMs: 2_500 }];

/** The cases by name, as `--only` takes them. */
const CASES: Readonly<Record<string, Case>> = {
  strangers: (bench) => benchStrangers(bench, quick ? TRIES_QUICK : TRIES),
  accounts: async (bench) => [await benchAccounts(bench, quick ? 40 : 100, quick ? 1 : 8)],
  memory: () => benchMemory(quick ? 20_000 : 1_000_000),
  "small-get": () => benchSmallGet(quick ? SMALL_GET_QUICK : SMALL_GET),
  crowd: async (bench) => [await benchCrowd(bench, quick ? SMALL_GET_QUICK : SMALL_GET)],
  create: async (bench) => [
    await benchCreate(bench, quick ? 50_000 : 100_000, quick ? 2 : 3, 2),
    // Warm from the one before.
    ...(quick ? [] : [await benchCreate(bench, 500_000, 2, 2, 0)]),
  ],
  read: (bench) => benchRead(bench, quick ? 30_000 : 100_000, quick ? 2 : 3),
  import: () => benchImport(quick ? 30_000 : 100_000, quick ? 1 : 3),
  rebuild: () => benchRebuild(quick ? 100_000 : 1_000_000, quick ? 1 : 2),
  merge: async (bench) => [
    await benchGrouping(quick ? 20_000 : 500_000, quick ? 1 : 5),
    await benchMerge(bench, quick ? 30_000 : 500_000, 1),
    ...(await benchMergeRefresh(bench, quick ? 10_000 : 500_000, quick ? 2 : 7)),
    await benchMergeMemory(bench, LARGE),
  ],
  versions: (bench) => benchVersions(bench, LARGE, quick ? 20 : 100),
  bulletin: async (bench) => [
    ...(await benchBulletin(quick ? 1_000 : 10_000, quick ? 1 : 3)),
    ...(await benchBesideBulletins(bench, LARGE, LARGE / 50, quick ? 3 : 9)),
  ],
  // From here on the cases share catalogues, which stay.
  export: (bench) => benchExport(bench, LARGE, quick ? 1 : 2),
  columns: (bench) => benchColumns(bench, LARGE, quick ? 1 : 5),
  console: (bench) => benchConsole(bench, quick ? CONSOLE_QUICK : CONSOLE, quick ? 1 : 5),
  pages: (bench) => benchPages(bench, LARGE, quick ? 1 : 5),
  "small-answers": (bench) => benchAnswers(bench, LARGE, quick ? 1 : 5, "small"),
  analytics: (bench) => benchAnalytics(bench, LARGE, quick ? 3 : 7),
  clients: async (bench) => [
    ...(await benchClients(bench, LARGE, quick ? 20 : 200)),
    await benchClientsMemory(bench, LARGE),
  ],
  "whole-answers": (bench) => benchAnswers(bench, LARGE, quick ? 1 : 3, "whole"),
  parts: (bench) => benchParts(bench, LARGE),
  schedules: () => benchSchedules(quick ? SCHEDULES_QUICK : SCHEDULES),
  feed: async (bench) => [await benchFeed(bench, quick ? 50_000 : 1_000_000)],
  guest: () => benchGuest(quick ? GUEST_QUICK : { ...GUEST, minutes: Number(values.minutes) }),
  regions: (bench) => benchRegions(bench, LARGE, quick ? 5 : 11),
  filtered: (bench) => benchFiltered(bench, quick ? SIZES.slice(0, 2) : SIZES, quick ? 5 : 21),
};

/** What `--large` measures in the place of the others, at `--events`. */
const LARGE_CASES: Readonly<Record<string, Case>> = {
  growth: (bench) => benchGrowth(bench, Number(values.events)),
  parts: (bench) => benchParts(bench, Number(values.events)),
  backup: () => benchBackup(Math.min(Number(values.events), 1_000_000)),
  crowd: async (bench) => [await benchCrowd(bench, SMALL_GET)],
};

const cases = large ? LARGE_CASES : CASES;
const chosen = only?.split(",") ?? Object.keys(cases);
const unknown = chosen.find((name) => cases[name] === undefined);
if (unknown !== undefined) {
  throw new Error(`--only takes ${Object.keys(cases).join(", ")}, and several with commas between`);
}

const service = await startBenchService();
try {
  const results: Result[] = [];
  for (const name of chosen) {
    const began = performance.now();
    results.push(...((await cases[name]?.(service)) ?? []));
    console.error(`${name}: ${Math.round((performance.now() - began) / 1_000)} s`);
    // What is measured is kept, also when a later case fails.
    await writeFile("bench.json", `${JSON.stringify(results, null, 2)}\n`);
  }
  printResults(results);
  await printChanges(results);
  if (!results.every(isMet)) process.exitCode = 1;
} finally {
  await service.close();
}
