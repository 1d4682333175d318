import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { z } from "zod";
import type { DeclusterMethod } from "#contracts/analytics/declustering.ts";
import { Refusal } from "#contracts/errors.ts";
import { type ComparisonAnswer, MAX_COMPARED } from "#contracts/http/analytics/comparison.ts";
import {
  type DeclusterAnswer,
  type DeclusterBody,
  LABELS_LIMIT,
  MAX_DECLUSTERED,
  MAX_NEIGHBOURS,
} from "#contracts/http/analytics/declustering.ts";
import type { AnalysisInput } from "#contracts/http/analytics/statistics.ts";
import {
  type EventFilters,
  filtersAlone,
  filtersAmong,
  filterTexts,
} from "#contracts/query/filters.ts";
import { FilterTexts } from "#contracts/query/parameters.ts";
import { ATTRIBUTES, type Attribute } from "#contracts/seismic-event/attributes.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/time.ts";
import { validate } from "#infra/json/validation.ts";
import { whileAsked } from "#infra/postgres/statements.ts";
import { findResult, readLabels } from "#infra/stores/declustering.ts";
import {
  type BinCount,
  binCounts,
  type Distribution,
  distributions,
  type QualityCount,
  qualityCounts,
} from "#projections/read/analytics/attributes.ts";
import { classCounts } from "#projections/read/analytics/counts.ts";
import { magnitudeCounts } from "#projections/read/analytics/magnitudes.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import {
  fromCursorText,
  invalidCursor,
  toCursorText,
  uuidOrNull,
} from "#projections/read/lists.ts";
import type { Reader } from "#projections/read/rights.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/read/versions.ts";
import type { MagnitudeRegressions, TypePair } from "../domain/analytics/comparison.ts";
import { STEPP_CLASSES, steppClasses, steppSteps } from "../domain/analytics/magnitudes/stepp.ts";
import { type Estimate, noEstimate } from "../domain/analytics/numbers/numerics.ts";
import {
  EVALUATION_PART,
  GRADES,
  gradeOfQuality,
  MEASURED_PARTS,
  PERCENTILES,
  QUALITY_ATTRIBUTES,
  valueBins,
} from "../domain/analytics/quality.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { parametersTag } from "../headers.ts";
import { answerOrStart } from "../works.ts";
import { analyse, inputOf, inputOfCounts } from "./analyse.ts";
import { handlersOfBValue, handlersOfCompleteness } from "./b-value.ts";
import { createDeclusteredCommand } from "./commands.ts";
import { handlersOfDistributions, handlersOfRates } from "./rates.ts";
import type { ComparedCatalogues, DeclusterProgress } from "./worker.ts";

