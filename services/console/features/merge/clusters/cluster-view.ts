import { boundsOf, type MapView, widthOf } from "../../../model/bounds.ts";
import type { Place } from "../../../model/great-circle.ts";
import type { Cluster } from "./clusters.ts";

/** A cluster is about so wide on the map, pixels; the world is 256 at zoom 0. */
const WIDE = 180;
const WORLD = 256;
/** Closer there is neither coast nor name around it. */
const CLOSEST = 11;

/** Where a map shows a cluster with its surroundings. */
export function viewOfCluster({ members }: Cluster): MapView | null {
  return viewOfPlaces(members);
}

/** Where a map shows places that lie together with their surroundings; null without any. */
export function viewOfPlaces(places: readonly Place[]): MapView | null {
  const box = boundsOf(
    Float32Array.from(places, ({ latitude }) => latitude),
    Float32Array.from(places, ({ longitude }) => longitude),
    null,
  );
  if (box === null) return null;
  const span = Math.max(widthOf(box), box.north - box.south);
  const zoom = Math.min(CLOSEST, Math.log2(((WIDE / WORLD) * 360) / span));
  const middle = box.west + widthOf(box) / 2;
  return {
    zoom,
    latitude: (box.south + box.north) / 2,
    longitude: middle > 180 ? middle - 360 : middle,
  };
}
