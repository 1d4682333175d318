import { MINUS } from "#contracts/plots/number-text.ts";
import { given } from "../../../ui/text/digits.ts";
import { decimal, sentence } from "../../../ui/text/format.ts";
import type { Pair, Preview } from "../config/merge-body.ts";
import type { Strategy } from "../config/strategies.ts";
import { points, SCORE_PARTS } from "./score-parts.ts";

type Group = Preview["groups"][number];
type Member = Group["members"][number];

/** Within which two events are one. */
export type Thresholds = { readonly seconds: number; readonly km: number };

/** Why a member of a group was chosen; for scores, by which of their parts. */
export function whyKept(group: Group, strategy: Strategy): string {
  const { reason, members } = group;
  const [best, next] = members.toSorted((a, b) => b.quality_score - a.quality_score);
  if (strategy === "average") return `${sentence(reason)}.`;
  if (strategy !== "quality" || !best?.chosen || next === undefined) return keptFor(reason);
  if (best.quality_score === next.quality_score) return keptFor(reason);
  const scores = `${points(best.quality_score)} points against ${points(next.quality_score)}`;
  return `Kept for its score, ${scores}: ${differences(best, next).join(", ")}.`;
}

function differences(best: Member, next: Member): readonly string[] {
  return SCORE_PARTS.map(({ name, label }) => ({
    label,
    more: best.score_parts[name] - next.score_parts[name],
  }))
    .filter(({ more }) => Number(points(more)) !== 0)
    .toSorted((a, b) => b.more - a.more)
    .map(({ label, more }) => `${label} ${more > 0 ? "+" : MINUS}${points(Math.abs(more))}`);
}

function keptFor(reason: string): string {
  return `Kept: ${withPlainTimes(reason)}.`;
}

/** Times of ISO 8601 as the console writes them. */
function withPlainTimes(text: string): string {
  return text.replaceAll(/(\d{4}-\d\d-\d\d)T([\d:.]+)Z/g, "$1 $2");
}

/**
 * Why a pair should be looked at.
 * @param isOne whether both are in one group; null where the list of groups does not tell
 */
export function whyDoubtful(pair: Pair, thresholds: Thresholds, isOne: boolean | null): string {
  const { time_difference: seconds, distance, magnitude_difference: magnitudes } = pair;
  const beyond = [
    ...(seconds > thresholds.seconds
      ? [`${given(seconds, "seconds")} s apart, beyond the threshold of ${thresholds.seconds} s`]
      : []),
    ...(distance > thresholds.km
      ? [`${decimal(distance, 1)} km apart, beyond the threshold of ${thresholds.km} km`]
      : []),
  ];
  if (isOne === true || (beyond.length === 0 && isOne === null && (magnitudes ?? 0) > 1)) {
    return `Becomes one although the magnitudes differ by ${given(magnitudes, "magnitude")}.`;
  }
  if (beyond.length > 0) return `Stays apart: ${beyond.join("; ")}.`;
  return "Stays apart although it is within both thresholds: another event fits one of them better.";
}
