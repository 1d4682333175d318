import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { TILINGS, type Tiling, tileAt } from "../map/base/tiles.ts";

const FOLDER = new URL("../map/base/", import.meta.url);

type PlaceLine = readonly [name: string, latitude: number, longitude: number, zoom: number];

/** A file to be served, by its name below `/assets/`; `tile` is "fine/150e-45s", "relief/3-2". */
type TileFile = { readonly tile: string; readonly name: string; readonly content: Uint8Array };

/** The ground of the maps in tiles, with the places that are named at its zooms, and the relief in tiles. */
export async function tileFiles(): Promise<readonly TileFile[]> {
  const places: readonly PlaceLine[] = await readJson("places.json");
  const grounds = await Promise.all(TILINGS.map((tiling) => groundFiles(tiling, places)));
  return [...grounds.flat(), ...(await reliefFiles())];
}

async function groundFiles(
  tiling: Tiling,
  places: readonly PlaceLine[],
): Promise<readonly TileFile[]> {
  const grounds: Readonly<Record<string, object>> = await readJson(`ground-${tiling.name}.json`);
  const named = Map.groupBy(
    places.filter(([, , , zoom]) => zoom < tiling.toZoom),
    ([, latitude, longitude]) => tileAt(tiling, latitude, longitude),
  );
  return Object.entries(grounds).map(([tile, ground]) => {
    const text = JSON.stringify({ ...ground, places: named.get(tile) ?? [] });
    return tileFile(`${tiling.name}/${tile}`, "json", Buffer.from(text));
  });
}

async function reliefFiles(): Promise<readonly TileFile[]> {
  const folder = new URL("relief/", FOLDER);
  return Promise.all(
    (await readdir(folder)).map(async (file) => {
      const tile = `relief/${basename(file, ".webp")}`;
      return tileFile(tile, "webp", await readFile(new URL(file, folder)));
    }),
  );
}

/** Named by its content, as all files of the console. */
function tileFile(tile: string, extension: string, content: Uint8Array): TileFile {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
  return { tile, name: `${tile.replace("/", "-")}-${hash}.${extension}`, content };
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(new URL(file, FOLDER), "utf8"));
}
