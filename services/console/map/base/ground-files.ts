import fineLand from "world-atlas/land-10m.json";
import coarseLand from "world-atlas/land-50m.json";
import lakes from "./lakes.json";
import fewPlaces from "./places.json";
import { type Place, placesOf } from "./places.ts";
import closePlaces from "./places-close.json";
import { type Ring, ringsOf } from "./rings.ts";

/** What lies under the events: land without its lakes, and places by the zoom at which they are named. */
export type Ground = {
  readonly land: readonly Ring[];
  readonly lakes: readonly Ring[];
  readonly places: readonly Place[];
};

/** From this zoom on the coarser land (1 : 50 million) looks cut out with scissors. */
export const FINE_FROM_ZOOM = 6;

/** The files of the ground, in the order in which a reader of the map misses them; each is fetched once. */
export function groundFiles(isFine: boolean): readonly (() => Promise<Partial<Ground>>)[] {
  const placeFiles = isFine ? [fewPlaces, closePlaces] : [fewPlaces];
  return [
    async () => ({ land: await once(isFine ? fineLand : coarseLand, ringsOf) }),
    async () => ({ lakes: await once(lakes, ringsOf) }),
    async () => {
      const places = await Promise.all(placeFiles.map((file) => once(file, placesOf)));
      return { places: places.flat() };
    },
  ];
}

const files = new Map<string, Promise<unknown>>();

/** What was read from a file, the first time it is asked for. */
function once<T, Content>(file: string, read: (content: Content) => T): Promise<T> {
  const known = (files.get(file) as Promise<T> | undefined) ?? fetched<Content>(file).then(read);
  files.set(file, known);
  // The next map tries it again.
  known.catch(() => files.delete(file));
  return known;
}

async function fetched<Content>(file: string): Promise<Content> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file} is not there`);
  return answer.json();
}
