import type { ComparisonAnswer } from "#contracts/http/comparison.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import type { ComparedCatalogues } from "#services/analytics/compare-worker.ts";
import type { MagnitudeRegressions } from "#services/domain/statistics/comparison/magnitude-regressions.ts";
import type { TypePair } from "#services/domain/statistics/comparison/type-pairs.ts";
import type { Estimate } from "#services/domain/statistics/estimate.ts";
import type { Run } from "#services/jobs/job-runner.ts";
import { acceptedAnswer } from "../../http/prefer.ts";
import type { MakeHandler } from "../make-handler.ts";

/** More events of both catalogues are compared in the background, where somebody owns the operation. */
const MAX_AT_ONCE = 100_000;
const REFERENCE = "Castellaro, Mulargia & Kagan 2006; Theil 1950; Sen 1968";

/** Both catalogues must be readable for the caller. What was found is kept, as versions do not change. */
export const compareCataloguesHandler: MakeHandler<
  "compareCatalogues",
  "reads" | "keptAnalyses" | "comparer" | "runner"
> =
  ({ reads, keptAnalyses, comparer, runner }) =>
  async ({ body, actor, isGuest, prefersAsync }) => {
    const { a, b, asOfA, asOfB, ...parameters } = body;
    const versionOf = (catalogueId: string, asOf: string | undefined, parameter: string) =>
      resolveVersion(reads.prepared, { catalogueId, asOf, isGuest, parameter });
    const first = await versionOf(a, asOfA, "asOfA");
    const second = await versionOf(b, asOfB, "asOfB");
    const versions = [compared(first), compared(second)] as const;
    const key = JSON.stringify(["compare", second.id, second.version, parameters]);
    const work = async (run: Run): Promise<ComparisonAnswer> =>
      answerOf(await comparer.compare({ versions, ...parameters }, run), parameters);
    const known = keptAnalyses.known<ComparisonAnswer>(first, key);
    if (known !== undefined && !prefersAsync) return { body: await known };
    const isLong = first.eventCount + second.eventCount > MAX_AT_ONCE;
    if (actor === null || !(prefersAsync || isLong)) {
      return { body: await keptAnalyses(first, key, () => runner.attend(work)) };
    }
    const read = versions.map(({ id, version }) => ({ id, version }));
    const job = { kind: "compare", owner: actor.userId, unit: "events", reads: read } as const;
    const kept = async (run: Run) => {
      const found = await (known ?? work(run));
      return keptAnalyses(first, key, async () => found);
    };
    return acceptedAnswer(await runner.start(job, kept));
  };

function compared({ id, key, version, eventCount }: Awaited<ReturnType<typeof resolveVersion>>) {
  return { id, key, version, eventCount };
}

function answerOf(
  found: ComparedCatalogues,
  parameters: ComparisonAnswer["parameters"],
): ComparisonAnswer {
  const [a, b] = found.catalogues;
  if (a === undefined || b === undefined) throw new RangeError("two catalogues are compared");
  const { matched, nearThreshold, residuals, magnitudes, typePairs } = found;
  const { n, ...missing } = reasonOf(found.regressions);
  return {
    method: "compare",
    a,
    b,
    parameters,
    estimate: {
      matched,
      unmatched: { a: a.events - matched, b: b.events - matched },
      nearThreshold,
      residuals,
      ...linesOf(found.regressions),
    },
    ...(n !== undefined && { n }),
    ...missing,
    bins: magnitudes,
    series: typePairs.map(seriesOf),
    warnings: warningsOf(found),
    reference: REFERENCE,
  };
}

const NO_LINES = { range: null, ols: null, gor: null, theilSen: null };

function linesOf({ estimate }: Estimate<MagnitudeRegressions>) {
  return estimate ?? NO_LINES;
}

function reasonOf(regressions: Estimate<MagnitudeRegressions>) {
  if (regressions.estimate !== null) return {};
  const { reason, n, required } = regressions;
  return { reason, n, required };
}

function seriesOf({ a, b, n, magnitude, regressions }: TypePair) {
  const { reason, required } = reasonOf(regressions);
  return {
    types: { a, b },
    n,
    magnitude,
    ...linesOf(regressions),
    ...(reason !== undefined && { reason }),
    ...(required !== undefined && { required }),
  };
}

function warningsOf({ regressions, typePairs }: ComparedCatalogues): ComparisonAnswer["warnings"] {
  if (regressions.estimate === null || typePairs.length < 2) return [];
  const message = "the lines are of several magnitude types together; series has them apart";
  return [{ code: "MIXED_MAGNITUDE_TYPES", message }];
}
