import type { Bounds } from "../../model/bounds.ts";
import worldGround from "./ground-110m.json";
import fewPlaces from "./places.json";
import { type Place, type PlaceLine, placesOf } from "./places.ts";
import plateLines from "./plates.json";
import reliefPicture from "./relief.webp";
import { areasOf, linesOf, type Ring } from "./rings.ts";
import { FINE, MIDDLE, tilesIn } from "./tiles.ts";

/** A part of the world, or all of it, in one resolution. */
export type GroundPart = {
  readonly land: readonly Ring[];
  readonly lakes: readonly Ring[];
  readonly borders: readonly Ring[];
  readonly rivers: readonly Ring[];
  readonly places: readonly Place[];
};

/** As `build/make-ground.ts` writes it; tiles have the places of close maps too. */
type GroundFile = Readonly<Record<"land" | "lakes" | "borders" | "rivers", readonly string[]>> & {
  readonly step: number;
  readonly box: readonly [west: number, south: number, east: number, north: number];
  readonly places?: readonly PlaceLine[];
};

/** From these zooms on the ground in less detail looks cut out with scissors. */
const MIDDLE_FROM_ZOOM = 3;
const FINE_FROM_ZOOM = 5.5;
/** The relief is too coarse for closer maps. */
export const RELIEF_UP_TO_ZOOM = 6.5;

/** The whole world in least detail: it is there first. */
export const WORLD_GROUND: readonly string[] = [worldGround];

/** The files of the ground that a map shows. */
export function groundFiles(zoom: number, box: Bounds): readonly string[] {
  if (zoom < MIDDLE_FROM_ZOOM) return WORLD_GROUND;
  const tiling = zoom < FINE_FROM_ZOOM ? MIDDLE : FINE;
  return tilesIn(tiling, box).flatMap((tile) => GROUND_TILES[`${tiling.folder}/${tile}`] ?? []);
}

export function readGround(address: string): Promise<GroundPart> {
  return once(address, async (answer) => {
    const file: GroundFile = await answer.json();
    return {
      land: areasOf(file.land, file),
      lakes: areasOf(file.lakes, file),
      borders: linesOf(file.borders, file.step),
      rivers: linesOf(file.rivers, file.step),
      places: placesOf(file.places ?? []),
    };
  });
}

/** Large places, which are named on maps of any zoom. */
export function readPlaces(): Promise<readonly Place[]> {
  return once(fewPlaces, async (answer) => placesOf(await answer.json()));
}

/** The boundaries of tectonic plates. */
export function readPlates(): Promise<readonly Ring[]> {
  return once(plateLines, async (answer) => {
    const { step, lines }: { step: number; lines: readonly string[] } = await answer.json();
    return linesOf(lines, step);
  });
}

/** The relief of the world in Web Mercator, mid-grey where the ground is level. */
export function readRelief(): Promise<ImageBitmap> {
  return once(reliefPicture, async (answer) => createImageBitmap(await answer.blob()));
}

const files = new Map<string, Promise<unknown>>();

/** What was read from a file, the first time it is asked for. */
function once<T>(address: string, read: (answer: Response) => Promise<T>): Promise<T> {
  const known = (files.get(address) as Promise<T> | undefined) ?? fetched(address).then(read);
  files.set(address, known);
  // The next map tries it again.
  known.catch(() => files.delete(address));
  return known;
}

async function fetched(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} is not there`);
  return answer;
}
