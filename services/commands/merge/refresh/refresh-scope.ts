import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { readDecisions } from "#projections/read/merges/decisions.ts";
import type { DecidedGroup } from "#services/domain/merges/decisions.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import { type Thresholds, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { requireDecidable } from "../decisions/require-decidable.ts";
import { presentDecisions } from "../plan/decisions-in-force.ts";
import { planOf } from "../plan/merge-plan.ts";
import { isSameMerge } from "./changed-since.ts";
import { closedScope } from "./closed-scope.ts";
import { readFormerEvents } from "./former-events.ts";
import type { OpenRefresh } from "./open-refresh.ts";
import type { Refreshing } from "./refresh-changes.ts";

/** What a refresh is of; `duplicateGroups` is of the merged catalogue then. */
export type RefreshScope = Refreshing & {
  readonly isWhole: boolean;
  readonly duplicateGroups: number;
};

/** Of all events: more are merged again all together. */
const LARGE_PART = 1 / 5;

export type ScopeOptions = {
  /** Further decisions, which are tried. */
  readonly tried?: readonly MergeDecision[] | undefined;
  /** The part of all events from which on all are merged again; default a fifth, 0 for always. */
  readonly wholeFrom?: number | undefined;
};

/**
 * What has to be merged again: what has changed since the last refresh with all that depends on it; everything where
 * that is much, or the settings, or the rules of grouping, are others. Both give the same events under the same ids.
 * @throws Refusal VALIDATION_ERROR, MERGE_ERROR
 */
export async function refreshScope(
  opened: OpenRefresh,
  { tried = [], wholeFrom = LARGE_PART }: ScopeOptions,
): Promise<RefreshScope> {
  const { client, base, sources, config } = opened;
  const statements = statementsOn(client);
  const known = await readDecisions(statements, base.id);
  if (tried.length > 0) {
    const of = { sources: base.sources.map(({ id }) => id), reader: opened.reader };
    const holding = known.map(({ id, type, events }) => ({ id, type, events }));
    await requireDecidable(statements, of, tried, [...tried, ...holding]);
  }
  const made = [...known, ...tried];
  const present = await presentDecisions(client, sources, made);
  const decisions = present.filter((decision) => !decision.isIdle);
  const isSame = base.rules === GROUPING_RULES && isSameMerge(base.config, config);
  if (wholeFrom > 0 && isSame) {
    const all = sources.reduce((sum, { eventCount }) => sum + eventCount, 0);
    const rules = { widest: widestOf(config), decisions, most: wholeFrom * all };
    const closed = await closedScope(opened, { made, present, tried }, rules);
    if (closed !== null) return closed;
  }
  return wholeScope(opened, decisions);
}

async function wholeScope(
  { client, base, sources, config }: OpenRefresh,
  decisions: readonly DecidedGroup[],
): Promise<RefreshScope> {
  const plan = await planOf(client, sources, config, { decisions });
  const former = await readFormerEvents(client, base, plan, null);
  const { duplicateGroups } = plan.counts;
  return { base, plan, former, concerned: null, isWhole: true, duplicateGroups };
}

function widestOf({ timeThreshold, distanceThreshold, windows = [] }: MergeConfig): Thresholds {
  const all = [
    { timeThreshold, distanceThreshold },
    ...windows.map((one) => ({
      timeThreshold: one.timeThreshold ?? 0,
      distanceThreshold: one.distanceThreshold ?? 0,
    })),
  ];
  return thresholdsOf(
    Math.max(...all.map((one) => one.timeThreshold)),
    Math.max(...all.map((one) => one.distanceThreshold)),
  );
}
