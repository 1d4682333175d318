import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import type { Chart, Mark } from "#contracts/plots/chart.ts";
import { linearOver, rangeOf } from "#contracts/plots/scale.ts";
import type { Magnitude } from "../../api/located-event.ts";
import { type ArrivalRow, byDistance, channelOf, firstById, stationOf } from "./arrival-rows.ts";

/** By a phase's first letter, which says how it left the source. */
const KINDS = [
  { name: "P phases", colour: 0, letter: /^p/i },
  { name: "S phases", colour: 1, letter: /^s/i },
  { name: "Other phases", colour: 2, letter: /^[^ps]/i },
] as const;

const TRAVEL_TIMES_HEIGHT = 200;

/** Travel times and residuals by distance; null where no arrival has a distance and one of both. */
export function travelTimes(rows: readonly ArrivalRow[]): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  const far = rangeOf(placed.map(({ distance }) => distance));
  const times = rangeOf(placed.map(({ travelTime }) => travelTime));
  const residuals = rangeOf(placed.map(({ residual }) => residual));
  if (far === null || (times === null && residuals === null)) return null;
  const x = { ...linearOver([0, far[1]], { fromZero: true }), label: "Epicentral distance, °" };
  const most = residuals === null ? 0 : Math.max(...residuals.map(Math.abs));
  const panels = [
    times && {
      height: TRAVEL_TIMES_HEIGHT,
      y: { ...linearOver(times), label: "Travel time, s" },
      marks: marksOf(placed, ({ travelTime }) => travelTime, true),
    },
    residuals && {
      height: TRAVEL_TIMES_HEIGHT,
      y: { ...linearOver([-most, most]), label: "Residual, s" },
      // The legend has the names once.
      marks: [lineAt(0, x), ...marksOf(placed, ({ residual }) => residual, times === null)],
    },
  ].filter((panel) => panel !== null);
  return { title: "Travel times and residuals", x, panels, notes: notesOn(placed) };
}

function marksOf(
  rows: readonly ArrivalRow[],
  measured: (row: ArrivalRow) => number | null,
  areNamed: boolean,
) {
  return KINDS.flatMap(({ name, colour, letter }) => {
    const values = rows
      .filter(({ phase }) => letter.test(phase))
      .map((row): Measured => ({ x: row.distance, y: measured(row), isUsed: row.isUsed }));
    return discsOf(values, colour, areNamed ? name : undefined);
  });
}

const MAGNITUDES_HEIGHT = 220;

/** Station magnitudes by distance, with the magnitude that they make; null where no distance is known. @param name of that magnitude */
export function stationMagnitudeChart(
  name: string,
  value: number,
  rows: readonly StationMagnitudeRow[],
): Chart | null {
  const placed = rows.filter(({ distance }) => distance !== null);
  const far = rangeOf(placed.map(({ distance }) => distance));
  if (far === null) return null;
  const x = { ...linearOver([0, far[1]], { fromZero: true }), label: "Epicentral distance, °" };
  const y = { ...linearOver([value, ...placed.map((row) => row.value)]), label: "Magnitude" };
  const points = placed.map((row) => ({ x: row.distance, y: row.value, isUsed: row.isUsed }));
  const marks = [{ ...lineAt(value, x), name }, ...discsOf(points, 0, "Stations")];
  const panels = [{ y, height: MAGNITUDES_HEIGHT, marks }];
  return { title: `${name} by station`, x, panels, notes: notesOn(placed) };
}

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

type Measured = {
  readonly x: number | null;
  readonly y: number | null;
  /** Whether the solution gave it weight. */
  readonly isUsed: boolean;
};

type Disc = Extract<Mark, { readonly kind: "discs" }>;

/** Pixels. */
const DIAMETER = 7;

/** Discs where both values are known: full ones for what was used, hollow ones for the rest. @param name undefined: not in the legend */
function discsOf(
  values: readonly Measured[],
  colour: Disc["colour"],
  name: string | undefined,
): readonly Disc[] {
  const discs = [true, false].flatMap((isUsed): Disc[] => {
    const points = values.flatMap(({ x, y, ...one }): [number, number][] =>
      one.isUsed !== isUsed || x === null || y === null ? [] : [[x, y]],
    );
    const diameters = points.map(() => DIAMETER);
    return points.length === 0
      ? []
      : [{ kind: "discs", colour, points, diameters, isHollow: !isUsed }];
  });
  return discs.map((disc, i) => (i === 0 && name !== undefined ? { ...disc, name } : disc));
}

/** What hollow discs mean, where there are any. */
function notesOn(values: readonly Pick<Measured, "isUsed">[]): readonly string[] {
  return values.every(({ isUsed }) => isUsed) ? [] : ["Hollow: given no weight"];
}

/** A line at one value across a panel. */
function lineAt(
  y: number,
  { from, to }: { readonly from: number; readonly to: number },
): Extract<Mark, { readonly kind: "line" }> {
  return {
    kind: "line",
    colour: "ink",
    isDashed: true,
    points: [
      [from, y],
      [to, y],
    ],
  };
}
