import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import type { Magnitude } from "../../model/preferred-solutions.ts";
import { byDistance, channelOf, firstById, stationOf } from "./arrival-rows.ts";

/** What a station gave to a magnitude; what is not known is null. */
export type StationMagnitudeRow = {
  /** "NZ.WEL", its own or its amplitude's; empty where the bulletin does not say. */
  readonly station: string;
  /** "10.HHZ"; empty where it does not say. */
  readonly channel: string;
  readonly value: number;
  /** Its difference from the magnitude. */
  readonly residual: number;
  readonly weight: number | null;
  /** Degrees, where an arrival says it. */
  readonly distance: number | null;
  readonly isUsed: boolean;
};

type StationMagnitude = QuakemlObject<"StationMagnitude">;

/**
 * The station magnitudes that contributed to a magnitude, the nearest first. Where it lists no
 * contributions, those of its origin and type.
 */
export function stationMagnitudeRows(
  bulletin: Bulletin,
  magnitude: Magnitude,
): readonly StationMagnitudeRow[] {
  const { stationMagnitude: all = [] } = bulletin;
  const amplitudes = firstById(bulletin.amplitude ?? []);
  const distances = distancesFrom(bulletin, magnitude.originID);
  const rowOf = (one: StationMagnitude, residual?: number, weight?: number) => {
    const waveform = one.waveformID ?? amplitudes.get(one.amplitudeID ?? "")?.waveformID;
    const station = stationOf(waveform);
    return {
      station,
      channel: channelOf(waveform),
      value: one.mag.value,
      residual: residual ?? one.mag.value - magnitude.mag.value,
      weight: weight ?? null,
      distance: distances.get(station) ?? null,
      isUsed: weight === undefined || weight > 0,
    };
  };
  const { stationMagnitudeContribution: contributions } = magnitude;
  if (contributions === undefined) {
    return all
      .filter(({ originID, type }) => originID === magnitude.originID && type === magnitude.type)
      .map((one) => rowOf(one))
      .toSorted(byDistance);
  }
  const byId = firstById(all);
  const rows = contributions.flatMap(({ stationMagnitudeID, residual, weight }) => {
    const one = byId.get(stationMagnitudeID);
    return one === undefined ? [] : [rowOf(one, residual, weight)];
  });
  return rows.toSorted(byDistance);
}

/** Distances of stations in degrees, by the arrivals of an origin, or of the first that has any. */
function distancesFrom(
  { origin: origins = [], pick: picks = [] }: Bulletin,
  originID: string | undefined,
): ReadonlyMap<string, number> {
  const byId = firstById(picks);
  const withArrivals = origins.filter(({ arrival }) => arrival !== undefined);
  const origin = withArrivals.find(({ publicID }) => publicID === originID) ?? withArrivals[0];
  const distances = new Map<string, number>();
  for (const { pickID, distance } of origin?.arrival ?? []) {
    const station = stationOf(byId.get(pickID)?.waveformID);
    if (distance !== undefined && station !== "") distances.set(station, distance);
  }
  return distances;
}
