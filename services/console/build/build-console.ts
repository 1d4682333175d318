import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build, type Loader, type Metafile, stop } from "esbuild";
import {
  cornersOf,
  type PlaceLine,
  TILINGS,
  type Tiling,
  tileAt,
  tileName,
} from "../map/base/tiles.ts";
import { pageOf, type StartFiles } from "./page.ts";
import { placeFiles } from "./place-files.ts";

/** A file of the console. `gzipped` is its content. */
export type ConsoleFile = { readonly contentType: string; readonly gzipped: Buffer };

/** The console, ready to be sent: its page, and the files by their names below `/assets/`. */
export type BuiltConsole = {
  readonly page: string;
  readonly pageTag: string;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
};

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..");
const ENTRY = "main.tsx";
/** esbuild names its outputs by this folder, in which nothing is written. */
const OUT = join(FOLDER, "assets");

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  png: "image/png",
  woff2: "font/woff2",
  webp: "image/webp",
};

/** Data, pictures and letters are files of their own, which pages load when they need them. */
const LOADERS: Readonly<Record<string, Loader>> = {
  ".json": "file",
  ".png": "file",
  ".woff2": "file",
};

const built = new Map<boolean, Promise<BuiltConsole>>();

/**
 * Bundles the console, in a process of its own; a second call gets the result of the first.
 * @param isDevelopment whether pages for those who build it are there
 */
export function buildConsole(isDevelopment: boolean): Promise<BuiltConsole> {
  const found = built.get(isDevelopment) ?? bundle(isDevelopment);
  built.set(isDevelopment, found);
  return found;
}

async function bundle(isDevelopment: boolean): Promise<BuiltConsole> {
  try {
    const places = await placeFiles();
    const sets = await tileSets();
    const knownTiles = sets.map(({ kind, known }) => [kind, known]);
    const { outputFiles, metafile } = await build({
      absWorkingDir: FOLDER,
      entryPoints: [ENTRY],
      outdir: OUT,
      publicPath: "/assets",
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      assetNames: "[name]-[hash]",
      bundle: true,
      splitting: true,
      minify: true,
      metafile: true,
      write: false,
      format: "esm",
      target: "es2023",
      jsx: "automatic",
      jsxImportSource: "preact",
      loader: LOADERS,
      define: {
        PLACES_ADDRESS: JSON.stringify(`/assets/${places.list.name}`),
        GROUND_TILES: JSON.stringify(Object.fromEntries(knownTiles)),
        DEVELOPMENT: String(isDevelopment),
      },
      logLevel: "silent",
    });
    const files = [
      ...outputFiles.map(({ path, contents }) => fileOf(basename(path), contents)),
      ...[places.list, ...places.areas, ...sets.flatMap(({ files }) => files)].map(
        ({ name, content }) => fileOf(name, content),
      ),
    ];
    const page = pageOf(startFiles(metafile));
    const pageTag = `"${createHash("sha256").update(page).digest("base64url").slice(0, 22)}"`;
    return { page, pageTag, assets: new Map(await Promise.all(files)) };
  } finally {
    await stop();
  }
}

async function fileOf(name: string, content: Uint8Array | string) {
  const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  const gzipped = await promisify(gzip)(content, { level: 9 });
  return [name, { contentType, gzipped }] as const;
}

/** The names of the files that the page starts with. */
function startFiles({ outputs }: Metafile): StartFiles {
  const face = basename(Object.keys(outputs).find((path) => path.endsWith(".woff2")) ?? "");
  for (const [path, { entryPoint, cssBundle }] of Object.entries(outputs)) {
    if (entryPoint !== ENTRY || cssBundle === undefined) continue;
    return { script: basename(path), style: basename(cssBundle), face };
  }
  throw new Error(`no output of ${ENTRY}`);
}

const GROUND = new URL("../map/base/", import.meta.url);

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
  const folder = new URL("relief/", GROUND);
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
  return JSON.parse(await readFile(new URL(file, GROUND), "utf8"));
}
