import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import type { Origin } from "../../api/located-event.ts";
import { turned } from "../../model/bounds.ts";
import { secondsBetween } from "./solution-lines.ts";

/** An arrival with its pick; what is not known is null. */
export type ArrivalRow = ReturnType<typeof rowOf>;

/** The arrivals of an origin with their picks, the nearest first; without a distance in the bulletin's order, last. */
export function arrivalRows(origin: Origin, { pick: picks = [] }: Bulletin): readonly ArrivalRow[] {
  const byId = firstById(picks);
  const rows = (origin.arrival ?? []).map((arrival) =>
    rowOf(origin, arrival, byId.get(arrival.pickID)),
  );
  return rows.toSorted(byDistance);
}

type Arrival = NonNullable<Origin["arrival"]>[number];
type Picked = NonNullable<Bulletin["pick"]>[number];

function rowOf({ time }: Origin, arrival: Arrival, pick: Picked | undefined) {
  return {
    station: stationOf(pick?.waveformID),
    channel: channelOf(pick?.waveformID),
    phase: arrival.phase,
    /** The pick's, ISO 8601 in UTC. */
    time: pick === undefined ? null : parseTime(pick.time.value),
    /** Seconds from the origin to the pick. */
    travelTime: pick === undefined ? null : secondsBetween(time.value, pick.time.value),
    /** Seconds. */
    residual: arrival.timeResidual ?? null,
    /** Degrees. */
    distance: arrival.distance ?? null,
    /** Degrees from north over east, at the epicentre. */
    azimuth: arrival.azimuth ?? null,
    weight: arrival.timeWeight ?? null,
    onset: pick?.onset ?? null,
    polarity: pick?.polarity ?? null,
    mode: pick?.evaluationMode ?? null,
    /** Whether the location gave it weight. */
    isUsed: arrival.timeWeight === undefined || arrival.timeWeight > 0,
  };
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

/** A station as the epicentre sees it. */
export type Station = {
  readonly station: string;
  /** Degrees from north over east. */
  readonly azimuth: number;
  /** Degrees. */
  readonly distance: number;
  /** The phases that were picked there, in their order. */
  readonly phases: readonly string[];
  /** Of the first of them, seconds; null where it is not known. */
  readonly residual: number | null;
  /** Whether the location used any of them. */
  readonly isUsed: boolean;
};

/** The stations of arrivals that say where they lie, the nearest first. @param rows in the order of distance */
export function stationsOf(rows: readonly ArrivalRow[]): readonly Station[] {
  const stations = new Map<string, Station>();
  for (const { station, azimuth, distance, phase, residual, isUsed } of rows) {
    if (azimuth === null || distance === null) continue;
    const known = stations.get(station);
    stations.set(
      station,
      known
        ? { ...known, phases: [...known.phases, phase], isUsed: known.isUsed || isUsed }
        : { station, azimuth, distance, phases: [phase], residual, isUsed },
    );
  }
  return [...stations.values()];
}

/** The widest sector without a station: from an azimuth clockwise to another, degrees. */
export type Gap = { readonly from: number; readonly to: number; readonly width: number };

/**
 * The azimuthal gap, and the secondary one: the widest sector with one station alone. Null for fewer
 * than two, or three, stations at different azimuths.
 */
export function gapsOf(azimuths: readonly number[]): {
  readonly primary: Gap | null;
  readonly secondary: Gap | null;
} {
  const around = [...new Set(azimuths.map(turned))].toSorted((a, b) => a - b);
  return { primary: widest(around, 1), secondary: widest(around, 2) };
}

/** The widest sector between azimuths that are `step` places apart. */
function widest(around: readonly number[], step: number): Gap | null {
  if (around.length <= step) return null;
  const gaps = around.map((from, i): Gap => {
    const to = around[(i + step) % around.length] ?? 0;
    return { from, to, width: turned(to - from) };
  });
  return gaps.reduce((best, gap) => (gap.width > best.width ? gap : best));
}

/** How many azimuths lie in each of so many sectors of equal width, from north over east. */
export function roseOf(azimuths: readonly number[], sectors: number): readonly number[] {
  const counts = new Array<number>(sectors).fill(0);
  for (const azimuth of azimuths) {
    const at = Math.floor((turned(azimuth) * sectors) / 360) % sectors;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
