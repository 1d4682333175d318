import type { Signal } from "@preact/signals";
import L from "leaflet";
import { useEffect, useRef } from "preact/hooks";
import { TILE_SIZE } from "../drawing/mercator.ts";
import { type Bounds, nearestTurn, unitedBoundsOf, widthOf } from "../model/bounds.ts";
import { baseMap, cornersOf, viewFilledBy } from "./base/base-map.ts";

export type NamedBox = { readonly id: string; readonly bounds: Bounds };

type BoxesMapProps = {
  readonly boxes: readonly NamedBox[];
  /** The id of the box that is pointed at, here or in the list. */
  readonly marked: Signal<string | null>;
  readonly onChosen: (id: string) => void;
};

/** A small map of boxes, which cannot be moved. */
const STILL = {
  center: [20, 0],
  zoom: 1,
  zoomSnap: 0,
  minZoom: 0,
  dragging: false,
  scrollWheelZoom: false,
  doubleClickZoom: false,
  boxZoom: false,
  touchZoom: false,
  keyboard: false,
} satisfies L.MapOptions;

/**
 * Where the members of a list lie: pointing at a box marks its row, and a row its box. The list itself
 * tells it in words, and leads to them without a mouse.
 */
export function BoxesMap({ boxes, marked, onChosen }: BoxesMapProps) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | null>(null);
  const drawn = useRef<ReadonlyMap<string, L.Path>>(new Map());
  useEffect(() => {
    if (!element.current) return;
    map.current = baseMap(element.current, STILL, false).map;
    return () => map.current?.remove();
  }, []);
  useEffect(() => {
    for (const box of drawn.current.values()) box.remove();
    if (map.current) drawn.current = drawBoxes(map.current, boxes);
    for (const [id, box] of drawn.current) {
      box.on("mouseover", () => (marked.value = id));
      box.on("mouseout", () => (marked.value = null));
      box.on("click", () => onChosen(id));
    }
  }, [boxes]);
  const id = marked.value;
  useEffect(() => {
    for (const [name, box] of drawn.current) {
      box.getElement()?.classList.toggle("marked", name === id);
    }
  }, [id, boxes]);
  return <div ref={element} class="map catalogues-map" aria-hidden="true" />;
}

/** A box that is smaller than this on the map is shown as a disc, pixels of the screen. */
const LEAST_SIDE = 14;
/** Boxes of about all longitudes, in degrees, say nothing of where to look, and are left out. */
const WHOLE_WORLD = 350;
/** Around the boxes, as a share of them; and the closest view of them. */
const AROUND = 0.25;
const MAX_ZOOM = 6;

/** Draws boxes and fits the map to them: never to more than one world, each of whose places is there once. */
function drawBoxes(map: L.Map, boxes: readonly NamedBox[]): ReadonlyMap<string, L.Path> {
  const shown = boxes.filter(({ bounds }) => widthOf(bounds) <= WHOLE_WORLD);
  const { x: width, y: height } = map.getSize();
  const all = shown.map(({ bounds }) => bounds);
  const view = viewFilledBy(unitedBoundsOf(all, AROUND), { width, height });
  const zoom = Math.max(Math.log2(width / TILE_SIZE), Math.min(MAX_ZOOM, view.zoom));
  map.setView([view.latitude, view.longitude], zoom, { animate: false });
  // The smaller ones on top, where they can be pointed at.
  const inOrder = shown.toSorted((a, b) => areaOf(b.bounds) - areaOf(a.bounds));
  return new Map(
    inOrder.map(({ id, bounds }) => [id, pathOf(map, bounds, view.longitude).addTo(map)]),
  );
}

/** In that turn of the world in which the box is nearest to the map's middle. */
function pathOf(map: L.Map, bounds: Bounds, middle: number): L.Path {
  const width = widthOf(bounds);
  const west = nearestTurn(bounds.west + width / 2, middle) - width / 2;
  const box = L.latLngBounds(cornersOf({ ...bounds, west, east: west + width }));
  const from = map.latLngToLayerPoint(box.getSouthWest());
  const to = map.latLngToLayerPoint(box.getNorthEast());
  return Math.max(to.x - from.x, from.y - to.y) < LEAST_SIDE
    ? L.circleMarker(box.getCenter(), { radius: LEAST_SIDE / 2, className: "map-box small" })
    : L.rectangle(box, { className: "map-box" });
}

/** In square degrees: enough to tell the larger from the smaller. */
function areaOf(bounds: Bounds): number {
  return (bounds.north - bounds.south) * widthOf(bounds);
}
