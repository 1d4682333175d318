import type { Pool } from "pg";
import type { AnalysisInput, AnalysisWarning } from "#contracts/http/analytics/statistics.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import {
  type EventFilters,
  filterKey,
  filtersAlone,
  filtersAmong,
} from "#contracts/query/filters.ts";
import { DAY_MS } from "#contracts/units.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { whileAsked } from "#infra/postgres/statements.ts";
import type { MagnitudeCount } from "#projections/read/analytics/magnitudes.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import type { CatalogueFacts, Reader } from "#projections/read/rights.ts";
import { isPublicVersion, requirePresent, resolveVersion } from "#projections/read/versions.ts";
import type { Estimate } from "#services/domain/analytics/numbers/numerics.ts";
import { type Call, JsonList } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { parametersTag } from "../headers.ts";
import { answerOrStart } from "../works.ts";
import type { AnalysisTurn } from "./commands.ts";

/** What a request for an analysis has beside the analysis' own parameters. */
type AnalysisCall = {
  readonly params: { readonly id: string };
  readonly query: EventFilters & { readonly asOf?: string | undefined };
  readonly reader: Reader;
  readonly facts: CatalogueFacts | null;
  readonly asker: Asker;
};

/** What an analysis finds: an estimate, or why there is none, and lists of bins and series. */
export type Findings<E, B, S> = {
  readonly input: AnalysisInput;
  /** Those of the plan, with what was found for those not given. */
  readonly parameters?: AnalysisPlan<E, B, S>["parameters"];
  readonly outcome: Estimate<E>;
  readonly bins?: readonly B[];
  readonly series?: readonly S[];
  readonly warnings?: readonly AnalysisWarning[];
};

/** How an analysis is done. */
type AnalysisPlan<E, B, S> = {
  readonly method: string;
  /** With their defaults, as the answer shows them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The paper of the method; null for plain counts. */
  readonly reference: string | null;
  /** Changes the filters, where some cannot be applied. */
  readonly filters?: (filters: EventFilters) => EventFilters;
  /** @param turn left before a long computation outside PostgreSQL */
  readonly find: (
    pool: Pick<Pool, "query">,
    selection: AnalysisSelection,
    turn: AnalysisTurn,
  ) => Promise<Findings<E, B, S>>;
};

/**
 * Answers an analysis: who may read, the version, the turn and what is echoed are the same for all.
 * Versions do not change, so what was found is kept.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function analyse<E, B, S>(
  { reads, keptAnalyses }: HandlerDeps,
  { params, query, reader, facts, asker }: AnalysisCall,
  plan: AnalysisPlan<E, B, S>,
) {
  const { method, parameters, reference } = plan;
  const ownFilters = filtersAmong(query);
  const filters = plan.filters?.(ownFilters) ?? ownFilters;
  const request = { catalogueId: params.id, asOf: query.asOf, reader, facts };
  const version = await resolveVersion(reads.prepared, request);
  const key = JSON.stringify([method, parameters, filterKey(filters)]);
  const findings = await keptAnalyses.inTurn(version, key, asker, async (turn) =>
    written(
      await plan.find(whileAsked(reads.longPool, turn.asker.signal), { version, filters }, turn),
    ),
  );
  if (findings.input.events === 0) await requirePresent(reads.prepared, version);
  const echo = { catalogue: version.id, version: version.version, method, parameters };
  return {
    body: { ...echo, filters: filtersAlone(filters), ...findings, reference },
    headers: { etag: parametersTag(version.version, key) },
    isPublic: isPublicVersion(version),
  };
}

/** Findings as they are kept: their lists are written already. */
function written<E, B, S>({ outcome, bins, series, warnings = [], ...others }: Findings<E, B, S>) {
  return {
    ...others,
    ...outcome,
    ...(bins && { bins: listOf(bins) }),
    ...(series && { series: listOf(series) }),
    warnings: [...warnings],
  };
}

function listOf<I>(items: readonly I[]): JsonList<I> {
  return new JsonList(items.length === 0 ? [] : [Buffer.from(JSON.stringify(items).slice(1, -1))]);
}

