import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import {
  cornersOf,
  type PlaceLine,
  TILINGS,
  type Tiling,
  tileAt,
  tileName,
} from "../map/base/tiles.ts";

const FOLDER = new URL("../map/base/", import.meta.url);

type Content = string | Uint8Array;

/** Tiles of one kind: their files by their names below `/assets/`, and what pages reckon these from. */
type TileSet = {
  readonly kind: string;
  readonly known: {
    /** Of all contents: pages would otherwise have to know one of each tile. */
    readonly hash: string;
    readonly extension: string;
    /** Tiles that have no file, since nothing but sea is on them: they are fewer than the others. */
    readonly sea: readonly string[];
  };
  readonly files: readonly { readonly name: string; readonly content: Content }[];
};

/** The ground of the maps in tiles, with the places that are named at its zooms, and the relief in tiles. */
export async function tileSets(): Promise<readonly TileSet[]> {
  const places: readonly PlaceLine[] = await readJson("places.json");
  return [
    ...(await Promise.all(TILINGS.map((tiling) => groundSet(tiling, places)))),
    await reliefSet(),
  ];
}

async function groundSet(tiling: Tiling, places: readonly PlaceLine[]): Promise<TileSet> {
  const grounds: Readonly<Record<string, object>> = await readJson(`ground-${tiling.name}.json`);
  const named = Map.groupBy(
    places.filter(([, , , zoom]) => zoom < tiling.toZoom),
    ([, latitude, longitude]) => tileAt(tiling, latitude, longitude),
  );
  const tiles = Object.entries(grounds).map(
    ([tile, ground]) =>
      [tile, JSON.stringify({ ...ground, places: named.get(tile) ?? [] })] as const,
  );
  const all = [...cornersOf(tiling)].map(([west, south]) => tileName(west, south));
  const sea = all.filter((tile) => grounds[tile] === undefined);
  return tileSet({ kind: tiling.name, extension: "json", sea }, tiles);
}

async function reliefSet(): Promise<TileSet> {
  const folder = new URL("relief/", FOLDER);
  const files = (await readdir(folder)).sort();
  const tiles = await Promise.all(
    files.map(
      async (file) => [basename(file, ".webp"), await readFile(new URL(file, folder))] as const,
    ),
  );
  return tileSet({ kind: "relief", extension: "webp", sea: [] }, tiles);
}

function tileSet(
  { kind, extension, sea }: Pick<TileSet, "kind"> & Omit<TileSet["known"], "hash">,
  tiles: readonly (readonly [tile: string, content: Content])[],
): TileSet {
  const all = createHash("sha256");
  for (const [tile, content] of tiles) all.update(tile).update(content);
  const hash = all.digest("hex").slice(0, 8).toUpperCase();
  return {
    kind,
    known: { hash, extension, sea },
    files: tiles.map(([tile, content]) => ({
      name: `${kind}-${tile}-${hash}.${extension}`,
      content,
    })),
  };
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(new URL(file, FOLDER), "utf8"));
}
