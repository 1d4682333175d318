import type { Bulletin } from "#contracts/bulletin/bulletin.ts";

export type Unconnected = { readonly picks: number; readonly amplitudes: number };

/**
 * The picks and amplitudes of an event that no reader of SCML finds: in SCML they stand beside the
 * events, and belong to one through arrivals, station magnitudes and amplitudes.
 */
export function unconnectedOf({
  origin,
  stationMagnitude,
  amplitude,
  pick,
}: Bulletin): Unconnected {
  const picks = new Set(origin?.flatMap(({ arrival = [] }) => arrival.map(({ pickID }) => pickID)));
  const named = new Set(stationMagnitude?.map(({ amplitudeID }) => amplitudeID));
  const [ofMagnitudes, others] = [
    amplitude?.filter(({ publicID }) => named.has(publicID)) ?? [],
    amplitude?.filter(({ publicID }) => !named.has(publicID)) ?? [],
  ];
  for (const { pickID } of ofMagnitudes) if (pickID !== undefined) picks.add(pickID);
  return {
    picks: pick?.filter(({ publicID }) => !picks.has(publicID)).length ?? 0,
    amplitudes: others.filter(({ pickID }) => pickID === undefined || !picks.has(pickID)).length,
  };
}
