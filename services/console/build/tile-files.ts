import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { tileAt } from "../map/base/tiles.ts";

const FOLDER = new URL("../map/base/", import.meta.url);
const FINE = new URL("fine/", FOLDER);
const CLOSE_PLACES = new URL("places-close.json", FOLDER);

type PlaceLine = readonly [name: string, latitude: number, longitude: number, zoom: number];

/** A file to be served, by its name below `/assets/`. */
type TileFile = { readonly tile: string; readonly name: string; readonly content: string };

/** The closest ground in tiles, each with the places that are named on close maps alone. */
export async function tileFiles(): Promise<readonly TileFile[]> {
  const lines: readonly PlaceLine[] = JSON.parse(await readFile(CLOSE_PLACES, "utf8"));
  const placesOf = Map.groupBy(lines, ([, latitude, longitude]) => tileAt(latitude, longitude));
  const names = await readdir(FINE);
  return Promise.all(
    names.map(async (file) => {
      const tile = basename(file, ".json");
      const ground = JSON.parse(await readFile(new URL(file, FINE), "utf8"));
      const content = JSON.stringify({ ...ground, places: placesOf.get(tile) ?? [] });
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
      return { tile, name: `ground-${tile}-${hash}.json`, content };
    }),
  );
}
