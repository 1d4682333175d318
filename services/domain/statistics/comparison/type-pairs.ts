import { at } from "../../merge/columns.ts";
import type { Estimate } from "../estimate.ts";
import { type ComparedEvents, magnitudePoints } from "./compared-events.ts";
import { type MagnitudeRegressions, magnitudeRegressions } from "./magnitude-regressions.ts";
import type { MatchedPairs } from "./matched-pairs.ts";
import { differencesOf } from "./points.ts";
import { type ResidualDistribution, residualsOf } from "./residuals.ts";

const REQUIRED_PAIRS = 10;

/** The pairs of events whose magnitudes are of one type in each catalogue. */
export type TypePair = {
  readonly a: string | null;
  readonly b: string | null;
  readonly n: number;
  readonly magnitude: ResidualDistribution;
  readonly regressions: Estimate<MagnitudeRegressions>;
};

/**
 * By each pair of magnitude types, whatever their case, that at least 10 pairs of events have; the most
 * frequent first. Types are named by their most frequent spelling.
 */
export function typePairs(events: ComparedEvents, pairs: MatchedPairs, eta: number): TypePair[] {
  const spellings = commonSpellings(events);
  const byTypes = new Map<string, { a: number[]; b: number[] }>();
  for (let pair = 0; pair < pairs.count; pair++) {
    const [a, b] = [at(pairs.a, pair), at(pairs.b, pair)];
    if (Number.isNaN(at(events.magnitudes, a) - at(events.magnitudes, b))) continue;
    const key = `${spellings[at(events.types, a)]} ${spellings[at(events.types, b)]}`;
    const known = byTypes.get(key) ?? { a: [], b: [] };
    known.a.push(a);
    known.b.push(b);
    byTypes.set(key, known);
  }
  return [...byTypes]
    .flatMap(([key, { a, b }]) => {
      const count = a.length;
      const points = magnitudePoints(events, {
        count,
        a: Int32Array.from(a),
        b: Int32Array.from(b),
      });
      const magnitude = residualsOf(differencesOf(points));
      if (count < REQUIRED_PAIRS || magnitude === null) return [];
      const [nameA, nameB] = key.split(" ").map((type) => events.typeNames[Number(type)] ?? null);
      const names = { a: nameA ?? null, b: nameB ?? null };
      return { ...names, n: count, magnitude, regressions: magnitudeRegressions(points, eta) };
    })
    .toSorted((one, other) => other.n - one.n || order(one, other));
}

/** For each type, that of its spellings, whatever their case, that most events have. */
function commonSpellings({ types, typeNames }: ComparedEvents): number[] {
  const counts = new Float64Array(typeNames.length);
  for (const type of types) counts[type] = at(counts, type) + 1;
  const common = new Map<string | null, number>();
  const keys = typeNames.map((name) => name?.toLowerCase() ?? null);
  for (const [type, key] of keys.entries()) {
    const known = common.get(key);
    if (known === undefined || at(counts, type) > at(counts, known)) common.set(key, type);
  }
  return keys.map((key) => common.get(key) ?? 0);
}

function order(one: TypePair, other: TypePair): number {
  const [first, second] = [one, other].map(({ a, b }) => `${a} ${b}`);
  return String(first) < String(second) ? -1 : 1;
}
