import table from "./flinn-engdahl-1995.json" with { type: "json" };

/** Whole degrees of latitude, 0 to 90, and of longitude, 0 to 180, of a quadrant. */
const LATITUDES = 91;
const LONGITUDES = 181;
const NORTH_WEST = LATITUDES;
const SOUTH = 2 * LATITUDES;
const RUN_LENGTH = 4;

/** Numbers by quadrant, latitude and longitude; made at the first use, in about a millisecond. */
let numbers: Uint16Array | null = null;

/**
 * The name of the Flinn-Engdahl region of a place, in capitals as published: `GERMANY`.
 * @param latitude degrees, −90 to 90
 * @param longitude degrees, −180 to 180
 * @throws RangeError outside these bounds
 */
export function flinnEngdahlRegion(latitude: number, longitude: number): string {
  return table.names[flinnEngdahlNumber(latitude, longitude) - 1] ?? "";
}

/**
 * The number of the Flinn-Engdahl region of a place: 1 to 757 without 172, 299 and 550, which the revision
 * of 1995 gave up. Regions end at whole degrees. A place on such a line belongs to the region away from the
 * equator and the prime meridian; on the equator to the north, on the prime meridian to the east, and −180°
 * is 180°.
 * @throws RangeError outside ±90 and ±180 degrees
 */
export function flinnEngdahlNumber(latitude: number, longitude: number): number {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    throw new RangeError(`${latitude}, ${longitude} is no place on the Earth`);
  }
  numbers ??= tableOfNumbers();
  const isEast = longitude >= 0 || longitude === -180;
  const parallel =
    (latitude >= 0 ? 0 : SOUTH) + (isEast ? 0 : NORTH_WEST) + Math.floor(Math.abs(latitude));
  return numbers[parallel * LONGITUDES + Math.floor(Math.abs(longitude))] ?? 0;
}

function tableOfNumbers(): Uint16Array {
  const numbers = new Uint16Array(table.parallels.length * LONGITUDES);
  for (const [parallel, runs] of table.parallels.entries()) {
    for (let at = 0; at < runs.length; at += RUN_LENGTH) {
      const from = parallel * LONGITUDES + Number.parseInt(runs.slice(at, at + 2), 36);
      const region = Number.parseInt(runs.slice(at + 2, at + RUN_LENGTH), 36);
      numbers.fill(region, from, (parallel + 1) * LONGITUDES);
    }
  }
  return numbers;
}
