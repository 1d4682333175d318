import L from "leaflet";
import { BaseMap } from "./base/base-map.ts";
import { type Bounds, widthOf } from "./fit.ts";

/** A box with its name. */
export type NamedBox = { readonly id: string; readonly bounds: Bounds };

/** A small map of boxes, which cannot be moved. */
export class BoxMap {
  private readonly map: L.Map;
  private readonly base: BaseMap;
  private readonly boxes = new Map<string, L.Rectangle>();

  constructor(element: HTMLElement) {
    this.map = L.map(element, {
      zoomSnap: 0,
      minZoom: 0,
      zoomControl: false,
      attributionControl: false,
      dragging: false,
      scrollWheelZoom: false,
      doubleClickZoom: false,
      boxZoom: false,
      touchZoom: false,
      keyboard: false,
    }).setView([20, 0], 0);
    this.base = new BaseMap(this.map);
  }

  setTheme(theme: "light" | "dark"): void {
    this.base.setTheme(theme);
  }

  /** Shows the boxes, and as much of the world as they are in. */
  setBoxes(boxes: readonly NamedBox[]): void {
    for (const box of this.boxes.values()) box.remove();
    this.boxes.clear();
    for (const { id, bounds } of boxes) {
      const rectangle = L.rectangle(cornersOf(bounds), {
        className: "map-box",
        interactive: false,
      });
      this.boxes.set(id, rectangle.addTo(this.map));
    }
    const all = L.latLngBounds(boxes.flatMap(({ bounds }) => cornersOf(bounds)));
    if (all.isValid()) this.map.fitBounds(all.pad(0.2), { maxZoom: 5, animate: false });
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

function cornersOf(bounds: Bounds): [number, number][] {
  const { south, north, west } = bounds;
  return [
    [south, west],
    [north, west + widthOf(bounds)],
  ];
}
