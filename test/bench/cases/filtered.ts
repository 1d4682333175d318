import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { FilteredQuery } from "#contracts/http/events/seismic-events.ts";
import { pageQuery } from "#projections/queries/events/event-pages.ts";
import { type ListedRow, toListedEvent } from "../../support/listed-event.ts";
import type { BenchService } from "../bench-service.ts";
import { type Asking, openAsking } from "../reading/ask.ts";
import { type BareQuery, bareClient, bareQuery } from "../reading/bare-query.ts";
import { startBareStatements } from "../reading/bare-route.ts";
import { type FilterKind, type Filters, filterKinds } from "../reading/filter-kinds.ts";
import type { Result } from "../report.ts";
import type { SharedCatalogue } from "../shared-catalogues.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const LIMIT = 10_000;
const TARGET = 2;
const GROWTH_TARGET = 1.5;
/** Rounds that are not counted, and short answers before the first of them: V8 compiles what is hot. */
const WARM_UP = 5;
const WARM_UP_ANSWERS = 1_500;
/** Answers of a few milliseconds, which what else the machine does meets now and then: measured so much oftener. */
const SHORT_EVENTS = 1_000;
const OFTENER = 5;
const NARROW: readonly FilterKind[] = ["small box", "narrow time"];

/** One kind of filter at one size: both sides, to be measured in turn. */
type Contest = {
  readonly kind: FilterKind;
  readonly size: number;
  /** Milliseconds of one answer. */
  readonly ours: () => Promise<number>;
  readonly yardstick: () => Promise<number>;
  readonly query: BareQuery;
  /** Events of an answer. */
  readonly length: number;
};

/**
 * The median time of `/events/filtered` against the very same statement by bare `pg`, which makes
 * rows of it and nothing else. Then how narrow answers, of the same length, grow from each size to
 * the next. Last, what the same statement costs behind the least route there can be: how much of the
 * target HTTP alone takes.
 */
export async function benchFiltered(
  bench: BenchService,
  sizes: readonly number[],
  repetitions: number,
): Promise<Result[]> {
  const database = await bareClient(bench.databaseUrl);
  const asking = openAsking(bench.url, bench.token);
  try {
    const contests: Contest[] = [];
    for (const size of sizes) {
      const catalogue = await bench.shared.of(size);
      const kinds = await filterKinds(database, catalogue.key);
      for (const [kind, filters] of Object.entries(kinds)) {
        const sides = await sidesOf(asking, database, catalogue, filters);
        contests.push({ kind: kind as FilterKind, size, ...sides });
      }
    }
    const measured = await measure(contests, repetitions);
    const leastRoutes = await measureLeastRoutes(bench.databaseUrl, contests, repetitions);
    return [...measured.map(resultOf), ...growths(measured), ...leastRoutes.map(leastRouteOf)];
  } finally {
    asking.close();
    await database.end();
  }
}

/** @throws AssertionError when the two do not answer the same */
async function sidesOf(
  asking: Asking,
  database: Client,
  { id, key, version, events }: SharedCatalogue,
  filters: Filters,
): Promise<Pick<Contest, "ours" | "yardstick" | "query" | "length">> {
  const path = `/api/catalogues/${id}/events/filtered?${new URLSearchParams(filters)}`;
  const selection = {
    version: { id, key, version, eventCount: events, publicFrom: null, hidden: null },
    order: "time",
    filters: FilteredQuery.parse(filters),
  } as const;
  const query = bareQuery(pageQuery(selection, { offset: 0 }, LIMIT));
  const select = () => database.query<ListedRow>(query.text, query.values);
  const answer = JSON.parse((await asking.ask(path)).body.toString());
  const { rows } = await select();
  const expected = rows.slice(0, LIMIT).map(toListedEvent);
  assert.ok(expected.length > 0);
  assert.deepEqual(answer.events, JSON.parse(JSON.stringify(expected)));
  return {
    ours: async () => (await asking.ask(path)).milliseconds,
    yardstick: async () => 1_000 * (await secondsOf(select)),
    query,
    length: expected.length,
  };
}

/** What answers with as many events, in turn; what answers with more comes after it. */
async function measure(contests: readonly Contest[], repetitions: number): Promise<Measured[]> {
  const measured = contests.map((one) => ({ ...one, mine: [] as number[], other: [] as number[] }));
  const short = contests.filter(({ kind }) => NARROW.includes(kind));
  for (let i = 0; i < WARM_UP_ANSWERS; i += 1) await short[i % short.length]?.ours();
  const byLength = Object.groupBy(measured, ({ length }) => length);
  for (const [length, alike = []] of Object.entries(byLength)) {
    const rounds = Number(length) <= SHORT_EVENTS ? OFTENER * repetitions : repetitions;
    for (let i = -WARM_UP; i < rounds; i += 1) {
      for (const { ours, yardstick, mine, other } of alike) {
        const [a, b] = [await ours(), await yardstick()];
        if (i < 0) continue;
        mine.push(a);
        other.push(b);
      }
    }
  }
  return measured;
}

/** The narrow kinds again, with the least route on our side. */
async function measureLeastRoutes(
  databaseUrl: string,
  contests: readonly Contest[],
  repetitions: number,
): Promise<Measured[]> {
  const narrow = contests.filter(({ kind }) => NARROW.includes(kind));
  const statements = narrow.map(({ query }) => query);
  const least = await startBareStatements(databaseUrl, statements);
  const asking = openAsking(least.url);
  try {
    const routed = narrow.map((contest, i) => ({
      ...contest,
      ours: async () => (await asking.ask(`/statements/${i}`)).milliseconds,
    }));
    return await measure(routed, repetitions);
  } finally {
    asking.close();
    await least.close();
  }
}

type Measured = Pick<Contest, "kind" | "size"> & {
  readonly mine: readonly number[];
  readonly other: readonly number[];
};

function resultOf({ kind, size, mine, other }: Measured): Result {
  return {
    case: `filtered: ${kind}`,
    size: `${size} events`,
    unit: "ms",
    ours: spreadOf(mine),
    yardstick: "the same SQL by bare pg",
    yardstickFigure: spreadOf(other),
    ratio: spreadOf(mine).median / spreadOf(other).median,
    target: TARGET,
  };
}

function leastRouteOf(measured: Measured): Result {
  const result = resultOf(measured);
  return { ...result, case: `the least route: ${measured.kind}`, target: null };
}

function growths(measured: readonly Measured[]): Result[] {
  return NARROW.flatMap((kind) => {
    const [large, small] = measured.filter((one) => one.kind === kind).toReversed();
    if (!large || !small) return [];
    const [ours, yardstickFigure] = [spreadOf(large.mine), spreadOf(small.mine)];
    return {
      case: `filtered: ${kind}, growth`,
      size: `${large.size} events`,
      unit: "ms",
      ours,
      yardstick: `${small.size} events`,
      yardstickFigure,
      ratio: ours.median / yardstickFigure.median,
      target: GROWTH_TARGET,
    };
  });
}
