import { histogramOfBins, type MagnitudeHistogram } from "#contracts/analytics/histogram.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { Excess } from "#services/domain/analytics/magnitudes/b-value.ts";
import { quantileOf } from "#services/domain/analytics/numbers/distributions.ts";
import { compensatedSum } from "#services/domain/analytics/numbers/numerics.ts";
import {
  type Bins,
  type DepthGroup,
  EVALUATION_PART,
  FREQUENT_SHARE,
  type Grade,
  gradeOfQuality,
  MEASURED_PARTS,
  type MeasuredAttribute,
  PERCENTILES,
  type PenaltyRule,
  type ValueDistribution,
  valueBins,
} from "#services/domain/analytics/quality.ts";
import { type MomentGroup, momentOf } from "#services/domain/analytics/rates/seismic-moment.ts";

/** So that −39.0 belongs to the cell that begins there, whatever the division leaves. */
const TOLERANCE = 1e-9;

/** The cell of a latitude or of a longitude: ⌊degrees / size⌋. @param size of a cell, degrees */
export function cellOf(degrees: number, size: number): number {
  return Math.floor(degrees / size + TOLERANCE);
}

/**
 * As `cellOf`, with 180° in the cell that begins at −180°: both are the same meridian.
 * @param longitude −180° to 180°
 */
export function cellOfLongitude(longitude: number, size: number): number {
  const isDateLine = longitude >= 180 - TOLERANCE * size;
  return cellOf(isDateLine ? longitude - 360 : longitude, size);
}

/** So that 15 km belongs to the bin that begins there, whatever the division leaves. */
/** The bin of a depth: ⌊depth / width⌋. @param width km */
export function depthBinOf(depth: number, width: number): number {
  return Math.floor(depth / width + TOLERANCE);
}

/** Events by their depth, the rare ones together. @param events with a depth, km */
export function depthGroups(
  events: readonly { readonly depth: number; readonly isAssigned: boolean }[],
): DepthGroup[] {
  const byDepth = new Map<number, { depth: number; count: number; assigned: number }>();
  for (const { depth, isAssigned } of events) {
    const group = byDepth.get(depth) ?? { depth, count: 0, assigned: 0 };
    group.count++;
    if (isAssigned) group.assigned++;
    byDepth.set(depth, group);
  }
  const isFrequent = ({ count }: DepthGroup) => count > FREQUENT_SHARE * events.length;
  return [...byDepth.values()].map((group) =>
    isFrequent(group) ? group : { ...group, depth: null },
  );
}

/** So that 0.3 belongs to the bin that begins there, whatever the division leaves. */
/** The bin of a value of at least 0. */
export function valueBinOf(value: number, { width, count }: Bins): number {
  return Math.min(count, Math.floor(value / width + TOLERANCE));
}

/**
 * Percentiles (type 7) and histogram of an attribute; missing values are counted apart from zeros.
 * @param zeroIsUnknown an uncertainty, RMS or gap of exactly 0 is no measurement
 */
