import { setTimeout as wait } from "node:timers/promises";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import type { BenchService } from "../bench-service.ts";
import { replayOf } from "../cases/feed.ts";
import { benchFiltered } from "../cases/filtered.ts";
import { benchPageByNumber } from "../cases/page-by-number.ts";
import { benchRegions } from "../cases/regions.ts";
import { benchDifferences } from "../cases/versions.ts";
import { memoryOf, peakMemoryOf } from "../peak-memory.ts";
import { printResults, type Result, within } from "../report.ts";
import { runCli } from "../run-cli.ts";
import type { SharedCatalogue } from "../shared-catalogues.ts";
import { secondsOf, spreadOf } from "../statistics.ts";
import { deletionOf } from "./deletion.ts";
import { exportsOf } from "./exports.ts";
import { addingOf, BODIES, type Filled, fill } from "./fill.ts";
import { freshStatistics, questionsOf } from "./questions.ts";
import { printIndexes, sizesOf } from "./sizes.ts";

/** Resident memory of the service a minute after the last body, and at most in all of it. */
const MEMORY_MIB = { after: 400, peak: 600 };
const MINUTE = 60_000;
const ROUNDS = 5;

/**
 * What grows with a catalogue: one of `events`, and one of a tenth of them beside it, filled in
 * bodies of a twentieth, asked in every way, and deleted.
 */
export async function benchGrowth(bench: BenchService, events: number): Promise<Result[]> {
  const results: Result[] = [];
  const peak = await peakMemoryOf(bench.pid, async () => {
    let began = performance.now();
    for await (const part of partsOf(bench, events)) {
      results.push(...part);
      console.error(`  ${Math.round((performance.now() - began) / 1_000)} s for these:`);
      printResults(part);
      began = performance.now();
    }
  });
  const size = `${events} events`;
  return [
    ...results,
    { case: "peak memory in all of it", size, unit: "MiB", ...within(MEMORY_MIB.peak, [peak]) },
  ];
}

async function* partsOf(bench: BenchService, events: number): AsyncGenerator<readonly Result[]> {
  const { client, database } = bench;
  const small = await fill(client, "small", BODIES / 10, events / BODIES);
  const large = await fill(client, "large", BODIES, events / BODIES);
  yield addingOf(large);
  yield [await freshStatistics(bench, large), await memoryAfter(bench, large)];
  yield await exportsOf(client, small, large);
  yield await questionsOf(bench, small, false);
  yield await questionsOf(bench, large, true);
  const shared = { ...bench, shared: await sharedOf(bench, [small, large]) };
  yield await benchFiltered(shared, [small.events, large.events], ROUNDS);
  for (const { events: size } of [small, large]) {
    yield await benchPageByNumber(shared, size, ROUNDS);
    yield await benchRegions(shared, size, ROUNDS, ["filtered", "count"]);
  }
  for (const { id, events: size } of [small, large]) {
    yield [await replayOf(client, id, size, 1)];
    yield (await benchDifferences(bench, id, size, ROUNDS)).results;
  }
  yield await sizesOf(database, small.events + large.events);
  await printIndexes(database, small.events + large.events);
  yield await rebuilding(bench, small.events + large.events, [small, large]);
  yield await deletionOf(bench, large);
}

async function memoryAfter({ pid }: BenchService, { events }: Filled): Promise<Result> {
  await wait(MINUTE);
  const figures = within(MEMORY_MIB.after, [await memoryOf(pid)]);
  const size = `${events} events`;
  return { case: "memory a minute after the last body", size, unit: "MiB", ...figures };
}

/** For the cases that read what they do not change, the catalogues that are there. */
async function sharedOf({ database }: BenchService, filled: readonly Filled[]) {
  const all: SharedCatalogue[] = [];
  for (const { id, events } of filled) {
    const { rows } = await database.query(
      "select id, key, version from read_model.catalogues where id = $1",
      [id],
    );
    all.push({ ...rows[0], events });
  }
  return {
    of: async (events: number): Promise<SharedCatalogue> => {
      const found = all.find((each) => each.events === events);
      if (found === undefined) throw new Error(`no catalogue has ${events} events`);
      return found;
    },
  };
}

/** Both with the start of their process, beside the live service. */
async function rebuilding(
  { databaseUrl }: BenchService,
  events: number,
  filled: readonly Filled[],
): Promise<Result[]> {
  const run = (command: string) =>
    secondsOf(() => runCli({ DATABASE_URL: databaseUrl }, command, cataloguesProjection.name));
  const made = filled.flatMap(({ seconds }) => seconds).reduce((sum, each) => sum + each, 0);
  const common = { size: `${events} events`, unit: "s", yardstick: "filling them" } as const;
  const results: Result[] = [];
  for (const command of ["rebuild", "verify"]) {
    const seconds = await run(command);
    const figures = { ours: spreadOf([seconds]), yardstickFigure: spreadOf([made]) };
    results.push({ case: command, ...common, ...figures, ratio: seconds / made, target: 1 });
  }
  return results;
}
