import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { NEVER_ZERO } from "../merges/solution/merge-group.ts";

/**
 * A penalty that is linear between bounds: `base + slope · (value − from)` below the first bound that is
 * above the value.
 */
export type PenaltyPiece = {
  /** null for the last piece, which has no bound. */
  readonly below: number | null;
  readonly base: number;
  readonly slope: number;
  readonly from: number;
};

/** `worst` is the penalty of an unknown value. */
export type PenaltyRule<A extends string = string> = {
  readonly attribute: A;
  readonly worst: number;
  readonly pieces: readonly PenaltyPiece[];
};

export type MeasuredAttribute = keyof typeof BINS;

export type QualityPart = {
  readonly name: "location" | "network" | "solution" | "magnitude";
  readonly weight: number;
  readonly rules: readonly PenaltyRule<MeasuredAttribute>[];
};

function flat(below: number | null, base: number): PenaltyPiece {
  return { below, base, slope: 0, from: 0 };
}

/** Rises by `slope` for each unit up to `worst`, from 0. */
function rising<A extends string>(attribute: A, slope: number, worst: number): PenaltyRule<A> {
  const pieces = [{ below: worst / slope, base: 0, slope, from: 0 }, flat(null, worst)];
  return { attribute, worst, pieces };
}

/**
 * The parts of the quality score Q of the Catalogue of Catalogues (CofC): each is 100 points minus the
 * penalties, and what is unknown has the worst.
 */
export const MEASURED_PARTS: readonly QualityPart[] = [
  {
    name: "location",
    weight: 0.35,
    rules: [
      rising("horizontal_uncertainty", 4, 40),
      rising("depth_uncertainty", 3, 30),
      rising("time_uncertainty", 30, 30),
    ],
  },
  {
    name: "network",
    weight: 0.25,
    rules: [
      {
        attribute: "azimuthal_gap",
        worst: 50,
        pieces: [
          flat(90, 0),
          { below: 180, base: 0, slope: 1 / 2, from: 90 },
          { below: 270, base: 45, slope: 1 / 18, from: 180 },
          flat(null, 50),
        ],
      },
      {
        attribute: "used_station_count",
        worst: 30,
        pieces: [
          { below: 5, base: 25, slope: -1, from: 5 },
          { below: 10, base: 15, slope: -2, from: 10 },
          { below: 20, base: 0, slope: -1.5, from: 20 },
          flat(null, 0),
        ],
      },
      {
        attribute: "used_phase_count",
        worst: 20,
        pieces: [
          flat(1, 20),
          { below: 8, base: 13, slope: -1, from: 8 },
          { below: 15, base: 7.5, slope: -0.8, from: 15 },
          { below: 30, base: 0, slope: -0.5, from: 30 },
          flat(null, 0),
        ],
      },
    ],
  },
  {
    name: "solution",
    weight: 0.15,
    rules: [
      {
        attribute: "standard_error",
        worst: 100,
        pieces: [
          flat(0.3, 0),
          { below: 0.5, base: 0, slope: 100, from: 0.3 },
          { below: 1, base: 20, slope: 60, from: 0.5 },
          { below: 2, base: 50, slope: 50, from: 1 },
          flat(null, 100),
        ],
      },
    ],
  },
  {
    name: "magnitude",
    weight: 0.15,
    rules: [
      rising("magnitude_uncertainty", 120, 60),
      {
        attribute: "magnitude_station_count",
        worst: 40,
        pieces: [
          flat(1, 40),
          { below: 3, base: 30, slope: -5, from: 3 },
          { below: 5, base: 20, slope: -5, from: 5 },
          { below: 10, base: 0, slope: -4, from: 10 },
          flat(null, 0),
        ],
      },
    ],
  },
];

/** The fifth part: how the solution was evaluated. */
export const EVALUATION_PART = {
  weight: 0.1,
  notManual: 20,
  /** Of evaluation statuses; those not named have none. */
  statuses: { confirmed: 10, preliminary: 30, rejected: 100 },
  noStatus: 30,
} as const;

