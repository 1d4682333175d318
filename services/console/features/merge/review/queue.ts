import type { AnswerOf } from "../../../api/call.ts";
import type { LocatedEvent } from "../../../api/located-event.ts";
import { overlap } from "../../../model/error-ellipse.ts";
import { given } from "../../../ui/text/format.ts";
import { offsetText } from "../clusters/clusters.ts";

/** A pair that is not decided yet, with who looks at it and what was noted. */
export type ReviewPair = AnswerOf<"GET /api/catalogues/:id/merge/review">["pairs"][number];

/** The pairs of a queue, and which of them is looked at. */
export type Queue = {
  readonly pairs: readonly ReviewPair[];
  /** Past the last where there is none any more. */
  readonly at: number;
};

/** The pair that is looked at; null at the end. */
export function shownOf({ pairs, at }: Queue): ReviewPair | null {
  return pairs[at] ?? null;
}

/** The queue a pair further or back, within its ends. */
export function moved({ pairs, at }: Queue, by: 1 | -1): Queue {
  return { pairs, at: Math.max(0, Math.min(pairs.length - 1, at + by)) };
}

/** The queue without a pair: what followed it is looked at, or what is looked at stays. */
export function without({ pairs, at }: Queue, id: string): Queue {
  const index = pairs.findIndex((pair) => pair.id === id);
  if (index < 0) return { pairs, at };
  return { pairs: pairs.filter((pair) => pair.id !== id), at: index < at ? at - 1 : at };
}

/** The queue with a pair that comes back, which is looked at again. */
export function withBack({ pairs, at }: Queue, pair: ReviewPair): Queue {
  const others = pairs.filter(({ id }) => id !== pair.id);
  const place = Math.min(at, others.length);
  return { pairs: [...others.slice(0, place), pair, ...others.slice(place)], at: place };
}

/** The queue with what the service says of a pair now. */
export function updated({ pairs, at }: Queue, pair: ReviewPair): Queue {
  return { pairs: pairs.map((one) => (one.id === pair.id ? pair : one)), at };
}

/** The queue with the pairs that follow; none twice. */
export function extended({ pairs, at }: Queue, further: readonly ReviewPair[]): Queue {
  const known = new Set(pairs.map(({ id }) => id));
  return { pairs: [...pairs, ...further.filter(({ id }) => !known.has(id))], at };
}

/** Whether somebody else looks at it. */
export function isTaken({ claim }: ReviewPair, me: string | undefined): boolean {
  return claim !== null && claim.user !== me;
}

/** How the second event of a pair differs from the first, one sentence each. */
export function differencesOf(
  pair: ReviewPair,
  first: LocatedEvent | null,
  second: LocatedEvent | null,
): readonly string[] {
  return [
    timeText(pair),
    placeText(pair),
    ...ellipsesText(first, second),
    ...depthText(pair),
    ...magnitudeText(pair),
  ];
}

function timeText({ first, second, time_difference: seconds }: ReviewPair): string {
  if (seconds === 0) return "Both have the same origin time.";
  const side = Date.parse(second.time) < Date.parse(first.time) ? "earlier" : "later";
  return `The second is ${given(seconds, "seconds")} s ${side}.`;
}

function placeText({ first, second, distance }: ReviewPair): string {
  const shift = offsetText(first, second, distance);
  return shift === "0.0 km"
    ? "Both have the same epicentre."
    : `The second lies ${shift} of the first.`;
}

/** Nothing where either does not say how well it is known. */
function ellipsesText(first: LocatedEvent | null, second: LocatedEvent | null): readonly string[] {
  if (!first?.ellipse || !second?.ellipse) return [];
  const are = overlap(first.event, first.ellipse, second.event, second.ellipse);
  return [are ? "Their error ellipses overlap." : "Their error ellipses do not touch."];
}

function depthText({ first, second }: ReviewPair): readonly string[] {
  if (first.depth === null || second.depth === null) return [];
  const deeper = second.depth - first.depth;
  if (deeper === 0) return ["Both have the same depth."];
  const km = given(Math.abs(deeper), "depth");
  return [`The second is ${km} km ${deeper > 0 ? "deeper" : "shallower"}.`];
}

function magnitudeText(pair: ReviewPair): readonly string[] {
  const { first, second, magnitude_difference: size } = pair;
  if (first.magnitude === null || second.magnitude === null || size === null) {
    return ["One of them has no magnitude."];
  }
  if (size === 0) return ["Both have the same magnitude."];
  const side = second.magnitude > first.magnitude ? "larger" : "smaller";
  return [`The second’s magnitude is ${given(size, "magnitude")} ${side}.`];
}
