import { xOf, yOf } from "../../drawing/mercator.ts";

/** A place with its name, in units of the world's width (mercator.ts). */
export type Place = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** The zoom from which on its name has room beside those of larger places. */
  readonly zoom: number;
};

export type PlaceLine = readonly [name: string, latitude: number, longitude: number, zoom: number];

/** The places of a file that `test/makers/places.ts` has made. */
export function placesOf(lines: readonly PlaceLine[]): readonly Place[] {
  return lines.map(([name, latitude, longitude, zoom]) => ({
    name,
    x: xOf(longitude),
    y: yOf(latitude),
    zoom,
  }));
}
