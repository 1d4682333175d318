import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import type { Origin } from "../../model/preferred-solutions.ts";
import { secondsBetween } from "./solution-lines.ts";

/** An arrival with its pick; what is not known is null. */
export type ArrivalRow = {
  /** Network and station, "NZ.WEL". */
  readonly station: string;
  /** Location and channel, "10.HHZ". */
  readonly channel: string;
  readonly phase: string;
  /** The pick's, ISO 8601 in UTC. */
  readonly time: string | null;
  /** Seconds from the origin to the pick. */
  readonly travelTime: number | null;
  /** Seconds. */
  readonly residual: number | null;
  /** Degrees. */
  readonly distance: number | null;
  /** Degrees from north over east, at the epicentre. */
  readonly azimuth: number | null;
  readonly weight: number | null;
  readonly onset: string | null;
  readonly polarity: string | null;
  readonly mode: string | null;
  /** False where the location gave it no weight. */
  readonly isUsed: boolean;
};

/** The arrivals of an origin with their picks, the nearest first; without a distance in the bulletin's order, last. */
export function arrivalRows(
  { time: origin, arrival: arrivals = [] }: Origin,
  { pick: picks = [] }: Bulletin,
): readonly ArrivalRow[] {
  const byId = firstById(picks);
  const rows = arrivals.map((arrival): ArrivalRow => {
    const pick = byId.get(arrival.pickID);
    return {
      station: stationOf(pick?.waveformID),
      channel: channelOf(pick?.waveformID),
      phase: arrival.phase,
      time: pick === undefined ? null : parseTime(pick.time.value),
      travelTime: pick === undefined ? null : secondsBetween(origin.value, pick.time.value),
      residual: arrival.timeResidual ?? null,
      distance: arrival.distance ?? null,
      azimuth: arrival.azimuth ?? null,
      weight: arrival.timeWeight ?? null,
      onset: pick?.onset ?? null,
      polarity: pick?.polarity ?? null,
      mode: pick?.evaluationMode ?? null,
      isUsed: arrival.timeWeight === undefined || arrival.timeWeight > 0,
    };
  });
  return rows.toSorted(byDistance);
}

type Far = { readonly distance: number | null };

/** The nearest first, unknown distances last. */
export function byDistance({ distance: a }: Far, { distance: b }: Far): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

/** Objects by their ids; a reference means the first of several with one id. */
export function firstById<T extends { readonly publicID: string }>(
  objects: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(objects.toReversed().map((one) => [one.publicID, one]));
}

type Waveform = QuakemlObject<"WaveformStreamID">;

/** "NZ.WEL"; empty without a waveform. */
export function stationOf(waveform: Waveform | undefined): string {
  return waveform === undefined ? "" : joined(waveform.networkCode, waveform.stationCode);
}

/** "10.HHZ"; empty where neither is known. */
export function channelOf(waveform: Waveform | undefined): string {
  return joined(waveform?.locationCode, waveform?.channelCode);
}

/** Some write two hyphens for an empty location. */
const NO_CODES: readonly unknown[] = [undefined, "", "--"];

function joined(...codes: readonly (string | undefined)[]): string {
  return codes.filter((code) => !NO_CODES.includes(code)).join(".");
}