/** The lowest Q of each grade, best first; below the last it is F. */
export const GRADES = [
  ["A+", 95],
  ["A", 85],
  ["B+", 75],
  ["B", 65],
  ["C", 45],
  ["D", 35],
  ["F", 0],
] as const;

export type Grade = (typeof GRADES)[number][0];

/** The grade of a Q, which is a whole number. */
export function gradeOfQuality(q: number): Grade {
  return GRADES.find(([, lowest]) => q >= lowest)?.[0] ?? "F";
}

/** An attribute that says how good a solution is. */
export type QualityAttribute = {
  readonly attribute: MeasuredAttribute;
  /** In the attribute's unit. */
  readonly bins: Bins;
  /** A 0 is no measurement. */
  readonly zeroIsUnknown: boolean;
  /** Names under which files have the attribute. */
  readonly names: readonly string[];
};

const BINS = {
  azimuthal_gap: { width: 10, count: 36 },
  used_phase_count: { width: 5, count: 40 },
  used_station_count: { width: 5, count: 40 },
  standard_error: { width: 0.1, count: 30 },
  horizontal_uncertainty: { width: 1, count: 50 },
  depth_uncertainty: { width: 1, count: 50 },
  time_uncertainty: { width: 0.1, count: 50 },
  magnitude_uncertainty: { width: 0.05, count: 40 },
  magnitude_station_count: { width: 5, count: 20 },
} as const satisfies Partial<Record<AttributeName, Bins>>;

export const QUALITY_ATTRIBUTES: readonly QualityAttribute[] = (
  Object.keys(BINS) as MeasuredAttribute[]
).map((attribute) => {
  const { aliases = [] }: Attribute = ATTRIBUTES[attribute];
  return {
    attribute,
    bins: BINS[attribute],
    zeroIsUnknown: NEVER_ZERO.has(attribute),
    names: [attribute, attribute.replaceAll("_", ""), ...aliases],
  };
});

export const PERCENTILES = { p05: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
/** Bins of equal width from 0 on; what lies above the last is in one more. */
export type Bins = { readonly width: number; readonly count: number };

export type ValueBin = {
  /** Inclusive. */
  readonly from: number;
  /** null for the bin of all above. */
  readonly to: number | null;
  readonly count: number;
};

/** Bins up to the last with a value, empty ones too. @param counts by bin */
export function valueBins(counts: ReadonlyMap<number, number>, { width, count }: Bins): ValueBin[] {
  const edge = (bin: number) => Number((bin * width).toFixed(9));
  return Array.from({ length: Math.max(-1, ...counts.keys()) + 1 }, (_, bin) => ({
    from: edge(bin),
    to: bin === count ? null : edge(bin + 1),
    count: counts.get(bin) ?? 0,
  }));
}

export type ValueDistribution = Readonly<Record<keyof typeof PERCENTILES, number | null>> & {
  /** Values that are known: neither missing nor a 0 that stands for unknown. */
  readonly n: number;
  readonly missing: number;
  /** Values of exactly 0. */
  readonly zeros: number;
  readonly bins: readonly ValueBin[];
};

/** Events of one frequent depth, or of depths that are all rare. */
export type DepthGroup = {
  /** km; null for the rare ones together. */
  readonly depth: number | null;
  readonly count: number;
  /** Those whose agency says that the depth was assigned. */
  readonly assigned: number;
};

/** A depth that more than this part of the events have is taken for one that was set. */
export const FREQUENT_SHARE = 0.05;

/** Depths that were set and not determined: by their type, or by a value that more than 5 % have, the most frequent first. */
export function fixedDepths(groups: readonly DepthGroup[]) {
  const counts = new Map<number, number>();
  let assigned = 0;
  let assignedRare = 0;
  for (const group of groups) {
    assigned += group.assigned;
    if (group.depth === null) assignedRare += group.assigned;
    else counts.set(group.depth, (counts.get(group.depth) ?? 0) + group.count);
  }
  const values = Array.from(counts, ([depth, count]) => ({ depth, count }));
  return {
    count: values.reduce((sum, { count }) => sum + count, assignedRare),
    assigned,
    values: values.toSorted((a, b) => b.count - a.count || a.depth - b.depth),
  };
}
