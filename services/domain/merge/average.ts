import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { greatCircleKm } from "./great-circle.ts";
import type { AssessedMember } from "./group-member.ts";
import { isMeasured } from "./known.ts";
import { magnitudeRank } from "./magnitude-type.ts";
import { meanPosition, meanTime, positionSigmaKm, type Weights, weightsOf } from "./means.ts";
import {
  bestOf,
  type Criterion,
  HIGHER_QUALITY,
  rank,
  type Solution,
  TIE_BREAKS,
} from "./ranking.ts";
import { nearness, type Thresholds } from "./thresholds.ts";

/**
 * Weighted mean of position and time; magnitude of the best type and depth of the lowest
 * uncertainty, each with its own attributes and never averaged; all other attributes from the member
 * nearest to the mean. Distances are those of grouping; between equally near members, such as two of
 * equal weight, quality decides.
 */
export function byAverage(members: readonly AssessedMember[], thresholds: Thresholds): Solution {
  const records = members.map(({ record }) => record);
  const positionWeights = weightsOf(records.map(positionSigmaKm));
  const timeWeights = weightsOf(records.map((record) => record.time_uncertainty));
  const position = meanPosition(records, positionWeights.values);
  const mean = meanTime(
    records.map(({ time }) => time),
    timeWeights.values,
  );
  const nearnesses = new Map(
    members.map((member, i) => [
      member.eventId,
      nearness(mean.micros[i] ?? 0, greatCircleKm(position, member.record), thresholds),
    ]),
  );
  const { ranked, reason } = rank(members, [
    nearerToMean(nearnesses),
    HIGHER_QUALITY,
    ...TIE_BREAKS,
  ]);
  return {
    record: {
      ...bestOf(ranked).record,
      time: mean.time,
      latitude: position.latitude,
      longitude: position.longitude,
      ...magnitudeOf(ranked),
      ...depthOf(ranked),
    },
    ranked,
    reason: `mean of ${members.length} events, position ${weighting(positionWeights)}, time ${weighting(timeWeights)}; ${reason}`,
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

/** Best type, then lowest uncertainty, then most stations, then nearest to the mean. */
function magnitudeOf(ranked: readonly AssessedMember[]): Magnitude | null {
  const [best] = ranked
    .map(({ record }) => record)
    .filter(({ magnitude }) => magnitude !== null)
    .sort(
      (a, b) =>
        magnitudeRank(a.magnitude_type) - magnitudeRank(b.magnitude_type) ||
        lowerFirst(a.magnitude_uncertainty, b.magnitude_uncertainty) ||
        (b.magnitude_station_count ?? 0) - (a.magnitude_station_count ?? 0),
    );
  if (best === undefined) return null;
  const { magnitude, magnitude_type, magnitude_uncertainty, magnitude_station_count } = best;
  return { magnitude, magnitude_type, magnitude_uncertainty, magnitude_station_count };
}

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
