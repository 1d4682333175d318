import type { Pool } from "pg";
import type { AnalysisInput, AnalysisWarning } from "#contracts/http/analytics/analytics.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filterKey, filtersAlone, filtersAmong } from "#contracts/query/filters-among.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { whileAsked } from "#infra/postgres/statements.ts";
import type { AnalysisSelection } from "#projections/read/conditions.ts";
import type { Reader } from "#projections/read/rights.ts";
import { isPublicVersion, requirePresent, resolveVersion } from "#projections/read/versions.ts";
import type { Estimate } from "#services/domain/analytics/estimate.ts";
import { JsonList } from "../../../http/answer-body.ts";
import { parametersTag } from "../../../http/headers/etag.ts";
import type { AnalysisTurn } from "../../../http/kept-analyses.ts";
import type { HandlerDeps, MakeHandler } from "../../make-handler.ts";

/** What a request for an analysis has beside the analysis' own parameters. */
export type AnalysisCall = {
  readonly params: { readonly id: string };
  readonly query: EventFilters & { readonly asOf?: string | undefined };
  readonly reader: Reader;
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
  readonly warnings: readonly AnalysisWarning[];
};

/** How an analysis is done. */
export type AnalysisPlan<E, B, S> = {
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

/** Findings as they are kept: their lists are written already. */
type WrittenFindings<E, B, S> = {
  readonly input: AnalysisInput;
  readonly parameters?: AnalysisPlan<E, B, S>["parameters"];
  readonly estimate: E | null;
  readonly reason?: string;
  readonly n?: number;
  readonly required?: number;
  readonly bins?: JsonList<B>;
  readonly series?: JsonList<S>;
  readonly warnings: AnalysisWarning[];
};

type Needs = "reads" | "keptAnalyses";
export type AnalyseDeps = Pick<HandlerDeps, Needs>;

/** Makes the handler of an analysis. @template Further what it needs beside all analyses */
export type MakeAnalysis<
  Id extends keyof Operations,
  Further extends keyof HandlerDeps = never,
> = MakeHandler<Id, Needs | Further>;

/**
 * Answers an analysis: who may read, the version, the turn and what is echoed are the same for all.
 * Versions do not change, so what was found is kept.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED, VALIDATION_ERROR for asOf
 */
export async function analyse<E, B, S>(
  { reads, keptAnalyses }: AnalyseDeps,
  { params, query, reader, asker }: AnalysisCall,
  plan: AnalysisPlan<E, B, S>,
) {
  const { method, parameters, reference } = plan;
  const ownFilters = filtersAmong(query);
  const filters = plan.filters?.(ownFilters) ?? ownFilters;
  const request = { catalogueId: params.id, asOf: query.asOf, reader };
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

function written<E, B, S>({
  outcome,
  bins,
  series,
  ...others
}: Findings<E, B, S>): WrittenFindings<E, B, S> {
  return {
    ...others,
    ...outcome,
    ...(bins && { bins: listOf(bins) }),
    ...(series && { series: listOf(series) }),
    warnings: [...others.warnings],
  };
}

function listOf<I>(items: readonly I[]): JsonList<I> {
  return new JsonList(items.length === 0 ? [] : [Buffer.from(JSON.stringify(items).slice(1, -1))]);
}
