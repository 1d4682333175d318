import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type MagnitudeFamily, magnitudeFamily } from "../../events/magnitudes.ts";

/**
 * Points, 100 in all; missing values have 0. So have an uncertainty, RMS or gap of exactly 0, which
 * means unknown, and attributes of an unknown magnitude.
 */
export type QualityScore = {
  /** 0 to 25. */
  readonly stations: number;
  /** 0 to 20. */
  readonly gap: number;
  /** 0 to 15. */
  readonly rms: number;
  /** 0 to 15. */
  readonly magnitudeUncertainty: number;
  /** 0 to 15. */
  readonly magnitudeType: number;
  /** 0 to 10. */
  readonly review: number;
  readonly total: number;
};

type Step = readonly [upTo: number, points: number];

const RMS_STEPS: readonly Step[] = [
  [0.3, 15],
  [0.5, 12],
  [1, 8],
  [2, 4],
];
const MAGNITUDE_UNCERTAINTY_STEPS: readonly Step[] = [
  [0.1, 15],
  [0.2, 12],
  [0.3, 8],
  [0.5, 4],
];
const MAGNITUDE_TYPE_POINTS: Readonly<Record<MagnitudeFamily, number>> = {
  Mww: 15,
  Mwc: 15,
  Mwb: 15,
  Mwr: 15,
  Mw: 15,
  Ms: 12,
  mB: 9,
  mb: 9,
  ML: 6,
  Md: 3,
  other: 0,
};
const STATUS_POINTS = {
  final: 10,
  reviewed: 10,
  confirmed: 6,
  preliminary: 2,
  rejected: 0,
} as const;
const MANUAL_POINTS = 2;
const MAX_REVIEW_POINTS = 10;

/** Scores an event's solution, with the points of each part. */
export function qualityScore(record: SeismicEventRecord): QualityScore {
  const stations = stationPoints(record.used_station_count);
  const gap = gapPoints(record.azimuthal_gap);
  const rms = stepPoints(record.standard_error, RMS_STEPS);
  const { magnitude, magnitude_uncertainty: sigma, magnitude_type: type } = record;
  const isKnown = magnitude !== null;
  const magnitudeUncertainty = isKnown ? stepPoints(sigma, MAGNITUDE_UNCERTAINTY_STEPS) : 0;
  const magnitudeType = isKnown ? MAGNITUDE_TYPE_POINTS[magnitudeFamily(type)] : 0;
  const review = reviewPoints(record);
  const total = stations + gap + rms + magnitudeUncertainty + magnitudeType + review;
  return { stations, gap, rms, magnitudeUncertainty, magnitudeType, review, total };
}

/** The logarithm reaches its maximum at 31 stations. */
function stationPoints(count: number | null): number {
  return count === null ? 0 : 25 * Math.min(1, Math.log2(count + 1) / 5);
}

function gapPoints(gap: number | null): number {
  if (!isMeasured(gap) || gap > 270) return 0;
  if (gap <= 120) return 20;
  return gap <= 180 ? 15 : 10 * (1 - (gap - 180) / 90);
}

function stepPoints(value: number | null, steps: readonly Step[]): number {
  if (!isMeasured(value)) return 0;
  return steps.find(([upTo]) => value <= upTo)?.[1] ?? 0;
}

function reviewPoints(record: SeismicEventRecord): number {
  const { evaluation_status: status, evaluation_mode: mode } = record;
  const points =
    (status === null ? 0 : STATUS_POINTS[status]) + (mode === "manual" ? MANUAL_POINTS : 0);
  return Math.min(MAX_REVIEW_POINTS, points);
}

export type GroupMember = {
  readonly record: SeismicEventRecord;
  readonly catalogueId: string;
  readonly eventId: string;
  /** Label of the source in the request. */
  readonly source: string;
  /** Index of the catalogue in `sourceCatalogues`. */
  readonly sourceOrder: number;
};

export type AssessedMember = GroupMember & { readonly score: number };

export function assess(member: GroupMember): AssessedMember {
  const { record, catalogueId, eventId, source, sourceOrder } = member;
  const score = qualityScore(record).total;
  return { record, catalogueId, eventId, source, sourceOrder, score };
}

/** Attributes whose measured values are never exactly 0: many catalogues write 0 for unknown. */
export const NEVER_ZERO: ReadonlySet<AttributeName> = new Set([
  "azimuthal_gap",
  "standard_error",
  "magnitude_uncertainty",
  "depth_uncertainty",
  "horizontal_uncertainty",
  "time_uncertainty",
  "latitude_uncertainty",
  "longitude_uncertainty",
]);

/** Attributes without meaning when the magnitude itself is unknown. */
const OF_MAGNITUDE: ReadonlySet<AttributeName> = new Set([
  "magnitude_type",
  "magnitude_uncertainty",
  "magnitude_station_count",
]);

/** Whether an uncertainty, RMS or gap is known: 0 means unknown. */
export function isMeasured(value: number | null): value is number {
  return value !== null && value !== 0;
}

/** Number of documented attributes that are not null, without `extra` and a merge's provenance. */
export function countPopulatedFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => record[name] !== null);
}

/** Like `countPopulatedFields`, without 0 for unknown and without attributes of an unknown magnitude. */
export function countKnownFields(record: SeismicEventRecord): number {
  return countFields(record, (name) => {
    const value = record[name];
    if (value === null || (value === 0 && NEVER_ZERO.has(name))) return false;
    return record.magnitude !== null || !OF_MAGNITUDE.has(name);
  });
}

function countFields(record: SeismicEventRecord, isCounted: (name: AttributeName) => boolean) {
  let count = record.focal_mechanisms === null ? 0 : 1;
  for (const name of ATTRIBUTE_NAMES) if (isCounted(name)) count++;
  return count;
}