type BackgroundCall = AnalysisCall &
  Pick<Call<Operations["getCompleteness"]>, "actor" | "prefersAsync">;

/**
 * Answers an analysis that can take long: by a job, where the caller prefers that and is known.
 * @throws like `analyse`
 */
export async function analyseLong<E, B, S>(
  deps: HandlerDeps,
  call: BackgroundCall,
  plan: AnalysisPlan<E, B, S>,
) {
  const { params, query, reader, facts } = call;
  const request = { catalogueId: params.id, asOf: query.asOf, reader, facts };
  const { id, version } = await resolveVersion(deps.reads.prepared, request);
  return answerOrStart(deps.runner, call, {
    job: { kind: "analysis", unit: "events", reads: [{ id, version }] },
    endsWithCaller: true,
    work: (run) => analyse(deps, { ...call, facts: null, asker: run }, plan),
  });
}

const YEAR_MS = 365.25 * DAY_MS;

/** A group of the events of an analysis, with its first and last time as ISO 8601 of one form. */
export type InputGroup = {
  readonly count: number;
  readonly start: string;
  readonly end: string;
};

/** A group of events of one magnitude type, with or without magnitudes. */
export type TypedGroup = InputGroup & {
  readonly type: string | null;
  readonly withMagnitude: number;
};

/** The number of events of an analysis and their time. */
export function inputOf(groups: readonly InputGroup[], filters: EventFilters): AnalysisInput {
  let start: string | null = null;
  let end: string | null = null;
  let events = 0;
  for (const group of groups) {
    events += group.count;
    if (start === null || group.start < start) start = group.start;
    if (end === null || group.end > end) end = group.end;
  }
  return { events, start, end, years: yearsOf(filters.startTime ?? start, filters.endTime ?? end) };
}

/** The same for all events as one group, which has no times where there are none. */
export function inputOfAll(
  {
    count,
    start,
    end,
  }: { readonly count: number; readonly start: string | null; readonly end: string | null },
  filters: EventFilters,
): AnalysisInput {
  return inputOf(start === null || end === null ? [] : [{ count, start, end }], filters);
}

/** The same, with the magnitude types. */
export function inputWithTypes(
  groups: readonly TypedGroup[],
  filters: EventFilters,
): AnalysisInput & Required<Pick<AnalysisInput, "withoutMagnitude" | "magnitudeTypes">> {
  const { events, ...times } = inputOf(groups, filters);
  const withMagnitude = groups.reduce((sum, group) => sum + group.withMagnitude, 0);
  const magnitudeTypes = countsOf(groups.map((group) => [group.type, group.withMagnitude]));
  return { events, withoutMagnitude: events - withMagnitude, magnitudeTypes, ...times };
}

export function inputOfCounts(
  counts: readonly MagnitudeCount[],
  filters: EventFilters,
): AnalysisInput {
  const groups = counts.map((count) => ({
    ...count,
    withMagnitude: count.value === null ? 0 : count.count,
  }));
  return inputWithTypes(groups, filters);
}

/** Numbers by name, in any case; the most frequent spelling is shown, the most frequent name first. */
export function countsOf(counts: readonly (readonly [name: string | null, n: number])[]) {
  const byName = new Map<string | null, { type: string | null; n: number; most: number }>();
  for (const [name, n] of counts) {
    if (n === 0) continue;
    const key = name?.toLowerCase() ?? null;
    const known = byName.get(key) ?? { type: name, n: 0, most: 0 };
    known.n += n;
    if (n > known.most) Object.assign(known, { type: name, most: n });
    byName.set(key, known);
  }
  return [...byName.values()]
    .toSorted((a, b) => b.n - a.n || (String(a.type) < String(b.type) ? -1 : 1))
    .map(({ type, n }) => ({ type, n }));
}

function yearsOf(start: string | null, end: string | null): number | null {
  if (start === null || end === null) return null;
  return (epochMs(end) - epochMs(start)) / YEAR_MS;
}

/** Milliseconds since 1970 of a time in canonical form; its microseconds are fractions. */
function epochMs(time: string): number {
  const [, whole = time, fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction || 0}`) * 1000;
}
