import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { Random } from "../../../fuzz/random.ts";

/** Degrees, kilometres, magnitudes and milliseconds that every format of the agency can carry. */
const DEGREES = 1_000;
const TENTHS = 10;

/** A first solution: automatic, around New Zealand, across the antimeridian too. */
export function bornEvent(id: string, originMs: number, random: Random): JsonObject {
  return {
    source_id: id,
    time: new Date(originMs).toISOString(),
    latitude: rounded(-47 + random.below(12 * DEGREES) / DEGREES, DEGREES),
    longitude: wrapped(166 + random.below(20 * DEGREES) / DEGREES),
    depth: random.below(300 * TENTHS) / TENTHS,
    magnitude: magnitudeOf(random),
    magnitude_type: "ML",
    event_type: random.chance(0.97) ? "earthquake" : "quarry blast",
    region: `${random.below(80)} km north of Wellington`,
    evaluation_mode: "automatic",
    used_station_count: 4 + random.below(40),
  };
}

/** A further solution: the place moves by kilometres, the time by seconds. */
export function relocated(row: JsonObject, random: Random): JsonObject {
  const movedMs = random.below(20_000) - 10_000;
  return {
    ...row,
    time: new Date(Date.parse(String(row["time"])) + movedMs).toISOString(),
    latitude: rounded(Number(row["latitude"]) + (random.below(200) - 100) / DEGREES, DEGREES),
    longitude: wrapped(Number(row["longitude"]) + (random.below(200) - 100) / DEGREES),
    depth: random.below(300 * TENTHS) / TENTHS,
    evaluation_mode: "manual",
    used_station_count: 10 + random.below(60),
  };
}

/** Another magnitude, which may lie on the other side of a filter. */
export function rerated(row: JsonObject, random: Random): JsonObject {
  const magnitude = rounded(Number(row["magnitude"] ?? 2) + (random.below(13) - 6) / 10, TENTHS);
  return { ...row, magnitude, evaluation_mode: "manual" };
}

/** After Gutenberg and Richter, from 1.5 on; one of fifty is unknown. */
function magnitudeOf(random: Random): number | null {
  if (random.chance(0.02)) return null;
  return rounded(1.5 - Math.log10(1 - random.below(9_999) / 10_000), TENTHS);
}

function wrapped(longitude: number): number {
  const degrees =
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
  return rounded(degrees, DEGREES);
}

function rounded(value: number, perUnit: number): number {
  return Math.round(value * perUnit) / perUnit;
}
