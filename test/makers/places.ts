/**
 * Makes the places of the console's maps from a file of GeoNames' cities, its table `cities15000.txt`:
 *
 *     node test/makers/places.ts < cities15000.txt
 *
 * A place is shown from the zoom on at which it has room beside every larger one; so what a map shows
 * hangs on its zoom alone, and stays while it is moved.
 */
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { TILE_SIZE, xOf, yOf } from "#services/console/drawing/mercator.ts";

const FILE = new URL("../../services/console/map/base/places.json", import.meta.url);
/** Part of a city, of a name that is its own (GeoNames' feature codes). */
const SECTION = "PPLX";
const LEAST_INHABITANTS = 15_000;
/** Room of a name, pixels: for each letter, beside it, and from one line to the next. */
const LETTER = 7;
const BESIDE = 64;
const LINE = 44;
const MAX_ZOOM = 12;

type City = {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly x: number;
  readonly y: number;
  readonly inhabitants: number;
};

async function citiesOf(input: NodeJS.ReadableStream): Promise<readonly City[]> {
  const cities: City[] = [];
  for await (const line of createInterface({ input })) {
    const fields = line.split("\t");
    const [latitude, longitude] = [Number(fields[4]), Number(fields[5])];
    const inhabitants = Number(fields[14]);
    if (fields[7] === SECTION || !(inhabitants >= LEAST_INHABITANTS)) continue;
    const name = fields[1] ?? "";
    cities.push({ name, latitude, longitude, x: xOf(longitude), y: yOf(latitude), inhabitants });
  }
  return cities.sort((a, b) => b.inhabitants - a.inhabitants || (a.name < b.name ? -1 : 1));
}

/** The zoom at which a city's name no longer meets that of another. */
function zoomBeside(city: City, other: City): number {
  const dx = Math.abs(city.x - other.x);
  const letters = Math.max(city.name.length, other.name.length);
  const wide = (letters * LETTER + BESIDE) / Math.min(dx, 1 - dx);
  const high = LINE / Math.abs(city.y - other.y);
  return Math.log2(Math.min(wide, high) / TILE_SIZE);
}

const cities = await citiesOf(process.stdin);
const places = cities.map((city, i) => {
  let zoom = 0;
  for (let j = 0; j < i && zoom <= MAX_ZOOM; j++) {
    zoom = Math.max(zoom, zoomBeside(city, cities[j] ?? city));
  }
  const { name, latitude, longitude } = city;
  return [name, round(latitude), round(longitude), Math.ceil(zoom * 10) / 10] as const;
});
const shown = places.filter(([, , , zoom]) => zoom <= MAX_ZOOM);
const lines = shown.map((place) => JSON.stringify(place));
await writeFile(FILE, `[\n${lines.join(",\n")}\n]\n`);
process.stdout.write(`${lines.length} places\n`);

/** Hundredths of a degree, about a kilometre. */
function round(degrees: number): number {
  return Number(degrees.toFixed(2));
}
