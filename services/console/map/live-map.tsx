import type { Signal } from "@preact/signals";
import L from "leaflet";
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Settings, useSettings } from "../api/settings.ts";
import { diameterOf, discScale, drawnDiameter } from "../drawing/discs.ts";
import { type Bounds, type MapView, nearestTurn } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { BaseMap, boundsIn, viewOf } from "./base/base-map.ts";
import { viewFilledBy } from "./fit.ts";
import { DrawingHand, VertexHand } from "./hands.ts";
import {
  CellLayer,
  type Cells,
  type Drawing,
  type Drawn,
  EventLayer,
  type Line,
  ShapeLayer,
} from "./layers.ts";
import type { Shape, Tool } from "./shapes.ts";

type LiveMapOptions = MapListeners & {
  /** Said of the map to those who do not see it. */
  readonly label: string;
  /** Where the map is when it is mounted; the world otherwise. */
  readonly start: (map: LiveMap) => void;
  /** What is drawn on it; nothing yet without it. */
  readonly drawn?: string | undefined;
};

type MountedMap = {
  /** Null until the first rendering is there. */
  readonly live: RefObject<LiveMap | null>;
  readonly surface: JSX.Element;
};

/** Leaflet on an element of the page; it tells the listeners of the last rendering. */
export function useLiveMap(options: LiveMapOptions): MountedMap {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap>(null);
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (!element.current) return;
    const map = new LiveMap(element.current, {
      onDrawn: (drawn) => latest.current.onDrawn?.(drawn),
      onPointed: (pointed) => latest.current.onPointed?.(pointed),
      onChosen: (event) => latest.current.onChosen?.(event),
      onOpened: (event) => latest.current.onOpened?.(event),
      onDrawing: (shape) => latest.current.onDrawing?.(shape),
      onShape: (shape) => latest.current.onShape?.(shape),
      onPutDown: () => latest.current.onPutDown?.(),
      onMoved: (view, bounds) => latest.current.onMoved?.(view, bounds),
      whole: () => latest.current.whole(),
    });
    live.current = map;
    options.start(map);
    return () => {
      live.current = null;
      map.close();
    };
  }, []);
  useEffect(() => live.current?.setTiles(tiles), [tiles]);
  const surface = (
    <section
      ref={element}
      class="map"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
      tabIndex={0}
      aria-label={options.label}
      data-drawn={options.drawn}
    />
  );
  return { live, surface };
}

/** Moves the map to a view that comes from elsewhere, after all else that moves it. */
export function useViewOf(live: RefObject<LiveMap | null>, view: Signal<MapView | null>): void {
  const wanted = view.value;
  useEffect(() => {
    if (wanted) live.current?.setView(wanted);
  }, [wanted]);
}

type Tiles = NonNullable<Settings["tiles"]>;

/** An event under the pointer, and where the pointer is: pixels from the map's left upper corner. */
export type Pointed = { readonly event: number; readonly x: number; readonly y: number };

export type MapListeners = {
  readonly onDrawn?: (drawn: Drawn) => void;
  readonly onPointed?: (pointed: Pointed | null) => void;
  readonly onChosen?: (event: number | null) => void;
  /** An event was clicked twice, or Enter pressed with it chosen. */
  readonly onOpened?: (event: number) => void;
  readonly onMoved?: (view: MapView, bounds: Bounds) => void;
  /** A shape as it is drawn by hand; null when it is given up or done. */
  readonly onDrawing?: (shape: Shape | null) => void;
  readonly onShape?: (shape: Shape) => void;
  /** The tool was put down by a key. */
  readonly onPutDown?: () => void;
  /** What is shown when all is to be shown; null: the world. */
  readonly whole: () => Bounds | null;
};

const MAX_ZOOM = 16;

/** Lines above the events, by what they mean; each has a style of its own (map.css). */
const LINES = ["map-line", "map-area", "map-ellipse", "map-draft", "map-vertex"] as const;
export type LineKind = (typeof LINES)[number];

/** A Leaflet map with land and events; the rest of the console knows nothing of Leaflet. */
export class LiveMap {
  private readonly map: L.Map;
  private readonly base: BaseMap;
  private readonly events: EventLayer;
  private readonly lines: ReadonlyMap<LineKind, ShapeLayer>;
  private readonly hand: DrawingHand;
  /** Holds the one tool that draws from click to click. */
  readonly vertices: VertexHand;
  private readonly listeners: MapListeners;
  private tiles: L.TileLayer | null = null;
  private ring: L.Marker | null = null;
  private chosen: number | null = null;
  private isZooming = false;
  private readonly cells = new CellLayer();

