import type { ArrivalRow } from "./arrival-rows.ts";

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

/** 0 ≤ degrees < 360. */
function turned(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}
