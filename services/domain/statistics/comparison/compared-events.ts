import { at } from "../../merge/columns.ts";
import type { Origins } from "../../merge/origins.ts";
import type { MatchedPairs } from "./matched-pairs.ts";
import type { Points } from "./points.ts";

/** The events of two catalogues by column; row i is one event. */
export type ComparedEvents = {
  /** The source is 0 in the first catalogue and 1 in the second. */
  readonly origins: Origins;
  /** km; NaN where unknown or fixed. */
  readonly depths: Float64Array;
  /** NaN where unknown. */
  readonly magnitudes: Float64Array;
  /** Index of the magnitude type in `typeNames`. */
  readonly types: Int32Array;
  readonly typeNames: readonly (string | null)[];
};

/** The magnitudes of those pairs of events that both have one: x of the first catalogue, y of the second. */
export function magnitudePoints(
  { magnitudes }: Pick<ComparedEvents, "magnitudes">,
  pairs: MatchedPairs,
): Points {
  const x = new Float64Array(pairs.count);
  const y = new Float64Array(pairs.count);
  let length = 0;
  for (let pair = 0; pair < pairs.count; pair++) {
    const [ofA, ofB] = [at(magnitudes, at(pairs.a, pair)), at(magnitudes, at(pairs.b, pair))];
    if (Number.isNaN(ofA) || Number.isNaN(ofB)) continue;
    x[length] = ofA;
    y[length] = ofB;
    length += 1;
  }
  return { x: x.subarray(0, length), y: y.subarray(0, length) };
}
