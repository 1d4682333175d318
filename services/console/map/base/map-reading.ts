import L from "leaflet";
import { type Bounds, widthOf } from "../../model/bounds.ts";
import type { MapView } from "../../model/map-view.ts";

export function viewOf(map: L.Map): MapView {
  const { lat, lng } = map.getCenter();
  return {
    zoom: Number(map.getZoom().toFixed(3)),
    latitude: rounded(lat),
    longitude: rounded(wrapped(lng)),
  };
}

/** What the map shows; all longitudes where it is wider than the world. */
export function boundsIn(map: L.Map): Bounds {
  const box = map.getBounds();
  const [south, north] = [Math.max(-90, box.getSouth()), Math.min(90, box.getNorth())];
  if (box.getEast() - box.getWest() >= 360) return { south, north, west: -180, east: 180 };
  return { south, north, west: wrapped(box.getWest()), east: wrapped(box.getEast()) };
}

/** South-west and north-east; the east lies beyond 180° where a box crosses the date line. */
export function cornersOf(bounds: Bounds): [number, number][] {
  const { south, north, west } = bounds;
  return [
    [south, west],
    [north, west + widthOf(bounds)],
  ];
}

function wrapped(longitude: number): number {
  return L.Util.wrapNum(longitude, [-180, 180], true);
}

/** About ten metres, which is enough for addresses. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(4));
}

/** A place of the map, its longitude from −180 to 180. */
export function wrappedPlace({ lat, lng }: L.LatLng): {
  readonly latitude: number;
  readonly longitude: number;
} {
  return { latitude: lat, longitude: wrapped(lng) };
}

/** Whether something happened on a button of the map, and not on the map itself. */
export function isControl({ target }: Event): boolean {
  return target instanceof Element && target.closest(".leaflet-control") !== null;
}
