import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { FINE, MIDDLE, type Tiling, tileAt } from "../map/base/tiles.ts";

const FOLDER = new URL("../map/base/", import.meta.url);
const CLOSE_PLACES = new URL("places-close.json", FOLDER);

type PlaceLine = readonly [name: string, latitude: number, longitude: number, zoom: number];

/** A file to be served, by its name below `/assets/`; `tile` is "fine/120e-45s". */
type TileFile = { readonly tile: string; readonly name: string; readonly content: string };

/** The closer ground in tiles; the closest have the places that are named on close maps alone. */
export async function tileFiles(): Promise<readonly TileFile[]> {
  const lines: readonly PlaceLine[] = JSON.parse(await readFile(CLOSE_PLACES, "utf8"));
  const places = Map.groupBy(lines, ([, latitude, longitude]) => tileAt(FINE, latitude, longitude));
  const [middle, fine] = [await filesOf(MIDDLE, new Map()), await filesOf(FINE, places)];
  return [...middle, ...fine];
}

async function filesOf(
  { folder }: Tiling,
  placesOf: ReadonlyMap<string, readonly PlaceLine[]>,
): Promise<readonly TileFile[]> {
  const url = new URL(`${folder}/`, FOLDER);
  return Promise.all(
    (await readdir(url)).map(async (file) => {
      const tile = basename(file, ".json");
      const ground = JSON.parse(await readFile(new URL(file, url), "utf8"));
      const content = JSON.stringify({ ...ground, places: placesOf.get(tile) ?? [] });
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
      return { tile: `${folder}/${tile}`, name: `ground-${folder}-${tile}-${hash}.json`, content };
    }),
  );
}
