import type { Bounds } from "../../model/bounds.ts";
import plateLines from "./plates.json";
import { areasOf, linesOf, type Ring } from "./rings.ts";
import {
  FINE,
  type Place,
  type PlaceLine,
  placesOf,
  type ReliefTile,
  TILINGS,
  tilesIn,
} from "./tiles.ts";

/** A part of the world, or all of it, in one resolution. */
export type GroundPart = {
  readonly land: readonly Ring[];
  readonly lakes: readonly Ring[];
  readonly borders: readonly Ring[];
  readonly rivers: readonly Ring[];
  readonly places: readonly Place[];
};

/** A part of the relief, mid-grey where the ground is level. */
export type ReliefPart = ReliefTile & { readonly picture: ImageBitmap };

/** As `test/makers/ground.ts` writes it, with the places that are named on it (`build/place-files.ts`). */
type GroundFile = Readonly<Record<"land" | "lakes" | "borders" | "rivers", readonly string[]>> & {
  readonly step: number;
  readonly box: readonly [west: number, south: number, east: number, north: number];
  readonly places: readonly PlaceLine[];
};

/** The files of the ground that a map shows. */
export function groundFiles(zoom: number, box: Bounds): readonly string[] {
  const tiling = TILINGS.find(({ toZoom }) => zoom < toZoom) ?? FINE;
  return tilesIn(tiling, box).flatMap((tile) => tileAddress(tiling.name, tile) ?? []);
}

/** Null where there is nothing but sea. */
function tileAddress(kind: string, tile: string): string | null {
  const known = GROUND_TILES[kind];
  if (!known || known.sea.includes(tile)) return null;
  return `/assets/${kind}-${tile}-${known.hash}.${known.extension}`;
}

export function readGround(address: string): Promise<GroundPart> {
  return once(address, async (answer) => {
    const file: GroundFile = await answer.json();
    return {
      land: areasOf(file.land, file),
      lakes: areasOf(file.lakes, file),
      borders: linesOf(file.borders, file.step),
      rivers: linesOf(file.rivers, file.step),
      places: placesOf(file.places),
    };
  });
}

export function readPlates(): Promise<readonly Ring[]> {
  return once(plateLines, async (answer) => {
    const { step, lines }: { step: number; lines: readonly string[] } = await answer.json();
    return linesOf(lines, step);
  });
}

/** A part of the relief in Web Mercator. */
export async function readRelief(tile: ReliefTile): Promise<ReliefPart> {
  const address = tileAddress("relief", tile.name) ?? "";
  const picture = await once(address, async (answer) => createImageBitmap(await answer.blob()));
  return { ...tile, picture };
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
