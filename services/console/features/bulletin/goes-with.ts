import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { counted } from "../../ui/text/format.ts";

/** A solution that may be deleted. */
export type Solution = {
  readonly kind: "origin" | "magnitude" | "focalMechanism";
  readonly publicID: string;
};

/**
 * What is nothing without a solution, and goes with it: "12 arrivals", "2 magnitudes". The service's
 * rule (`services/domain/bulletin`), told beforehand.
 */
export function goesWith(bulletin: Bulletin, { kind, publicID }: Solution): readonly string[] {
  const { origin = [], magnitude = [], stationMagnitude = [], focalMechanism = [] } = bulletin;
  if (kind === "focalMechanism") {
    const tensors = focalMechanism.find((one) => one.publicID === publicID)?.momentTensor;
    return told([[tensors?.length, "moment tensor"]]);
  }
  if (kind === "magnitude") {
    const one = magnitude.find((other) => other.publicID === publicID);
    return told([[one?.stationMagnitudeContribution?.length, "contribution of a station"]]);
  }
  const ofOrigin = (one: { readonly originID?: string }) => one.originID === publicID;
  const tensors = focalMechanism.flatMap(({ momentTensor = [] }) =>
    momentTensor.filter(({ derivedOriginID }) => derivedOriginID === publicID),
  );
  return told([
    [origin.find((one) => one.publicID === publicID)?.arrival?.length, "arrival"],
    [magnitude.filter(ofOrigin).length, "magnitude"],
    [stationMagnitude.filter(ofOrigin).length, "station magnitude"],
    [tensors.length, "moment tensor"],
  ]);
}

function told(counts: readonly (readonly [number | undefined, string])[]): readonly string[] {
  return counts.flatMap(([number = 0, noun]) => {
    if (number === 0) return [];
    // "2 contributions of a station".
    const [first = "", ...rest] = noun.split(" of ");
    return [[counted(number, first), ...rest].join(" of ")];
  });
}
