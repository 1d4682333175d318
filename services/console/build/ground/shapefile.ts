import { readFile } from "node:fs/promises";

/** Longitude and latitude, degrees. */
export type Point = readonly [longitude: number, latitude: number];

const FILE_HEADER = 100;
const RECORD_HEADER = 8;
const POLYLINE = 3;
const POLYGON = 5;
/** From a record's beginning to its number of parts: kind and box. */
const PARTS = 36;

/** The parts of all lines and the rings of all areas of a shapefile (ESRI Shapefile Technical Description, 1998). */
export async function readShapes(path: string): Promise<readonly (readonly Point[])[]> {
  const bytes = await readFile(path);
  const lines: Point[][] = [];
  for (let at = FILE_HEADER; at < bytes.length; ) {
    const record = at + RECORD_HEADER;
    at = record + 2 * bytes.readInt32BE(at + 4);
    const kind = bytes.readInt32LE(record);
    if (kind !== POLYLINE && kind !== POLYGON) continue;
    const parts = bytes.readInt32LE(record + PARTS);
    const points = bytes.readInt32LE(record + PARTS + 4);
    const starts = Array.from({ length: parts }, (_, i) =>
      bytes.readInt32LE(record + PARTS + 8 + 4 * i),
    );
    const first = record + PARTS + 8 + 4 * parts;
    for (const [i, start] of starts.entries()) {
      const end = starts[i + 1] ?? points;
      lines.push(
        Array.from({ length: end - start }, (_, n) => {
          const point = first + 16 * (start + n);
          return [bytes.readDoubleLE(point), bytes.readDoubleLE(point + 8)] as const;
        }),
      );
    }
  }
  return lines;
}
