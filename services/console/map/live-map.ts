import L from "leaflet";
import type { Settings } from "../api/settings.ts";
import { diameterOf } from "../drawing/discs.ts";
import { type Bounds, nearestTurn } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { MapView } from "../model/map-view.ts";
import { BaseMap } from "./base/base-map.ts";
import { CellLayer, type Cells } from "./cell-layer.ts";
import { type Drawing, type Drawn, EventLayer } from "./event-layer.ts";
import { type Line, LineLayer } from "./line-layer.ts";
import { boundsIn, cornersOf, viewOf } from "./map-reading.ts";

type Tiles = NonNullable<Settings["tiles"]>;

export type MapListeners = {
  readonly onDrawn?: (drawn: Drawn) => void;
  /** The event under the pointer. */
  readonly onPointed?: (event: number | null) => void;
  readonly onChosen?: (event: number | null) => void;
  readonly onMoved?: (view: MapView, bounds: Bounds) => void;
  /** What is shown when all is to be shown; null: the world. */
  readonly whole: () => Bounds | null;
};

const MAX_ZOOM = 16;
/** A single place is shown with its surroundings: some two degrees. */
const FIT_MAX_ZOOM = 9;
const FIT_PADDING = 24;

/** A Leaflet map with land and events; the rest of the console knows nothing of Leaflet. */
export class LiveMap {
  private readonly map: L.Map;
  private readonly base: BaseMap;
  private readonly events: EventLayer;
  private readonly lines: LineLayer;
  private readonly listeners: MapListeners;
  private tiles: L.TileLayer | null = null;
  private ring: L.Marker | null = null;
  private readonly cells = new CellLayer();

  constructor(element: HTMLElement, listeners: MapListeners) {
    this.listeners = listeners;
    this.events = new EventLayer((drawn) => listeners.onDrawn?.(drawn));
    this.base = new BaseMap(element, {
      center: [0, 0],
      zoom: 1,
      zoomSnap: 0.25,
      zoomDelta: 1,
      wheelPxPerZoomLevel: 90,
      minZoom: 1,
      maxZoom: MAX_ZOOM,
    });
    this.map = this.base.map;
    L.control.zoom({ position: "topleft" }).addTo(this.map);
    addFitButton(this.map, () => this.fitAll());
    L.control.scale({ imperial: false }).addTo(this.map);
    this.events.addTo(this.map);
    this.lines = new LineLayer(this.map);
    this.listen(element);
  }

  close(): void {
    // Removing stops what moves, which would be told as a move.
    this.map.off("moveend");
    this.map.remove();
  }

  setDrawing(drawing: Drawing): void {
    this.events.setDrawing(drawing);
    this.base.setTheme(drawing.theme);
  }

  /** Counts of events in place of single ones. */
  setCells(cells: Cells, theme: Drawing["theme"]): void {
    this.cells.setCells(cells, theme);
    this.cells.addTo(this.map);
    this.base.setTheme(theme);
  }

  setLines(lines: readonly Line[]): void {
    this.lines.setLines(lines);
  }

  /** Pictures over our own land, which stays where they do not come. */
  setTiles(tiles: Tiles | null): void {
    this.tiles?.remove();
    this.tiles = null;
    if (tiles === null) return;
    const attribution = asHtml(tiles.credit ?? "");
    this.tiles = L.tileLayer(tiles.url, { attribution, maxZoom: MAX_ZOOM }).addTo(this.map);
  }

  setView({ zoom, latitude, longitude }: MapView): void {
    const now = viewOf(this.map);
    const isThere =
      Math.abs(now.zoom - zoom) < 0.01 &&
      Math.abs(now.latitude - latitude) < 1e-4 &&
      Math.abs(now.longitude - longitude) < 1e-4;
    if (!isThere) this.map.setView([latitude, longitude], zoom, { animate: false });
  }

  /** Shows a box, the whole world without one. */
  fit(bounds: Bounds | null): void {
    if (!bounds) {
      this.map.setView([0, 0], 1, { animate: false });
      return;
    }
    this.map.fitBounds(cornersOf(bounds), {
      padding: [FIT_PADDING, FIT_PADDING],
      maxZoom: FIT_MAX_ZOOM,
      animate: false,
    });
  }

  /** Puts a ring around an event, and brings it into view. */
  choose(columns: EventColumns, event: number | null): void {
    this.ring?.remove();
    this.ring = null;
    if (event === null) return;
    const latitude = columns.latitude[event] ?? 0;
    const longitude = nearestTurn(columns.longitude[event] ?? 0, this.map.getCenter().lng);
    const place = L.latLng(latitude, longitude);
    const side = Math.round(diameterOf(columns.magnitude[event] ?? Number.NaN)) + 10;
    const icon = L.divIcon({ className: "map-ring", iconSize: [side, side] });
    this.ring = L.marker(place, { icon, interactive: false, keyboard: false }).addTo(this.map);
    this.map.panInside(place, { padding: [48, 48], animate: false });
  }

  private fitAll(): void {
    this.fit(this.listeners.whole());
  }

  private listen(element: HTMLElement): void {
    const { map, listeners } = this;
    map.on("moveend", () => listeners.onMoved?.(viewOf(map), boundsIn(map)));
    map.on("click", ({ latlng }) => listeners.onChosen?.(this.eventAt(latlng)));
    map.on("mousemove", ({ latlng }) => listeners.onPointed?.(this.eventAt(latlng)));
    map.on("mouseout movestart", () => listeners.onPointed?.(null));
    element.addEventListener("keydown", ({ key }) => {
      if (key === "0") this.fitAll();
      if (key === "Escape") listeners.onChosen?.(null);
    });
    const resized = new ResizeObserver(() => map.invalidateSize({ pan: false }));
    resized.observe(element);
    map.on("unload", () => resized.disconnect());
  }

  private eventAt(place: L.LatLng): number | null {
    const { x, y } = this.map.project(place);
    return this.events.eventAt(x, y);
  }
}

/** For those without a key 0. */
function addFitButton(map: L.Map, onFit: () => void): void {
  const bar = map.getContainer().querySelector(".leaflet-control-zoom");
  if (!(bar instanceof HTMLElement)) return;
  const button = L.DomUtil.create("a", "map-fit", bar);
  button.href = "#";
  button.role = "button";
  button.title = "Show all";
  button.setAttribute("aria-label", "Show all");
  button.textContent = "⤢";
  L.DomEvent.disableClickPropagation(button);
  L.DomEvent.on(button, "click", (event) => {
    L.DomEvent.stop(event);
    onFit();
  });
}

/** Leaflet takes credits for HTML. */
function asHtml(text: string): string {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}
