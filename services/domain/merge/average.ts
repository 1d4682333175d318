import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { AssessedMember } from "./group-member.ts";
import { isMeasured } from "./known.ts";
import { magnitudeRank } from "./magnitude-type.ts";
import { meanPosition, meanTime, positionSigmaKm, type Weights, weightsOf } from "./means.ts";
import {
  bestOf,
  type Criterion,
  comparedBy,
  HIGHER_QUALITY,
  rank,
  type Solution,
  TIE_BREAKS,
} from "./ranking.ts";
import { nearness, type Thresholds } from "./thresholds.ts";

/** The mean of a group, and the order in which its members are near to it. */
type Mean = {
  readonly place: Pick<SeismicEventRecord, "time" | "latitude" | "longitude">;
  /** Distances are those of grouping; between equally near members quality decides. */
  readonly criteria: readonly Criterion[];
  /** For people. */
  readonly text: string;
};

/** Weighted means of position and time. */
export function meanOf(members: readonly AssessedMember[], thresholds: Thresholds): Mean {
  const records = members.map(({ record }) => record);
  const positionWeights = weightsOf(records.map(positionSigmaKm));
  const timeWeights = weightsOf(records.map((record) => record.time_uncertainty));
  const { latitude, longitude } = meanPosition(records, positionWeights.values);
  const { time, micros } = meanTime(
    records.map((record) => record.time),
    timeWeights.values,
  );
  const nearnesses = new Map(
    members.map((member, i) => [
      member.eventId,
      nearness(micros[i] ?? 0, greatCircleKm({ latitude, longitude }, member.record), thresholds),
    ]),
  );
  return {
    place: { time, latitude, longitude },
    criteria: [nearerToMean(nearnesses), HIGHER_QUALITY, ...TIE_BREAKS],
    text: `mean of ${members.length} events, position ${weighting(positionWeights)}, time ${weighting(timeWeights)}`,
  };
}

/**
 * Weighted mean of position and time; magnitude of the best type and depth of the lowest
 * uncertainty, each with its own attributes and never averaged; all other attributes from the member
 * nearest to the mean.
 */
export function byAverage(members: readonly AssessedMember[], thresholds: Thresholds): Solution {
  const { place, criteria, text } = meanOf(members, thresholds);
  const { ranked, reason } = rank(members, criteria);
  const best = bestOf(ranked);
  const magnitudeOf = bestMagnitude(ranked) ?? best;
  return {
    record: {
      ...best.record,
      ...place,
      ...magnitudeIn(magnitudeOf.record),
      ...depthOf(ranked),
    },
    ranked,
    magnitudeOf,
    isMean: true,
    reason: `${text}; ${reason}`,
  };
}

function nearerToMean(nearnesses: ReadonlyMap<string, number>): Criterion {
  const of = ({ eventId }: AssessedMember) => nearnesses.get(eventId) ?? 0;
  return {
    compare: (a, b) => of(a) - of(b),
    reason: (best) => `nearest to it: ${best.source}`,
    tie: "equally near to it",
  };
}

function weighting({ isByUncertainty }: Weights): string {
  return isByUncertainty ? "weighted by uncertainty" : "weighted equally";
}

type Magnitude = Pick<
  SeismicEventRecord,
  "magnitude" | "magnitude_type" | "magnitude_uncertainty" | "magnitude_station_count"
>;

function magnitudeIn({
  magnitude,
  magnitude_type,
  magnitude_uncertainty,
  magnitude_station_count,
}: SeismicEventRecord): Magnitude {
  return { magnitude, magnitude_type, magnitude_uncertainty, magnitude_station_count };
}

/** Of equally good ones the nearest to the mean; undefined where no member has a magnitude. */
function bestMagnitude(ranked: readonly AssessedMember[]): AssessedMember | undefined {
  return ranked
    .filter(({ record }) => record.magnitude !== null)
    .toSorted(comparedBy(BETTER_MAGNITUDE))[0];
}

/** Magnitudes are never averaged: best type, then lowest uncertainty, then most stations. */
export const BETTER_MAGNITUDE: readonly Criterion[] = [
  {
    compare: (a, b) => typeRank(a) - typeRank(b),
    reason: (best, next) => `better type of magnitude: ${typeOf(best)} against ${typeOf(next)}`,
    tie: "equal types of magnitude",
  },
  {
    compare: (a, b) => lowerFirst(a.record.magnitude_uncertainty, b.record.magnitude_uncertainty),
    reason: () => "lower uncertainty of the magnitude",
    tie: "equal uncertainties of the magnitude",
  },
  {
    compare: (a, b) => stationsOf(b) - stationsOf(a),
    reason: (best, next) =>
      `more stations of the magnitude: ${stationsOf(best)} against ${stationsOf(next)}`,
    tie: "equally many stations of the magnitude",
  },
];

const typeOf = ({ record }: AssessedMember) => record.magnitude_type ?? "none";
const typeRank = ({ record }: AssessedMember) => magnitudeRank(record.magnitude_type);
const stationsOf = ({ record }: AssessedMember) => record.magnitude_station_count ?? 0;

type Depth = Pick<SeismicEventRecord, "depth" | "depth_uncertainty" | "depth_type">;

/** Null when no member has a depth with an uncertainty above 0; then the chosen member's depth stays. */
function depthOf(ranked: readonly AssessedMember[]): Depth | null {
  const [best] = ranked
    .map(({ record }) => record)
    .filter(({ depth, depth_uncertainty: sigma }) => depth !== null && isMeasured(sigma))
    .sort((a, b) => lowerFirst(a.depth_uncertainty, b.depth_uncertainty));
  if (best === undefined) return null;
  const { depth, depth_uncertainty, depth_type } = best;
  return { depth, depth_uncertainty, depth_type };
}

/** Unknown uncertainties come last. */
function lowerFirst(a: number | null, b: number | null): number {
  if (!isMeasured(a) || !isMeasured(b)) return Number(isMeasured(b)) - Number(isMeasured(a));
  return a - b;
}
