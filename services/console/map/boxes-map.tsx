import type { Signal } from "@preact/signals";
import L from "leaflet";
import { useEffect, useRef } from "preact/hooks";
import { TILE_SIZE } from "../drawing/mercator.ts";
import { type Bounds, nearestTurn, unitedBoundsOf, widthOf } from "../model/bounds.ts";
import { theme } from "../ui/style/theme.ts";
import { BaseMap, cornersOf } from "./base/base-map.ts";
import { viewFilledBy } from "./fit.ts";

type BoxesMapProps = {
  readonly boxes: readonly NamedBox[];
  /** The id of the box that is pointed at, here or in the list. */
  readonly marked: Signal<string | null>;
  readonly onChosen: (id: string) => void;
};

/**
 * Where the members of a list lie: pointing at a box marks its row, and a row its box. The list itself
 * tells it in words, and leads to them without a mouse.
 */
export function BoxesMap({ boxes, marked, onChosen }: BoxesMapProps) {
  const element = useRef<HTMLDivElement>(null);
  const map = useRef<BoxMap | null>(null);
  useEffect(() => {
    if (!element.current) return;
    map.current = new BoxMap(element.current, {
      onPointed: (id) => {
        marked.value = id;
      },
      onChosen,
    });
    return () => map.current?.close();
  }, []);
  useEffect(() => map.current?.setTheme(theme.value), [theme.value]);
  useEffect(() => map.current?.setBoxes(boxes), [boxes]);
  const id = marked.value;
  useEffect(() => map.current?.mark(id), [id, boxes]);
  return <div ref={element} class="map catalogues-map" aria-hidden="true" />;
}

/** A box that is smaller than this on the map is shown as a disc, pixels of the screen. */
const LEAST_SIDE = 14;

/** A box with its name. */
export type NamedBox = { readonly id: string; readonly bounds: Bounds };

export type BoxListeners = {
  /** The box under the pointer; null for none. */
  readonly onPointed: (id: string | null) => void;
  readonly onChosen: (id: string) => void;
};

/** Boxes of about all longitudes, in degrees, say nothing of where to look, and are left out. */
const WHOLE_WORLD = 350;
/** Around the boxes, as a share of them; and the closest view of them. */
const AROUND = 0.25;
const MAX_ZOOM = 6;
/** What a map without any place to look at shows. */
const WORLD: Bounds = { south: -60, north: 75, west: -180, east: 180 };

/** A small map of boxes, which cannot be moved. */
class BoxMap {
  private readonly map: L.Map;
  private readonly base: BaseMap;
  private readonly boxes = new Map<string, L.Path>();
  private readonly bounds = new Map<string, Bounds>();
  private readonly listeners: BoxListeners;

  constructor(element: HTMLElement, listeners: BoxListeners) {
    this.listeners = listeners;
    const still: L.MapOptions & Required<Pick<L.MapOptions, "center" | "zoom">> = {
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
    };
    this.base = new BaseMap(element, still, false);
    this.map = this.base.map;
  }

  setTheme(theme: "light" | "dark"): void {
    this.base.setTheme(theme);
  }

  /** Shows the boxes, and as much of the world as they are in. */
  setBoxes(boxes: readonly NamedBox[]): void {
    for (const box of this.boxes.values()) box.remove();
    this.boxes.clear();
    this.bounds.clear();
    // The smaller ones on top, where they can be pointed at.
    const shown = boxes.filter(({ bounds }) => widthOf(bounds) <= WHOLE_WORLD);
    for (const { id, bounds } of shown.toSorted((a, b) => areaOf(b.bounds) - areaOf(a.bounds))) {
      this.bounds.set(id, bounds);
    }
    this.show(shown.map(({ bounds }) => bounds));
  }

  /** Fits the map to boxes: never to more than one world, each of whose places is there once. */
  private show(boxes: readonly Bounds[]): void {
    const { x: width, y: height } = this.map.getSize();
    const least = Math.log2(width / TILE_SIZE);
    const box = unitedBoundsOf(boxes, AROUND) ?? WORLD;
    const view = viewFilledBy(box, { width, height });
    const zoom = Math.max(least, Math.min(MAX_ZOOM, view.zoom));
    this.map.setView([view.latitude, view.longitude], zoom, { animate: false });
    for (const [id, bounds] of this.bounds) {
      const box = this.boxOf(this.cornersInView(bounds, view.longitude));
      box.on("mouseover", () => this.listeners.onPointed(id));
      box.on("mouseout", () => this.listeners.onPointed(null));
      box.on("click", () => this.listeners.onChosen(id));
      this.boxes.set(id, box.addTo(this.map));
    }
  }

  private boxOf(corners: [number, number][]): L.Path {
    const bounds = L.latLngBounds(corners);
    const [from, to] = [bounds.getSouthWest(), bounds.getNorthEast()].map((corner) =>
      this.map.latLngToLayerPoint(corner),
    );
    const isSmall = from && to && Math.max(to.x - from.x, from.y - to.y) < LEAST_SIDE;
    return isSmall
      ? L.circleMarker(bounds.getCenter(), { radius: LEAST_SIDE / 2, className: "map-box small" })
      : L.rectangle(bounds, { className: "map-box" });
  }

  /** In that turn of the world in which the box is nearest to the map's middle. */
  private cornersInView(bounds: Bounds, middle: number): [number, number][] {
    const width = widthOf(bounds);
    const west = nearestTurn(bounds.west + width / 2, middle) - width / 2;
    return cornersOf({ ...bounds, west, east: west + width });
  }

  /** Tells one box from the others. */
  mark(id: string | null): void {
    for (const [name, box] of this.boxes) {
      box.getElement()?.classList.toggle("marked", name === id);
    }
  }

  close(): void {
    this.map.remove();
  }
}

/** In square degrees: enough to tell the larger from the smaller. */
function areaOf(bounds: Bounds): number {
  return (bounds.north - bounds.south) * widthOf(bounds);
}
