import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { type Axis, type Chart, type Mark, panelOf } from "#contracts/plots/chart.ts";
import { linearOver } from "#contracts/plots/scale.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import type { Magnitude, Origin } from "../../api/located-event.ts";
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
function firstById<T extends { readonly publicID: string }>(
  objects: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(objects.toReversed().map((one) => [one.publicID, one]));
}

type Waveform = QuakemlObject<"WaveformStreamID">;

/** "NZ.WEL"; empty without a waveform. */
function stationOf(waveform: Waveform | undefined): string {
  return waveform === undefined ? "" : joined(waveform.networkCode, waveform.stationCode);
}

/** "10.HHZ"; empty where neither is known. */
function channelOf(waveform: Waveform | undefined): string {
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

/** By a phase's first letter, which says how it left the source. */
const KINDS = [
  { name: "P phases", colour: 0, letter: /^p/i },
  { name: "S phases", colour: 1, letter: /^s/i },
  { name: "Other phases", colour: 2, letter: /^[^ps]/i },
] as const;

/** Travel times and residuals by distance; null where no arrival has a distance and one of both. */
export function travelTimes(rows: readonly ArrivalRow[]): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  const times = marksOf(placed, ({ travelTime }) => travelTime, true);
  // The legend has the names once.
  const residuals = marksOf(placed, ({ residual }) => residual, times.length === 0);
  if (times.length + residuals.length === 0) return null;
  const x = distanceAxis(placed);
  const most = Math.max(...placed.map(({ residual }) => Math.abs(residual ?? 0)));
  const y = { ...linearOver([-most, most]), label: "Residual, s" };
  const ofResiduals = { y, height: 200, marks: [lineAt(0, x), ...residuals] };
  return {
    title: "Travel times and residuals",
    x,
    panels: [
      ...(times.length > 0 ? [panelOf("Travel time, s", 200, ...times)] : []),
      ...(residuals.length > 0 ? [ofResiduals] : []),
    ],
    notes: notesOn(placed),
  };
}

type Placed = { readonly distance: number | null; readonly isUsed: boolean };

function distanceAxis(rows: readonly Placed[]): Axis {
  const scale = linearOver([0, ...rows.map(({ distance }) => distance)], { fromZero: true });
  return { ...scale, label: "Epicentral distance, °" };
}

function marksOf(
  rows: readonly ArrivalRow[],
  measured: (row: ArrivalRow) => number | null,
  areNamed: boolean,
) {
  return KINDS.flatMap(({ name, colour, letter }) => {
    const ofKind = rows.filter(({ phase }) => letter.test(phase));
    return discsOf(ofKind, measured, colour, areNamed ? name : undefined);
  });
}

/** Station magnitudes by distance, with the magnitude that they make; null where no distance is known. @param name of that magnitude */
export function stationMagnitudeChart(
  name: string,
  value: number,
  rows: readonly StationMagnitudeRow[],
): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  if (placed.length === 0) return null;
  const x = distanceAxis(placed);
  const discs = discsOf(placed, (row) => row.value, 0, "Stations");
  const panels = [panelOf("Magnitude", 220, { ...lineAt(value, x), name }, ...discs)];
  return { title: `${name} by station`, x, panels, notes: notesOn(placed) };
}

/** What a station gave to a magnitude; what is not known is null. */
export type StationMagnitudeRow = ReturnType<typeof stationMagnitudeRows>[number];

type StationMagnitude = QuakemlObject<"StationMagnitude">;

/**
 * The station magnitudes that contributed to a magnitude, the nearest first. Where it lists no
 * contributions, those of its origin and type.
 */
export function stationMagnitudeRows(bulletin: Bulletin, magnitude: Magnitude) {
  const { stationMagnitude: all = [] } = bulletin;
  const amplitudes = firstById(bulletin.amplitude ?? []);
  const distances = distancesFrom(bulletin, magnitude.originID);
  const rowOf = (one: StationMagnitude, residual?: number, weight?: number) => {
    const waveform = one.waveformID ?? amplitudes.get(one.amplitudeID ?? "")?.waveformID;
    const station = stationOf(waveform);
    return {
      /** Its own or its amplitude's. */
      station,
      channel: channelOf(waveform),
      value: one.mag.value,
      /** Its difference from the magnitude. */
      residual: residual ?? one.mag.value - magnitude.mag.value,
      weight: weight ?? null,
      /** Degrees, where an arrival says it. */
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

type Disc = Extract<Mark, { readonly kind: "discs" }>;

/** Pixels. */
const DIAMETER = 7;

/** Discs where a value is known: full ones for what was used, hollow ones for the rest. @param name undefined: not in the legend */
function discsOf<R extends Placed>(
  rows: readonly R[],
  measured: (row: R) => number | null,
  colour: Disc["colour"],
  name: string | undefined,
): readonly Disc[] {
  const discs = [true, false].flatMap((isUsed): Disc[] => {
    const points = rows.flatMap((row): [number, number][] => {
      const [x, y] = [row.distance, measured(row)];
      return row.isUsed !== isUsed || x === null || y === null ? [] : [[x, y]];
    });
    const diameters = points.map(() => DIAMETER);
    return points.length === 0
      ? []
      : [{ kind: "discs", colour, points, diameters, isHollow: !isUsed }];
  });
  return discs.map((disc, i) => (i === 0 && name !== undefined ? { ...disc, name } : disc));
}

/** What hollow discs mean, where there are any. */
function notesOn(rows: readonly Placed[]): readonly string[] {
  return rows.every(({ isUsed }) => isUsed) ? [] : ["Hollow: given no weight"];
}

/** A line at one value across a panel. */
function lineAt(y: number, { from, to }: Axis): Mark & { readonly kind: "line" } {
  const points = [[from, y] as const, [to, y] as const];
  return { kind: "line", colour: "ink", isDashed: true, points };
}
