import L from "leaflet";
import type { Settings } from "../api/settings.ts";
import { diameterOf } from "../drawing/discs.ts";
import { type Bounds, nearestTurn, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { BaseMap } from "./base/base-map.ts";
import { CellLayer, type Cells } from "./cell-layer.ts";
import { type Drawing, type Drawn, EventLayer } from "./event-layer.ts";
import { type Line, LineLayer } from "./line-layer.ts";

/** What a map shows: degrees, and Leaflet's zoom. */
export type MapView = {
  readonly zoom: number;
  readonly latitude: number;
  readonly longitude: number;
};

type Tiles = NonNullable<Settings["tiles"]>;

export type MapEvents = {
  readonly onDrawn: (drawn: Drawn) => void;
  /** The event under the pointer. */
  readonly onPointed: (event: number | null) => void;
  readonly onChosen: (event: number | null) => void;
  readonly onMoved: (view: MapView, bounds: Bounds) => void;
  /** All events are to be shown. */
  readonly onFit: () => void;
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
  private readonly told: MapEvents;
  private tiles: L.TileLayer | null = null;
  private ring: L.Marker | null = null;
  private readonly cells = new CellLayer();

  constructor(element: HTMLElement, told: MapEvents) {
    this.told = told;
    this.events = new EventLayer(told.onDrawn);
    this.map = L.map(element, {
      zoomSnap: 0.25,
      zoomDelta: 1,
      wheelPxPerZoomLevel: 90,
      minZoom: 1,
      maxZoom: MAX_ZOOM,
      zoomControl: false,
      attributionControl: false,
    }).setView([0, 0], 1);
    L.control.zoom({ position: "topleft" }).addTo(this.map);
    addFitButton(this.map, told.onFit);
    L.control.scale({ imperial: false }).addTo(this.map);
    this.base = new BaseMap(this.map);
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
    const { south, north, west } = bounds;
    this.map.fitBounds(
      [
        [south, west],
        [north, west + widthOf(bounds)],
      ],
      { padding: [FIT_PADDING, FIT_PADDING], maxZoom: FIT_MAX_ZOOM, animate: false },
    );
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

  private listen(element: HTMLElement): void {
    const { map, told } = this;
    map.on("moveend", () => told.onMoved(viewOf(map), boundsIn(map)));
    map.on("click", ({ latlng }) => told.onChosen(this.eventAt(latlng)));
    map.on("mousemove", ({ latlng }) => told.onPointed(this.eventAt(latlng)));
    map.on("mouseout movestart", () => told.onPointed(null));
    element.addEventListener("keydown", ({ key }) => {
      if (key === "0") told.onFit();
      if (key === "Escape") told.onChosen(null);
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

function viewOf(map: L.Map): MapView {
  const { lat, lng } = map.getCenter();
  return { zoom: map.getZoom(), latitude: rounded(lat), longitude: rounded(wrapped(lng)) };
}

/** What the map shows; all longitudes where it is wider than the world. */
function boundsIn(map: L.Map): Bounds {
  const box = map.getBounds();
  const [south, north] = [Math.max(-90, box.getSouth()), Math.min(90, box.getNorth())];
  if (box.getEast() - box.getWest() >= 360) return { south, north, west: -180, east: 180 };
  return { south, north, west: wrapped(box.getWest()), east: wrapped(box.getEast()) };
}

function wrapped(longitude: number): number {
  return L.Util.wrapNum(longitude, [-180, 180], true);
}

/** About ten metres, which is enough for addresses. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(4));
}

/** Leaflet takes credits for HTML. */
function asHtml(text: string): string {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}
