import { binOf, magnitudeOf } from "#contracts/magnitude-histogram.ts";
import { at } from "../../merge/columns.ts";
import type { ComparedEvents } from "./compared-events.ts";
import type { MatchedPairs } from "./matched-pairs.ts";

type MatchCounts = { readonly matched: number; readonly unmatched: number };

/** How many events of a magnitude each catalogue shares with the other one, and has alone. */
export type MagnitudeMatches = {
  /** The centre of the bin. */
  readonly magnitude: number;
  readonly a: MatchCounts;
  readonly b: MatchCounts;
};

/** Bins from the lowest to the highest magnitude of both catalogues, empty ones too. */
export function magnitudeMatches(
  { origins, magnitudes }: Pick<ComparedEvents, "origins" | "magnitudes">,
  pairs: MatchedPairs,
  binWidth: number,
): MagnitudeMatches[] {
  const isMatched = new Uint8Array(origins.length);
  for (const row of pairs.a) isMatched[row] = 1;
  for (const row of pairs.b) isMatched[row] = 1;
  const counts = new Map<number, [number, number, number, number]>();
  for (let row = 0; row < origins.length; row++) {
    const magnitude = at(magnitudes, row);
    if (Number.isNaN(magnitude)) continue;
    const bin = binOf(magnitude, binWidth);
    const known = counts.get(bin) ?? [0, 0, 0, 0];
    const kind = 2 * at(origins.source, row) + (isMatched[row] === 1 ? 0 : 1);
    known[kind] = (known[kind] ?? 0) + 1;
    counts.set(bin, known);
  }
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => {
    const [aMatched, aAlone, bMatched, bAlone] = counts.get(first + i) ?? [0, 0, 0, 0];
    return {
      magnitude: magnitudeOf(first + i, binWidth),
      a: { matched: aMatched, unmatched: aAlone },
      b: { matched: bMatched, unmatched: bAlone },
    };
  });
}
