import { MINUS } from "#contracts/plots/numbers.ts";
import type { Place } from "../../../model/great-circle.ts";
import { windFrom } from "../../../model/places.ts";
import { decimal, given, sentence } from "../../../ui/text/format.ts";
import type { ConfigForm, Decided, Pair, Preview, Strategy } from "../config/config.ts";

type Event = Pair["first"];

export type ClusterMember = Event & {
  /** How it lies to the first or kept one; empty for that one itself. */
  readonly shift: string;
  readonly isKept: boolean;
  readonly score?: { readonly total: number; readonly parts: ScoreParts };
};

/** Events that belong together: those that become one, or two that a person should look at. */
export type Cluster = {
  /** The kept or first one first. */
  readonly members: readonly ClusterMember[];
  /** Why they are here, or why that one is kept. */
  readonly why: string;
  /** Of two that a person should look at. */
  readonly pair?: Pair;
};

/** The groups of a preview, each with the member that is kept first. */
export function clustersOfGroups(
  groups: Preview["groups"],
  strategy: Strategy,
): readonly Cluster[] {
  return groups.map((group) => {
    const inOrder = group.members.toSorted((a, b) => Number(b.chosen) - Number(a.chosen));
    const [kept] = inOrder;
    const members = inOrder.map(
      ({ chosen, quality_score: total, score_parts: parts, ...event }) => ({
        ...event,
        isKept: chosen,
        shift:
          strategy === "average"
            ? fromMean(event)
            : chosen || !kept
              ? ""
              : shiftOf(kept, event, event),
        score: { total, parts },
      }),
    );
    return { members, why: whyKept(group, strategy) };
  });
}

/** The doubtful pairs of a preview, and what comes of each. */
export function clustersOfPairs(
  { ambiguous, groups, duplicateGroups }: Preview,
  { timeThreshold, distanceThreshold }: Pick<ConfigForm, "timeThreshold" | "distanceThreshold">,
): readonly Cluster[] {
  const groupOf = new Map(
    groups.flatMap(({ members }, index) => members.map((one) => [one.event_id, index] as const)),
  );
  const isCut = groups.length < duplicateGroups;
  const thresholds = { seconds: Number(timeThreshold), km: Number(distanceThreshold) };
  return ambiguous.map((pair) => {
    const own = groupOf.get(pair.first.event_id);
    const isListed = own !== undefined || groupOf.has(pair.second.event_id);
    const isOne = own !== undefined && own === groupOf.get(pair.second.event_id);
    return clusterOfPair(pair, whyDoubtful(pair, thresholds, isListed || !isCut ? isOne : null));
  });
}

export function clustersOfDecided(decided: readonly Decided[]): readonly Cluster[] {
  return decided.map(({ type, pair }) =>
    clusterOfPair(
      pair,
      type === "same" ? "Becomes one, as you decided." : "Stays apart, as you decided.",
    ),
  );
}

/** Two events of which a person is told. */
export function clusterOfPair(pair: Pair, why: string): Cluster {
  const { first, second } = pair;
  return {
    members: [
      { ...first, shift: "", isKept: false },
      { ...second, shift: shiftOf(first, second, pair), isKept: false },
    ],
    why,
    pair,
  };
}

type Apart = { readonly time_difference: number; readonly distance: number };

/** "2 s later, 3.2 km NE". */
export function shiftOf(
  from: Event,
  to: Event,
  { time_difference: seconds, distance }: Apart,
): string {
  if (seconds === 0 && distance === 0) return "same time and place";
  const side = Date.parse(to.time) < Date.parse(from.time) ? "earlier" : "later";
  const when = seconds === 0 ? "same time" : `${given(seconds, "seconds")} s ${side}`;
  return `${when}, ${offsetText(from, to, distance)}`;
}

function fromMean({ time_difference: seconds, distance }: Apart): string {
  return `${given(seconds, "seconds")} s and ${decimal(distance, 1)} km from the mean`;
}

type Group = Preview["groups"][number];
type Member = Group["members"][number];

type Thresholds = { readonly seconds: number; readonly km: number };

/** Why a member of a group was chosen; for scores, by which of their parts. */
function whyKept(group: Group, strategy: Strategy): string {
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
function whyDoubtful(pair: Pair, thresholds: Thresholds, isOne: boolean | null): string {
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

type ScoreParts = Preview["groups"][number]["members"][number]["score_parts"];

/** Of a score, at most. */
export const SCORE_MOST = 100;

type ScorePart = { readonly name: keyof ScoreParts; readonly label: string; readonly most: number };

/** What a score is the sum of, and the points that each part gives at most. */
export const SCORE_PARTS: readonly ScorePart[] = [
  { name: "stations", label: "stations", most: 25 },
  { name: "gap", label: "azimuthal gap", most: 20 },
  { name: "rms", label: "RMS residual", most: 15 },
  { name: "magnitude_uncertainty", label: "magnitude uncertainty", most: 15 },
  { name: "magnitude_type", label: "magnitude type", most: 15 },
  { name: "review", label: "review", most: 10 },
];

/** Points with a decimal where they are not whole: "20", "8.3". */
export function points(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** How far the second is from the first, and where to: "3.2 km NE". */
export function offsetText(first: Place, second: Place, distanceKm: number): string {
  const far = decimal(distanceKm, 1);
  // What rounds to nothing has no direction.
  return Number(far) === 0 ? "0.0 km" : `${far} km ${windFrom(first, second, 8)}`;
}
