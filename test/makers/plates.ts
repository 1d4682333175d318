/**
 * Makes the plate boundaries of the console's maps from the outlines of the 56 plates of NNR-MORVEL56
 * (Argus, Gordon and DeMets, 2011; most of them Bird's of 2003), a file for each plate with a latitude and
 * a longitude a line, as the package `platemotion` (MIT) has them in its folder NnrMRVL_PltBndsLatLon:
 *
 *     node test/makers/plates.ts <folder>
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeLine, type Step } from "./encode-line.ts";
import { simplified } from "./outlines.ts";

const FILE = new URL("../../services/console/map/base/plates.json", import.meta.url);
/** The file of all plates at once, which has nothing else. */
const ALL = "All_boundaries";
/** Degrees. */
const STEP = 0.05;

/** An outline's points on the grid. */
function outlineOf(text: string): readonly Step[] {
  return text.split("\n").flatMap((line) => {
    const [latitude = Number.NaN, longitude = Number.NaN] = line.trim().split(/\s+/).map(Number);
    if (Number.isNaN(latitude) || Number.isNaN(longitude)) return [];
    return [[Math.round(longitude / STEP), Math.round(latitude / STEP)] as const];
  });
}

const TURN = 360 / STEP;
const keyOf = ([x, y]: Step) => `${((x % TURN) + TURN) % TURN} ${y}`;

/** Each point on that turn of the world that is nearest to the one before. */
function unbroken(points: readonly Step[]): readonly Step[] {
  let before = points[0]?.[0] ?? 0;
  return points.map(([x, y]) => {
    before = x + TURN * Math.round((before - x) / TURN);
    return [before, y] as const;
  });
}

/** The pieces of all outlines, without those that an earlier plate has already had. */
function piecesOf(outlines: readonly (readonly Step[])[]): readonly (readonly Step[])[] {
  const known = new Set<string>();
  const pieces: Step[][] = [];
  for (const outline of outlines) {
    let piece: Step[] = [];
    for (const [i, point] of outline.entries()) {
      const before = outline[i - 1];
      if (!before || keyOf(before) === keyOf(point)) continue;
      const edge = [keyOf(before), keyOf(point)].sort().join(" ");
      if (known.has(edge)) {
        if (piece.length > 0) pieces.push(piece);
        piece = [];
        continue;
      }
      known.add(edge);
      piece = piece.length > 0 ? [...piece, point] : [before, point];
    }
    if (piece.length > 0) pieces.push(piece);
  }
  return pieces;
}

const [folder = ""] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => name !== ALL).sort();
const outlines = await Promise.all(
  names.map(async (name) => outlineOf(await readFile(join(folder, name), "utf8"))),
);
const lines = piecesOf(outlines.map(unbroken)).map((piece) =>
  encodeLine(simplified(unbroken(piece), 1)),
);
await writeFile(FILE, `${JSON.stringify({ step: STEP, lines })}\n`);
process.stdout.write(`plates: ${lines.length} lines\n`);
