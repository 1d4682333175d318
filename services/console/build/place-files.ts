import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type NamedPlace, placeAreas } from "../model/places.ts";

const PLACES = new URL("../map/base/places.json", import.meta.url);
/** Of a file: some 5 KB compressed. */
const MOST_PLACES = 350;

type Line = readonly [...place: NamedPlace, zoom: number];

/** A file to be served, by its name below `/assets/`. */
type PlaceFile = { readonly name: string; readonly content: string };

/**
 * The places of the maps in files by area, without the zooms at which they are named, and a list of the
 * files with their boxes (`ui/text/where.tsx`): pages fetch those that are near their events.
 */
export async function placeFiles(): Promise<{
  readonly list: PlaceFile;
  readonly areas: readonly PlaceFile[];
}> {
  const lines: readonly Line[] = JSON.parse(await readFile(PLACES, "utf8"));
  const areas = placeAreas(
    lines.map(([name, latitude, longitude]): NamedPlace => [name, latitude, longitude]),
    MOST_PLACES,
  ).map(({ box, places }) => ({ box, file: fileOf("places-near", places) }));
  const list = areas.map(({ box, file }) => ({ box, address: `/assets/${file.name}` }));
  return { list: fileOf("places-by-area", list), areas: areas.map(({ file }) => file) };
}

/** Named by its content, as all files of the console. */
function fileOf(name: string, value: unknown): PlaceFile {
  const content = JSON.stringify(value);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
  return { name: `${name}-${hash}.json`, content };
}
