import L from "leaflet";
import { type Bounds, widthOf } from "../model/bounds.ts";
import { BaseMap } from "./base/base-map.ts";
import { cornersOf } from "./base/map-reading.ts";

/** A box with its name. */
export type NamedBox = { readonly id: string; readonly bounds: Bounds };

export type BoxListeners = {
  /** The box under the pointer; null for none. */
  readonly onPointed: (id: string | null) => void;
  readonly onChosen: (id: string) => void;
};

/**
 * Boxes of about all longitudes, in degrees: least and greatest longitudes of what lies on both
 * sides of the date line are so too, wherever it is. They are drawn, and say nothing of where to look.
 */
const WHOLE_WORLD = 350;

/** A small map of boxes, which cannot be moved. */
export class BoxMap {
  private readonly map: L.Map;
  private readonly base: BaseMap;
  private readonly boxes = new Map<string, L.Rectangle>();
  private readonly listeners: BoxListeners;

  constructor(element: HTMLElement, listeners: BoxListeners) {
    this.listeners = listeners;
    this.base = new BaseMap(element, {
      center: [20, 0],
      zoom: 0,
      zoomSnap: 0,
      minZoom: 0,
      dragging: false,
      scrollWheelZoom: false,
      doubleClickZoom: false,
      boxZoom: false,
      touchZoom: false,
      keyboard: false,
    });
    this.map = this.base.map;
  }

  setTheme(theme: "light" | "dark"): void {
    this.base.setTheme(theme);
  }

  /** Shows the boxes, and as much of the world as they are in. */
  setBoxes(boxes: readonly NamedBox[]): void {
    for (const box of this.boxes.values()) box.remove();
    this.boxes.clear();
    // The smaller ones on top, where they can be pointed at.
    for (const { id, bounds } of boxes.toSorted((a, b) => areaOf(b.bounds) - areaOf(a.bounds))) {
      const rectangle = L.rectangle(cornersOf(bounds), {
        className: isWholeWorld(bounds) ? "map-box hollow" : "map-box",
      });
      rectangle.on("mouseover", () => this.listeners.onPointed(id));
      rectangle.on("mouseout", () => this.listeners.onPointed(null));
      rectangle.on("click", () => this.listeners.onChosen(id));
      this.boxes.set(id, rectangle.addTo(this.map));
    }
    const fitted = boxes.filter(({ bounds }) => !isWholeWorld(bounds));
    const all = L.latLngBounds(fitted.flatMap(({ bounds }) => cornersOf(bounds)));
    if (all.isValid()) this.map.fitBounds(all.pad(0.2), { maxZoom: 5, animate: false });
    else this.map.setView([20, 0], 0, { animate: false });
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

function isWholeWorld(bounds: Bounds): boolean {
  return widthOf(bounds) > WHOLE_WORLD;
}

/** In square degrees: enough to tell the larger from the smaller. */
function areaOf(bounds: Bounds): number {
  return (bounds.north - bounds.south) * widthOf(bounds);
}