export function handlersOfAnalytics(deps: HandlerDeps) {
  const { reads, threads, runner } = deps;
  return {
    getNearestNeighbours: (call) => {
      const { df = 1.6, b = 1, threshold = null } = call.query;
      return analyse(deps, call, {
        method: "nearest-neighbour",
        parameters: { df, b, threshold },
        reference: "Zaliapin & Ben-Zion 2013",
        find: async (pool, { version, filters }, { asker, leave }) => {
          const counts = await magnitudeCounts(pool, { version, filters }, ONE_BIN);
          const input = inputOfCounts(counts, filters);
          const n = input.events - (input.withoutMagnitude ?? 0);
          const reason = reasonOf(n);
          if (reason !== null) {
            const outcome = { estimate: null, reason, n, required: 2 } as const;
            return { input, outcome, bins: [], series: [], warnings: [] };
          }
          const options = { df, b, threshold };
          leave();
          const { id, key, version: number } = version;
          const task = { version: { id, key, version: number }, filters, options };
          const { estimate, bins, series, isBimodal } = await deps.threads.declustering.run(
            "findProximities",
            task,
            asker,
          );
          const isUsual = !isBimodal && threshold === null;
          const message = `the events do not fall into a clustered and a background part; the threshold between them is ${estimate.threshold}`;
          const warnings = isUsual ? [{ code: "NOT_BIMODAL", message }] : [];
          return { input, outcome: { estimate }, bins, series, warnings };
        },
      });
    },

    decluster: async (call) => {
      const { filters, asOf, method } = askedOf(call.query, call.body);
      const { reader, facts } = call;
      const request = { catalogueId: call.params.id, asOf, reader, facts };
      const version = await resolveVersion(reads.prepared, request);
      const leave = await call.turn("analyses");
      const counting = whileAsked(reads.longPool, call.asker.signal);
      const counts = await magnitudeCounts(counting, { version, filters }, ONE_BIN).finally(leave);
      const input = inputOfCounts(counts, filters);
      const events = requireFew(input.events - (input.withoutMagnitude ?? 0), MAX_DECLUSTERED);
      return answerOrStart(runner, call, {
        job: {
          kind: "decluster",
          unit: "events",
          reads: [{ id: version.id, version: version.version }],
        },
        isLong: events > AT_ONCE[method.method],
        work: async (run): Promise<{ body: DeclusterAnswer }> => {
          const result = randomUUID();
          const task = { result, version, filters, method };
          const answer = async (progress: DeclusterProgress) => run.onProgress(progress);
          const finding = threads.declustering.stream("findClusters", task, run, { answer });
          const { value: clusters } = await finding.next();
          const { method: name, ...parameters } = clusters.method;
          return {
            body: {
              result,
              catalogue: version.id,
              version: version.version,
              filters: filtersAlone(filters),
              method: name,
              parameters,
              input,
              ...clusters.outcome,
              warnings: [...clusters.warnings],
              reference: REFERENCES[name],
            },
          };
        },
      });
    },

    listLabels: async ({ params, query, reader, turn }) => {
      const { result, version } = await readResult(deps, params, reader);
      const { role, limit = LABELS_LIMIT.default } = query;
      const cursor = query.cursor === undefined ? null : fromCursorText(query.cursor, LabelCursor);
      const bound = { result: result.id, role: role ?? null };
      if (cursor && (cursor.result !== bound.result || cursor.role !== bound.role)) {
        throw invalidCursor();
      }
      const from = cursor === null ? 0 : cursor.after + 1;
      const leave = await turn("pages");
      const labels = await readLabels(deps.pool, result.id, {
        role,
        from,
        limit: limit + 1,
      }).finally(leave);
      const page = labels.slice(0, limit);
      const after = page.at(-1)?.place;
      const nextCursor =
        labels.length > limit && after !== undefined
          ? toCursorText({ walk: "labels", ...bound, after })
          : null;
      const key = JSON.stringify([bound, from, limit]);
      return {
        body: {
          result: result.id,
          version: version.version,
          events: page.map(({ place: _place, ...label }) => label),
          nextCursor,
        },
        headers: { etag: parametersTag(version.version, key) },
        isPublic: isPublicVersion(version),
      };
    },

    /** Runs to its end, whether the client waits or not. */
    createDeclustered: async (call) => {
      const { result, version } = await readResult(deps, call.params, call.reader);
      const { id, ...source } = result;
      const { name, role } = call.body;
      const isRestricted = call.facts?.isRestricted ?? true;
      const wanted = { name, version, result: id, derivedFrom: { ...source, role }, isRestricted };
      return answerOrStart(runner, call, {
        job: { kind: "decluster", unit: "events" },
        work: async (run) => ({
          body: { catalogueId: await createDeclusteredCommand(deps, call.command, wanted, run) },
        }),
      });
    },

    ...handlersOfDistributions(deps),

    ...handlersOfCompleteness(deps),

    ...handlersOfBValue(deps),

    ...handlersOfRates(deps),

    getQuality: (call) =>
      analyse(deps, call, {
        method: "quality",
        parameters: {},
        reference: "Stepp 1972",
        find: async (pool, selection) => {
          const counts = await qualityCounts(pool, selection, PLAN);
          const input = inputOf(counts, selection.filters);
          if (input.events === 0) {
            const outcome = noEstimate("there are no events", 0, 1);
            return { input, outcome, bins: [], series: [], warnings: [] };
          }
          const series = await qualitySeries(pool, selection);
          const stepp = await steppOf(pool, selection, input);
          const gap = gapsOf(counts, series);
          const estimate = { n: input.events, gap, q: qOf(counts), stepp };
          return { input, outcome: { estimate }, bins: binsOf(counts), series, warnings: [] };
        },
      }),

    ...handlersOfComparison(deps),
  } satisfies Partial<Handlers>;
}