  constructor(element: HTMLElement, listeners: MapListeners) {
    this.listeners = listeners;
    this.base = new BaseMap(element, {
      center: [0, 0],
      zoom: 1,
      zoomSnap: 0,
      zoomDelta: 1,
      wheelPxPerZoomLevel: 90,
      doubleClickZoom: false,
      minZoom: 1,
      maxZoom: MAX_ZOOM,
    });
    this.events = new EventLayer((drawn) => {
      this.base.setHidden(drawn.density !== null);
      listeners.onDrawn?.(drawn);
    });
    this.map = this.base.map;
    L.control.zoom({ position: "topleft" }).addTo(this.map);
    addFitButton(this.map, () => this.fitAll());
    L.control.scale({ imperial: false }).addTo(this.map);
    this.events.addTo(this.map);
    this.lines = new Map(LINES.map((kind) => [kind, new ShapeLayer(this.map, kind)]));
    const drawing = {
      onDrawing: (shape: Shape | null) => listeners.onDrawing?.(shape),
      onShape: (shape: Shape) => listeners.onShape?.(shape),
    };
    this.hand = new DrawingHand(this.map, drawing);
    this.vertices = new VertexHand(this.map, drawing);
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
    this.base.setHidden(cells.cells.length > 0);
  }

  setLines(kind: LineKind, lines: readonly Line[]): void {
    this.lines.get(kind)?.setLines(lines);
  }

  /** What the pointer draws; null: it moves the map. The map gets the keys then. */
  take(tool: Tool | null): void {
    this.hand.take(tool === "polygon" ? null : tool);
    this.vertices.take(tool === "polygon");
    const container = this.map.getContainer();
    container.classList.toggle("drawing", tool !== null);
    if (tool !== null) container.focus({ preventScroll: true });
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
    const { x: width, y: height } = this.map.getSize();
    const world = { south: -60, north: 75, west: -180, east: 180 };
    const { zoom, latitude, longitude } = viewFilledBy(bounds ?? world, { width, height });
    this.map.setView([latitude, longitude], zoom, { animate: false });
  }

  /** Puts a ring around an event, and brings it into view. */
  choose(columns: EventColumns, event: number | null): void {
    this.ring?.remove();
    this.ring = null;
    this.chosen = event;
    if (event === null) return;
    const latitude = columns.latitude[event] ?? 0;
    const longitude = nearestTurn(columns.longitude[event] ?? 0, this.map.getCenter().lng);
    const place = L.latLng(latitude, longitude);
    const icon = this.ringOf(columns, event);
    this.ring = L.marker(place, { icon, interactive: false, keyboard: false }).addTo(this.map);
    const resize = () => this.ring?.setIcon(this.ringOf(columns, event));
    this.map.on("zoomend", resize);
    this.ring.on("remove", () => this.map.off("zoomend", resize));
    this.map.panInside(place, { padding: [48, 48], animate: false });
  }

  /** As large as the event's disc at this zoom. */
  private ringOf(columns: EventColumns, event: number): L.DivIcon {
    const diameter = diameterOf(columns.magnitude[event] ?? Number.NaN);
    const side = Math.round(drawnDiameter(diameter, discScale(this.map.getZoom()))) + 10;
    return L.divIcon({ className: "map-ring", iconSize: [side, side] });
  }

  /** After a zoom that is still moving, whose end would have the last word. */
  private fitAll(): void {
    const showAll = () => this.fit(this.listeners.whole());
    if (this.isZooming) this.map.once("zoomend", showAll);
    else showAll();
  }

  private listen(element: HTMLElement): void {
    const { map, listeners } = this;
    let view = viewOf(map);
    let isResized = false;
    map.on("moveend", () => {
      // Another size is no other choice of what to look at.
      if (!isResized) view = viewOf(map);
      listeners.onMoved?.(view, boundsIn(map));
    });
    map.on("zoomanim", () => {
      this.isZooming = true;
    });
    map.on("zoomend", () => {
      this.isZooming = false;
    });
    map.on("click", ({ latlng }) => listeners.onChosen?.(this.eventAt(latlng)));
    map.on("dblclick", ({ latlng, containerPoint }) => {
      const event = this.eventAt(latlng);
      if (event !== null) listeners.onOpened?.(event);
      else map.setZoomAround(containerPoint, map.getZoom() + 1);
    });
    map.on("mousemove", ({ latlng, containerPoint: { x, y } }) => {
      const event = this.eventAt(latlng);
      listeners.onPointed?.(event === null ? null : { event, x, y });
    });
    map.on("mouseout movestart", () => listeners.onPointed?.(null));
    element.addEventListener("keydown", ({ key, target }) => {
      if (target !== element) return;
      if (key === "0") this.fitAll();
      if (key === "Enter" && this.chosen !== null) listeners.onOpened?.(this.chosen);
      if (key !== "Escape") return;
      if (element.classList.contains("drawing")) listeners.onPutDown?.();
      else listeners.onChosen?.(null);
    });
    const resized = new ResizeObserver(() => {
      isResized = true;
      map.invalidateSize({ animate: false });
      isResized = false;
    });
    resized.observe(element);
    map.on("unload", () => resized.disconnect());
  }

  private eventAt(place: L.LatLng): number | null {
    const { x, y } = this.map.project(place);
    return this.events.eventAt(x, y);
  }
}

/** A button among those of the zoom, for those without a key 0. */
function addFitButton(map: L.Map, onFit: () => void): void {
  const bar = map.getContainer().querySelector(".leaflet-control-zoom");
  if (!(bar instanceof HTMLElement)) return;
  const button = L.DomUtil.create("a", "map-fit", bar);
  button.href = "#";
  button.role = "button";
  button.title = "Show all (0)";
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
