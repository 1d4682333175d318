import { Refusal } from "#contracts/errors.ts";
import { type ComparisonAnswer, MAX_COMPARED } from "#contracts/http/analytics/comparison.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import type { TypePair } from "#services/domain/analytics/comparison.ts";
import type { Estimate } from "#services/domain/analytics/numbers/numerics.ts";
import type { MagnitudeRegressions } from "#services/domain/analytics/regression.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { answerOrStart } from "../works.ts";
import type { ComparedCatalogues } from "./worker.ts";

export const handlersOfComparison = ({ reads, keptAnalyses, threads, runner }: HandlerDeps) =>
  ({
    /** Both catalogues must be readable for the caller. What was found is kept, as versions do not change. */
    compareCatalogues: async (call) => {
      const { a, b, asOfA, asOfB, ...parameters } = call.body;
      const { reader } = call;
      const versionOf = (catalogueId: string, asOf: string | undefined, parameter: string) =>
        resolveVersion(reads.prepared, { catalogueId, asOf, reader, parameter });
      const first = await versionOf(a, asOfA, "asOfA");
      const second = await versionOf(b, asOfB, "asOfB");
      const versions = [compared(first), compared(second)] as const;
      const key = JSON.stringify(["compare", second.id, second.version, parameters]);
      const events = requireFew(first.eventCount + second.eventCount);
      return answerOrStart(runner, call, {
        job: {
          kind: "compare",
          unit: "events",
          reads: versions.map(({ id, version }) => ({ id, version })),
        },
        isLong: events > MAX_AT_ONCE && !keptAnalyses.has(first, key),
        endsWithCaller: true,
        work: async ({ onProgress, ...asker }) => ({
          body: await keptAnalyses.of(first, key, asker, async (party) => {
            const task = { versions, ...parameters };
            const comparison = await threads.comparisons.run("compare", task, party, (done) =>
              onProgress({ done, total: events }),
            );
            return answerOf(comparison, parameters);
          }),
        }),
      });
    },
  }) satisfies Partial<Handlers>;

/** More events of both catalogues are compared in the background, where somebody owns the operation. */
const MAX_AT_ONCE = 100_000;
const REFERENCE = "Castellaro, Mulargia & Kagan 2006; Theil 1950; Sen 1968";

/** @throws Refusal TOO_MANY_EVENTS */
function requireFew(events: number): number {
  if (events <= MAX_COMPARED) return events;
  const text = `The catalogues have ${events} events in all, more than ${MAX_COMPARED}`;
  throw new Refusal("TOO_MANY_EVENTS", text);
}

function compared({ id, key, version, eventCount }: Awaited<ReturnType<typeof resolveVersion>>) {
  return { id, key, version, eventCount };
}

function answerOf(
  comparison: ComparedCatalogues,
  parameters: ComparisonAnswer["parameters"],
): ComparisonAnswer {
  const [a, b] = comparison.catalogues;
  if (a === undefined || b === undefined) throw new RangeError("two catalogues are compared");
  const { matched, nearThreshold, residuals, magnitudes, typePairs } = comparison;
  const { n, ...missing } = reasonOf(comparison.regressions);
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
      ...linesOf(comparison.regressions),
    },
    ...(n !== undefined && { n }),
    ...missing,
    bins: magnitudes,
    series: typePairs.map(seriesOf),
    warnings: warningsOf(comparison),
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