/** Events above which a method runs in the background. */
const AT_ONCE: Readonly<Record<DeclusterMethod["method"], number>> = {
  "gardner-knopoff": 200_000,
  reasenberg: 20_000,
  "nearest-neighbour": 20_000,
};

const REFERENCES: Readonly<Record<DeclusterMethod["method"], string>> = {
  "gardner-knopoff": "Gardner & Knopoff 1974",
  reasenberg: "Reasenberg 1985",
  "nearest-neighbour": "Zaliapin & Ben-Zion 2013",
};

/** Wide bins: only the number of events is looked at. */
const ONE_BIN = 100;

/**
 * What is asked, from query and body together; the body comes first.
 * @throws Refusal VALIDATION_ERROR where their filters do not go together
 */
function askedOf(query: EventFilters & { asOf?: string | undefined }, body: DeclusterBody) {
  const together = { ...filtersAmong(query), ...filtersAmong(body) };
  const { regionArea } = together;
  const filters = { ...validate(FilterTexts, filterTexts(together)), regionArea };
  const asOf = body.asOf ?? query.asOf;
  return { filters, asOf, method: methodOf(body) };
}

function methodOf(body: DeclusterBody): DeclusterMethod {
  switch (body.method) {
    case "gardner-knopoff": {
      const {
        method,
        linked,
        window = linked ? "gk-table" : "gk-fit",
        foreshockFraction = 1,
      } = body;
      return { method, window, linked, foreshockFraction };
    }
    case "reasenberg": {
      const { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor } = body;
      return { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor };
    }
    case "nearest-neighbour": {
      const { method, df, b, threshold } = body;
      return { method, df, b, threshold };
    }
  }
}

/** A result with its version, where the caller may read that. @throws Refusal NOT_FOUND, UNAUTHENTICATED */
async function readResult(
  { reads, pool }: HandlerDeps,
  params: { readonly id: string; readonly result: string },
  reader: Reader,
) {
  const catalogueId = uuidOrNull(params.id);
  const id = uuidOrNull(params.result);
  const result = catalogueId && id ? await findResult(pool, id, catalogueId) : null;
  if (result === null) throw new Refusal("NOT_FOUND", "There is no such result");
  const request = { catalogueId: result.catalogueId, asOf: String(result.version), reader };
  const version: ResolvedVersion = await resolveVersion(reads.prepared, request);
  return { result, version };
}

const LabelCursor = z.strictObject({
  walk: z.literal("labels"),
  result: z.uuid(),
  role: z.string().nullable(),
  /** The place of the event before. */
  after: z.int().nonnegative(),
});

const NAMES = Object.keys(PERCENTILES);

type Percentiles = Readonly<Record<keyof typeof PERCENTILES, number | null>>;

/** The distribution of each attribute that says how good a solution is. */
async function qualitySeries(pool: Pick<Pool, "query">, selection: AnalysisSelection) {
  const columns = QUALITY_ATTRIBUTES;
  const fractions = Object.values(PERCENTILES);
  const rows = await distributions(pool, selection, { columns, fractions });
  const counts = await binCounts(pool, selection, columns);
  return columns.map(({ attribute, bins }, i) => {
    const { unit }: Attribute = ATTRIBUTES[attribute];
    return {
      attribute,
      unit: unit ?? null,
      ...sharesOf(rows[i] ?? { known: 0, missing: 0, zeros: 0, percentiles: null }),
      bins: valueBins(countsOf(counts, i), bins),
    };
  });
}

function sharesOf({ known, missing, zeros, percentiles }: Distribution) {
  const shares = NAMES.map((name, i) => [name, percentiles?.[i] ?? null]);
  return { n: known, missing, zeros, ...(Object.fromEntries(shares) as Percentiles) };
}

function countsOf(counts: readonly BinCount[], column: number): Map<number, number> {
  const ofColumn = counts.filter((row) => row.column === column);
  return new Map(ofColumn.map(({ bin, count }) => [bin, count]));
}

