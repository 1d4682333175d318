import { strict as assert } from "node:assert";
import { FilteredQuery } from "#contracts/http/catalogue-events.ts";
import { filterConditions } from "#projections/queries/event-filters.ts";
import { pageQuery } from "#projections/queries/event-pages.ts";
import { type ListedRow, toListedEvent } from "#projections/queries/event-rows.ts";
import type { BenchService } from "../bench-service.ts";
import { openAsking } from "../reading/ask.ts";
import { bareClient, bareQuery } from "../reading/bare-query.ts";
import { type FilterKind, type Filters, filterKinds } from "../reading/filter-kinds.ts";
import type { Result } from "../report.ts";
import type { SharedCatalogue } from "../shared-catalogues.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const LIMIT = 10_000;
const TARGET = 1.5;
const GROWTH_TARGET = 1.5;
const NARROW: readonly FilterKind[] = ["small box", "narrow time"];

/** One kind of filter at one size: both sides, to be measured in turn. */
type Contest = {
  readonly kind: FilterKind;
  readonly size: number;
  readonly ours: () => Promise<unknown>;
  readonly yardstick: () => Promise<unknown>;
};

/**
 * The median time of `/events/filtered` against the very same statement by bare `pg`, which makes
 * rows of it and nothing else. Then how narrow answers, of the same length, grow from each size to
 * the next.
 */
export async function benchFiltered(
  bench: BenchService,
  sizes: readonly number[],
  repetitions: number,
): Promise<Result[]> {
  const database = await bareClient(bench.databaseUrl);
  const asking = openAsking(bench.url, bench.token);
  const contests: Contest[] = [];
  for (const size of sizes) {
    const catalogue = await bench.shared.of(size);
    const kinds = await filterKinds(database, catalogue.key);
    for (const [kind, filters] of Object.entries(kinds)) {
      contests.push(await contest(kind as FilterKind, size, catalogue, filters));
    }
  }

  /** @throws AssertionError when the two do not answer the same */
  async function contest(
    kind: FilterKind,
    size: number,
    catalogue: SharedCatalogue,
    filters: Filters,
  ): Promise<Contest> {
    const path = `/api/catalogues/${catalogue.id}/events/filtered?${new URLSearchParams(filters)}`;
    const where = filterConditions(FilteredQuery.parse(filters));
    const version = { ...catalogue, eventCount: size };
    const query = bareQuery(pageQuery({ version, order: "time", where }, { offset: 0 }, LIMIT));
    const ours = () => asking.ask(path);
    const yardstick = () => database.query<ListedRow>(query.text, query.values);
    const answer = JSON.parse((await ours()).toString());
    const { rows } = await yardstick();
    const events = rows.slice(0, LIMIT).map(toListedEvent);
    assert.ok(events.length > 0);
    assert.deepEqual(answer.events, JSON.parse(JSON.stringify(events)));
    return { kind, size, ours, yardstick };
  }

  const measured = contests.map((one) => ({ ...one, mine: [] as number[], other: [] as number[] }));
  for (let i = 0; i <= repetitions; i += 1) {
    for (const { ours, yardstick, mine, other } of measured) {
      const [a, b] = [await secondsOf(ours), await secondsOf(yardstick)];
      // The first round warms up both sides.
      if (i === 0) continue;
      mine.push(1_000 * a);
      other.push(1_000 * b);
    }
  }
  asking.close();
  await database.end();
  return [...measured.map(resultOf), ...growths(measured)];
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
