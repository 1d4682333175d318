import type { ClientBase } from "pg";
import type { MergeEvaluation } from "#contracts/http/merges/merge-evaluation.ts";
import { MERGE_LIMITS } from "#contracts/merge/merge-config.ts";
import { labelRows } from "#projections/read/merges/sources.ts";
import {
  countPairs,
  countTruePairs,
  NO_LABEL,
  type Truth,
  worstPairs,
} from "#services/domain/merges/evaluation.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { groupRows, type MergePlan } from "./plan/merge-plan.ts";
import { shownPairs } from "./preview-pairs.ts";

/** The thresholds that are tried, and the member of `extra` that knows the truth. */
export type EvaluationGrid = {
  readonly truth: string;
  /** Seconds. */
  readonly timeThresholds: readonly number[];
  /** Kilometres. */
  readonly distanceThresholds: readonly number[];
};

type Evaluated = MergeEvaluation["results"][number];

/**
 * Groups the events of a plan by each pair of thresholds. Yields the number of those done.
 * @param client in the transaction of the plan
 * @throws Refusal MERGE_ERROR where thresholds make too many pairs
 */
export async function* evaluated(
  client: ClientBase,
  plan: MergePlan,
  { truth: member, timeThresholds, distanceThresholds }: EvaluationGrid,
): AsyncGenerator<number, MergeEvaluation> {
  const labels = await readLabels(client, plan, member);
  const truth: Truth = { labels, source: plan.origins.source };
  const truePairs = countTruePairs(truth);
  const results: Evaluated[] = [];
  for (const timeThreshold of timeThresholds) {
    for (const distanceThreshold of distanceThresholds) {
      const thresholds = thresholdsOf(timeThreshold, distanceThreshold);
      const grouping = groupRows(plan, { ...plan.groupingRules, thresholds });
      const { pairs, correct } = countPairs(grouping, truth);
      results.push({
        timeThreshold,
        distanceThreshold,
        pairs,
        correct,
        missed: truePairs - correct,
        precision: share(correct, pairs),
        recall: share(correct, truePairs),
      });
      yield results.length;
    }
  }
  const { origins, rules, grouping } = plan;
  const worst = worstPairs(origins, rules.thresholds, grouping, labels, MERGE_LIMITS.worst);
  const shown = await shownPairs(client, plan, worst);
  return {
    results,
    worst: worst.map(({ verdict }, i) => ({ ...(shown[i] as (typeof shown)[number]), verdict })),
  };
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);

/** The label of each row of the plan as a number; a blank one is none. */
async function readLabels(
  client: ClientBase,
  { sources, origins }: MergePlan,
  member: string,
): Promise<Int32Array> {
  const labels = new Int32Array(origins.length).fill(NO_LABEL);
  const numbers = new Map<string, number>();
  let row = 0;
  for await (const rows of labelRows(client, sources, member)) {
    for (const [text = null] of rows) {
      const label = text?.trim() ?? "";
      if (label !== "") {
        const number = numbers.get(label) ?? numbers.size;
        numbers.set(label, number);
        labels[row] = number;
      }
      row += 1;
    }
  }
  if (row !== origins.length) throw new Error(`${row} of ${origins.length} events were there`);
  return labels;
}
