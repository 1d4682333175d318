import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build, type Loader, type Metafile, stop } from "esbuild";
import { pageOf, type StartFiles } from "./page.ts";
import { placeFiles } from "./place-files.ts";
import { tileSets } from "./tile-files.ts";

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
