import { magnitudeFamily } from "../../events/magnitudes.ts";
import { compensatedSum } from "../numbers/numerics.ts";

const MOMENT_CONSTANT = 9.1;
const ENERGY_CONSTANT = 4.8;

/** The scalar moment of a moment magnitude, N·m: M0 = 10^(1.5 Mw + 9.1) (IASPEI 2013). */
export function momentOf(mw: number): number {
  return 10 ** (1.5 * mw + MOMENT_CONSTANT);
}

/** The moment magnitude of a scalar moment in N·m (IASPEI 2013). */
export function magnitudeOfMoment(moment: number): number {
  return (Math.log10(moment) - MOMENT_CONSTANT) / 1.5;
}

/** The radiated energy of a moment in J: E = 10^(1.5 M + 4.8) (Gutenberg & Richter 1956). */
export function energyOfMoment(moment: number): number {
  return moment * 10 ** (ENERGY_CONSTANT - MOMENT_CONSTANT);
}

/**
 * Whether a magnitude of this type stands for Mw in a sum of moments: Mw of every kind, ML, M and those
 * without a type; mb, mB, Ms, Md and others saturate or have scales of their own.
 */
export function isMomentType(type: string | null): boolean {
  const name = type?.trim().toLowerCase() ?? "";
  if (name === "" || name === "m") return true;
  const family = magnitudeFamily(type);
  return family === "ML" || family.startsWith("Mw");
}

/** Events whose moments are known together. */
export type MomentGroup = {
  readonly count: number;
  /** Sum of their moments, N·m. */
  readonly moment: number;
  /** The largest magnitude of them. */
  readonly largest: number;
};

/** The moment of all groups together, N·m, and its energy, J; null for none. */
export function totalMoment(groups: readonly MomentGroup[]) {
  if (groups.length === 0) return null;
  const total = compensatedSum(groups.map(({ moment }) => moment));
  const largest = Math.max(...groups.map((group) => group.largest));
  return {
    n: groups.reduce((sum, { count }) => sum + count, 0),
    total,
    /** The magnitude of one event of the total moment. */
    mw: magnitudeOfMoment(total),
    largest,
    /** The largest event's part of the total, 0 to 1. */
    largestShare: momentOf(largest) / total,
    energy: energyOfMoment(total),
  };
}