export function distributionOf(
  values: Iterable<number | null>,
  { zeroIsUnknown, bins }: { readonly zeroIsUnknown: boolean; readonly bins: Bins },
): ValueDistribution {
  let missing = 0;
  let zeros = 0;
  const known: number[] = [];
  for (const value of values) {
    if (value === null) missing++;
    if (value === 0) zeros++;
    if (value !== null && !(zeroIsUnknown && value === 0)) known.push(value);
  }
  const ascending = Float64Array.from(known).sort();
  const counts = new Map<number, number>();
  for (const value of ascending) {
    const bin = valueBinOf(value, bins);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const percentile = (fraction: number) =>
    ascending.length === 0 ? null : quantileOf(ascending, fraction);
  return {
    n: ascending.length,
    missing,
    zeros,
    p05: percentile(PERCENTILES.p05),
    p25: percentile(PERCENTILES.p25),
    p50: percentile(PERCENTILES.p50),
    p75: percentile(PERCENTILES.p75),
    p95: percentile(PERCENTILES.p95),
    bins: valueBins(counts, bins),
  };
}

/** The excess of magnitudes as they are; those below Mc are left out. */
export function excessOf(magnitudes: Iterable<number>, mc: number): Excess {
  const excesses = [...magnitudes].filter((m) => m >= mc).map((m) => m - mc);
  const n = excesses.length;
  const mean = compensatedSum(excesses) / n;
  const squares = compensatedSum(excesses.map((x) => (x - mean) ** 2));
  return { n, filled: new Set(excesses).size, mean, squares };
}

/** What the grade of an event depends on; a 0 counts as a value. */
export type GradedEvent = Pick<
  SeismicEventRecord,
  MeasuredAttribute | "evaluation_mode" | "evaluation_status"
>;

type EventGrade = {
  /** 0 to 100, a whole number. */
  readonly q: number;
  readonly grade: Grade;
  /** The part of the 100 points that depends on values that are known, 0 to 1. */
  readonly documented: number;
};

/** So that a half is rounded up, whatever the sum of the weighted parts leaves of it. */
/**
 * The quality Q of an event's solution and its grade, as the Catalogue of Catalogues (CofC) gives them:
 * the weighted mean of location, network, solution, magnitude and evaluation, rounded half up.
 */
export function gradeOf(event: GradedEvent): EventGrade {
  let points = 0;
  let documented = 0;
  for (const { weight, rules } of MEASURED_PARTS) {
    let penalty = 0;
    let known = 0;
    for (const rule of rules) {
      const value = event[rule.attribute];
      penalty += penaltyOf(rule, value);
      if (value !== null) known += rule.worst;
    }
    points += weight * (100 - penalty);
    documented += weight * (known / 100);
  }
  points += EVALUATION_PART.weight * (100 - evaluationPenalty(event));
  documented += EVALUATION_PART.weight * knownEvaluation(event);
  const q = Math.floor(points + (0.5 + TOLERANCE));
  return { q, grade: gradeOfQuality(q), documented };
}

function penaltyOf({ worst, pieces }: PenaltyRule, value: number | null): number {
  if (value === null) return worst;
  const piece = pieces.find(({ below }) => below === null || value < below);
  return piece === undefined ? worst : piece.base + piece.slope * (value - piece.from);
}

function evaluationPenalty({ evaluation_mode: mode, evaluation_status: status }: GradedEvent) {
  const statuses: Readonly<Record<string, number>> = EVALUATION_PART.statuses;
  const ofStatus = status === null ? EVALUATION_PART.noStatus : (statuses[status] ?? 0);
  return Math.min(100, (mode === "manual" ? 0 : EVALUATION_PART.notManual) + ofStatus);
}

/** Mode and status of the evaluation are a half each. */
function knownEvaluation({ evaluation_mode: mode, evaluation_status: status }: GradedEvent) {
  return (mode === null ? 0 : 0.5) + (status === null ? 0 : 0.5);
}

/** Seconds between each event and the next. @param times ascending, milliseconds since 1970 */
export function intervalsOf(times: ArrayLike<number>): Float64Array {
  const intervals = new Float64Array(Math.max(0, times.length - 1));
  for (let i = 0; i < intervals.length; i++) {
    intervals[i] = ((times[i + 1] ?? 0) - (times[i] ?? 0)) / 1000;
  }
  return intervals;
}

type IntervalStatistics = {
  /** Intervals, one less than events. */
  readonly n: number;
  /** Seconds. */
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation (n − 1) by mean: 1 for a Poisson process, more for clusters. */
  readonly cv: number;
};

/** Statistics of intervals; the coefficient of variation is after Kagan and Jackson 1991. NaN for fewer than two. */
export function intervalStatistics(intervals: Float64Array): IntervalStatistics {
  const n = intervals.length;
  const ascending = intervals.toSorted();
  const mean = compensatedSum(intervals) / n;
  const squares = compensatedSum(intervals.map((interval) => (interval - mean) ** 2));
  return {
    n,
    mean,
    median: quantileOf(ascending, 0.5),
    min: ascending[0] ?? Number.NaN,
    max: ascending.at(-1) ?? Number.NaN,
    cv: Math.sqrt(squares / (n - 1)) / mean,
  };
}

/** So that 1 s, 10 s … belong to the bin that begins with them. */
/** The bin of an interval above 0: ⌊log₁₀(seconds) / width⌋. @param width in decades */
export function logBinOf(seconds: number, width: number): number {
  return Math.floor(Math.log10(seconds) / width + TOLERANCE);
}

export function momentGroups(magnitudes: Iterable<number>): MomentGroup[] {
  return Array.from(magnitudes, (largest) => ({ count: 1, moment: momentOf(largest), largest }));
}

/**
 * The rises of magnitude from one event to the next, in bins: only those of at least `least` bins. An
 * event larger than the one before is detected whatever that one hides, so b of the rises is that of
 * the magnitudes though the catalogue is incomplete for a while: b-positive (van der Elst 2021).
 * @param bins of the magnitudes from that of completeness up, in order of time
 * @param least of the threshold dc; the rises' own magnitude of completeness
 */
export function risesOf(
  bins: readonly number[],
  least: number,
  binWidth: number,
): MagnitudeHistogram {
  const byRise = new Map<number, number>();
  for (let i = 1; i < bins.length; i++) {
    const rise = (bins[i] ?? 0) - (bins[i - 1] ?? 0);
    if (rise >= least) byRise.set(rise, (byRise.get(rise) ?? 0) + 1);
  }
  return histogramOfBins(byRise, binWidth);
}