const YEAR_SECONDS = 365.25 * 86_400;

/** Stepp's test of the events of an analysis, back from endTime or the last of them. */
async function steppOf(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  input: AnalysisInput,
) {
  const end = selection.filters.endTime ?? input.end;
  const plan = steppSteps(input.years ?? 0);
  if (end === null || plan.steps === 0) return [];
  const stepSeconds = plan.stepYears * YEAR_SECONDS;
  const counts = await classCounts(pool, selection, { ...STEPP_CLASSES, end, stepSeconds });
  const endMs = timeToMilliseconds(end);
  return steppClasses(counts, plan).map(({ completeYears, ...others }) => ({
    ...others,
    completeYears,
    completeSince:
      completeYears === null
        ? null
        : new Date(endMs - completeYears * YEAR_SECONDS * 1000).toISOString(),
  }));
}

const PLAN = { columns: QUALITY_ATTRIBUTES, parts: MEASURED_PARTS, evaluation: EVALUATION_PART };

type Counts = readonly QualityCount[];

function gapsOf(counts: Counts, series: Awaited<ReturnType<typeof qualitySeries>>) {
  const above180 = counts.reduce((sum, { gapAbove180 }) => sum + gapAbove180, 0);
  const gaps = series.find(({ attribute }) => attribute === "azimuthal_gap");
  const { n = 0, p05 = null, p25 = null, p50 = null, p75 = null, p95 = null } = gaps ?? {};
  const upTo180Share = n === 0 ? null : (n - above180) / n;
  return { n, p05, p25, p50, p75, p95, above180, upTo180Share };
}

function qOf(counts: Counts) {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  const grades: Record<string, number> = Object.fromEntries(GRADES.map(([grade]) => [grade, 0]));
  for (const { q, count } of counts) {
    const grade = gradeOfQuality(q);
    grades[grade] = (grades[grade] ?? 0) + count;
  }
  const documented = counts.reduce((sum, row) => sum + row.documented, 0) / n;
  return {
    mean: counts.reduce((sum, { q, count }) => sum + q * count, 0) / n,
    documented: Number(documented.toFixed(9)),
    grades,
  };
}

/** From the lowest to the highest Q, empty ones too. */
function binsOf(counts: Counts) {
  const byQ = new Map(counts.map(({ q, count }) => [q, count]));
  const first = Math.min(...byQ.keys());
  return Array.from({ length: Math.max(...byQ.keys()) - first + 1 }, (_, i) => ({
    q: first + i,
    count: byQ.get(first + i) ?? 0,
  }));
}

function reasonOf(n: number): string | null {
  if (n < 2) return "fewer than two events have a magnitude";
  if (n <= MAX_NEIGHBOURS) return null;
  return `more than ${MAX_NEIGHBOURS} events: narrow the filters, or decluster in the background`;
}

const handlersOfComparison = ({ reads, keptAnalyses, threads, runner }: HandlerDeps) =>
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
      const events = requireFew(first.eventCount + second.eventCount, MAX_COMPARED);
      return answerOrStart(runner, call, {
        job: {
          kind: "compare",
          unit: "events",
          reads: versions.map(({ id, version }) => ({ id, version })),
        },
        isLong: events > MAX_COMPARED_AT_ONCE && !keptAnalyses.has(first, key),
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
const MAX_COMPARED_AT_ONCE = 100_000;
const REFERENCE = "Castellaro, Mulargia & Kagan 2006; Theil 1950; Sen 1968";

/** @throws Refusal TOO_MANY_EVENTS, which says how more are analysed */
function requireFew(events: number, most: number): number {
  if (events <= most) return events;
  const text = `There are ${events} events, more than ${most}: take fewer, or publish the parts of their catalogues (PATCH {parts: true}) and ask an engine`;
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
  const { n, ...missing } = missingEstimate(comparison.regressions);
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

function missingEstimate(regressions: Estimate<MagnitudeRegressions>) {
  if (regressions.estimate !== null) return {};
  const { reason, n, required } = regressions;
  return { reason, n, required };
}

function seriesOf({ a, b, n, magnitude, regressions }: TypePair) {
  const { reason, required } = missingEstimate(regressions);
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
