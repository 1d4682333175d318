import type { LocatedEvent } from "../../../api/located-event.ts";
import { overlap } from "../../../model/error-ellipse.ts";
import { given } from "../../../ui/text/digits.ts";
import { offsetText } from "../clusters/offset.ts";
import type { ReviewPair } from "./queue.ts";

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
