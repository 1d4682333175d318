import type { AnswerOf, InputOf } from "../../../model/operation-types.ts";
import { decimal } from "../../../ui/text/format.ts";
import { type MergeForm, mergeBodyOf } from "../config/merge-body.ts";

type Body = InputOf<"POST /api/merge/evaluate">["body"];
export type Evaluation = AnswerOf<"POST /api/merge/evaluate">;
export type Result = Evaluation["results"][number];

/** What is evaluated beside the sources and settings of a merge, as it was typed. */
export type EvaluationForm = {
  /** The member of `extra` that names the earthquake. */
  readonly truth: string;
  readonly timeThresholds: string;
  readonly distanceThresholds: string;
};

export const NEW_EVALUATION: EvaluationForm = {
  truth: "",
  timeThresholds: "2, 5, 10, 20, 30",
  distanceThresholds: "10, 25, 50, 100",
};

/** The request of a form. */
export function evaluationBodyOf(form: MergeForm, evaluation: EvaluationForm): Body {
  const { sourceCatalogues, config } = mergeBodyOf(form, "");
  return {
    sourceCatalogues,
    config,
    truth: evaluation.truth.trim(),
    timeThresholds: numbersOf(evaluation.timeThresholds),
    distanceThresholds: numbersOf(evaluation.distanceThresholds),
  };
}

/** "2, 5 10" → 2, 5, 10. */
function numbersOf(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== "")
    .map(Number);
}

/** The harmonic mean of precision and recall, 0 to 1; null where either is not known. */
export function balanceOf({ precision, recall }: Result): number | null {
  if (precision === null || recall === null) return null;
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

/** The result that balances both best; null without any. */
export function bestOf(results: readonly Result[]): Result | null {
  return results.reduce<Result | null>((best, one) => {
    const [own, before] = [balanceOf(one), best === null ? null : balanceOf(best)];
    return own !== null && (before === null || own > before) ? one : best;
  }, null);
}

/** "97.5 %"; a dash where it is not known. */
export function percent(share: number | null): string {
  return share === null ? "–" : `${decimal(100 * share, 1)} %`;
}
