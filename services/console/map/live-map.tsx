import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import L from "leaflet";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Settings, useSettings } from "../api/session.ts";
import { diameterOf, discScale, drawnDiameter } from "../drawing/discs.ts";
import { type Bounds, type MapView, nearestTurn } from "../model/bounds.ts";
import { baseMap, boundsIn, viewFilledBy, viewOf } from "./base/base-map.ts";
import { drawingHand, vertexHand } from "./hands.ts";
import { type Drawing, type Drawn, drawLines, eventLayer, type Line } from "./layers.ts";
import { dotsOfShape, linesOfShape, type Shape, type Tool } from "./shapes.ts";

export type MapOptions = {
  /** Said of the map to those who do not see it. */
  readonly label: string;
  /** What the map shows, also when it is changed elsewhere; where it is null at first, all is shown. */
  readonly view?: Signal<MapView | null> | undefined;
  /** The chosen event's index. */
  readonly selected?: Signal<number | null>;
  /** What is shown when all is to be shown; null: the world. */
  readonly whole: () => Bounds | null;
  /** What is shown at first without a view: all without it. */
  readonly start?: () => Bounds | null;
  readonly drawing?: Drawing;
  /** Lines above the events, each list the same while nothing changes: between events, of errors, around areas. */
  readonly lines?: readonly Line[];
  readonly ellipse?: readonly Line[];
  readonly areas?: readonly Line[];
  /** Told of what is drawn by hand; a ruler stays with the map. */
  readonly onShape?: ((shape: Shape) => void) | undefined;
  /** An event was clicked twice, or Enter pressed with it chosen. */
  readonly onOpened?: ((event: number) => void) | undefined;
  /** Told after each move. */
  readonly onMoved?: ((view: MapView, bounds: Bounds) => void) | undefined;
};

/** An event under the pointer, and where the pointer is: pixels from the map's left upper corner. */
export type Pointed = { readonly event: number; readonly x: number; readonly y: number };

/** A map, and the element of the page on which it is; it follows what the last rendering says. */
export function useLiveMap(options: MapOptions): {
  readonly map: LiveMap;
  readonly surface: JSX.Element;
} {
  const tiles = useSettings()?.tiles ?? null;
  const element = useRef<HTMLElement>(null);
  const map = useMemo(() => new LiveMap(options), []);
  map.options = options;
  useEffect(() => {
    map.tiles.value = tiles;
    map.drawing.value = options.drawing ?? null;
    map.lines.value = options.lines ?? NO_LINES;
    map.ellipse.value = options.ellipse ?? NO_LINES;
    map.areas.value = options.areas ?? NO_LINES;
  });
  useEffect(() => (element.current ? map.mount(element.current) : undefined), []);
  const drawn = map.drawn.value && (map.drawn.value.density ? "density" : "discs");
  const surface = (
    <section
      ref={element}
      class="map"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys.
      tabIndex={0}
      aria-label={options.label}
      data-drawn={drawn ?? undefined}
    />
  );
  return { map, surface };
}

const MAX_ZOOM = 16;
const NO_LINES: readonly Line[] = [];

/** A Leaflet map with land and events; the rest of the console knows nothing of Leaflet. */
export class LiveMap {
  options: MapOptions;
  readonly view: Signal<MapView | null>;
  readonly selected: Signal<number | null>;
  readonly tiles = signal<Settings["tiles"]>(null);
  readonly drawing = signal<Drawing | null>(null);
  readonly lines = signal(NO_LINES);
  readonly ellipse = signal(NO_LINES);
  readonly areas = signal(NO_LINES);
  /** What the map showed when it was last drawn. */
  readonly drawn = signal<Drawn | null>(null);
  readonly bounds = signal<Bounds | null>(null);
  readonly pointed = signal<Pointed | null>(null);
  /** What is in the hand; null: the pointer moves the map. */
  readonly tool = signal<Tool | null>(null);
  /** What is being drawn by hand, and the last thing that was measured. */
  readonly draft = signal<Shape | null>(null);
  readonly measured = signal<Shape | null>(null);
  /** Holds the one tool that draws from click to click; null before the map is on the page. */
  vertices: ReturnType<typeof vertexHand> | null = null;
  private leaflet: L.Map | null = null;
  private isZooming = false;

  constructor(options: MapOptions) {
    this.options = options;
    this.view = options.view ?? signal(null);
    this.selected = options.selected ?? signal(null);
  }

  /** Puts the map on an element of the page; what it gives takes it away. */
  mount(element: HTMLElement): () => void {
    const { map, isHidden } = baseMap(element, {
      center: [0, 0],
      zoom: 1,
      zoomSnap: 0,
      zoomDelta: 1,
      wheelPxPerZoomLevel: 90,
      doubleClickZoom: false,
      minZoom: 1,
      maxZoom: MAX_ZOOM,
    });
    const { layer, eventAt } = eventLayer(this.drawing, this.drawn);
    this.leaflet = map;
    L.control.zoom({ position: "topleft" }).addTo(map);
    addFitButton(map, () => this.fitAll());
    L.control.scale({ imperial: false }).addTo(map);
    layer.addTo(map);
    const told = (shape: Shape) => {
      this.tool.value = null;
      if (shape.kind === "ruler") this.measured.value = shape;
      else this.options.onShape?.(shape);
    };
    const hand = drawingHand(map, this.draft, told);
    const vertices = vertexHand(map, this.draft, told);
    this.vertices = vertices;
    this.listen(map, (place) => eventAt(map.project(place)));
    const wanted = this.view.peek();
    const { whole, start = whole } = this.options;
    if (wanted) this.setView(wanted);
    else this.fit(start());
    const drawnByHand = computed(() =>
      [this.draft.value, this.measured.value].flatMap((one) => (one ? linesOfShape(one) : [])),
    );
    const vertexDots = computed(() => (this.draft.value ? dotsOfShape(this.draft.value) : []));
    const ends = [
      // The events hide the ground then.
      this.drawn.subscribe((drawn) => {
        isHidden.value = drawn?.density != null;
      }),
      // The kinds of lines have styles of their own (map.css).
      drawLines(map, "map-line", this.lines),
      drawLines(map, "map-area", this.areas),
      drawLines(map, "map-ellipse", this.ellipse),
      drawLines(map, "map-draft", drawnByHand),
      drawLines(map, "map-vertex", vertexDots),
      followTiles(map, this.tiles),
      this.followChoice(map),
      this.tool.subscribe((tool) => {
        hand.take(tool === "polygon" ? null : tool);
        vertices.take(tool === "polygon");
        element.classList.toggle("drawing", tool !== null);
        // The map gets the keys then.
        if (tool !== null) element.focus({ preventScroll: true });
      }),
      // After all else that moves it.
      this.view.subscribe((view) => view && this.setView(view)),
    ];
    if (wanted) this.setView(wanted);
    return () => {
      for (const end of ends) end();
      // Removing stops what moves, which would be told as a move.
      map.off("moveend");
      map.remove();
      this.leaflet = null;
    };
  }

  /** Shows a box, the whole world without one. */
  fit(bounds: Bounds | null): void {
    if (!this.leaflet) return;
    const { x: width, y: height } = this.leaflet.getSize();
    const { zoom, latitude, longitude } = viewFilledBy(bounds, { width, height });
    this.leaflet.setView([latitude, longitude], zoom, { animate: false });
  }

  private setView({ zoom, latitude, longitude }: MapView): void {
    if (!this.leaflet) return;
    const now = viewOf(this.leaflet);
    const isThere =
      Math.abs(now.zoom - zoom) < 0.01 &&
      Math.abs(now.latitude - latitude) < 1e-4 &&
      Math.abs(now.longitude - longitude) < 1e-4;
    if (!isThere) this.leaflet.setView([latitude, longitude], zoom, { animate: false });
  }

  /** After a zoom that is still moving, whose end would have the last word. */
  private fitAll(): void {
    const showAll = () => this.fit(this.options.whole());
    if (this.isZooming) this.leaflet?.once("zoomend", showAll);
    else showAll();
  }

  /** Puts a ring around the chosen event, as large as its disc at each zoom, and brings it into view. */
  private followChoice(map: L.Map): () => void {
    let ring: L.Marker | null = null;
    let diameter = 0;
    const iconOf = () => {
      const side = Math.round(drawnDiameter(diameter, discScale(map.getZoom()))) + 10;
      return L.divIcon({ className: "map-ring", iconSize: [side, side] });
    };
    map.on("zoomend", () => ring?.setIcon(iconOf()));
    // Filters, which leave the columns as they are, move nothing.
    const columns = computed(() => this.drawing.value?.columns);
    return computed(() => [columns.value, this.selected.value] as const).subscribe(
      ([of, event]) => {
        ring?.remove();
        ring = null;
        if (!of || event === null) return;
        diameter = diameterOf(of.magnitude[event] ?? Number.NaN);
        const longitude = nearestTurn(of.longitude[event] ?? 0, map.getCenter().lng);
        const place = L.latLng(of.latitude[event] ?? 0, longitude);
        ring = L.marker(place, { icon: iconOf(), interactive: false, keyboard: false }).addTo(map);
        map.panInside(place, { padding: [48, 48], animate: false });
      },
    );
  }

  private listen(map: L.Map, eventAt: (place: L.LatLng) => number | null): void {
    const element = map.getContainer();
    let view = viewOf(map);
    let isResized = false;
    map.on("moveend", () => {
      // Another size is no other choice of what to look at.
      if (!isResized) view = viewOf(map);
      this.view.value = view;
      this.bounds.value = boundsIn(map);
      this.options.onMoved?.(view, this.bounds.value);
    });
    map.on("zoomanim", () => {
      this.isZooming = true;
    });
    map.on("zoomend", () => {
      this.isZooming = false;
    });
    map.on("click", ({ latlng }) => {
      this.selected.value = eventAt(latlng);
    });
    map.on("dblclick", ({ latlng, containerPoint }) => {
      const event = eventAt(latlng);
      if (event !== null) this.options.onOpened?.(event);
      else map.setZoomAround(containerPoint, map.getZoom() + 1);
    });
    map.on("mousemove", ({ latlng, containerPoint: { x, y } }) => {
      const event = eventAt(latlng);
      this.pointed.value = event === null ? null : { event, x, y };
    });
    map.on("mouseout movestart", () => {
      this.pointed.value = null;
    });
    element.addEventListener("keydown", ({ key, target }) => {
      if (target !== element) return;
      const chosen = this.selected.value;
      if (key === "0") this.fitAll();
      if (key === "Enter" && chosen !== null) this.options.onOpened?.(chosen);
      if (key !== "Escape") return;
      if (this.tool.value !== null) this.tool.value = null;
      else this.selected.value = null;
    });
    const resized = new ResizeObserver(() => {
      isResized = true;
      map.invalidateSize({ animate: false });
      isResized = false;
    });
    resized.observe(element);
    map.on("unload", () => resized.disconnect());
  }
}

/** Pictures over our own land, which stays where they do not come. */
function followTiles(map: L.Map, tiles: ReadonlySignal<Settings["tiles"]>): () => void {
  let layer: L.TileLayer | null = null;
  return tiles.subscribe((now) => {
    layer?.remove();
    // Leaflet takes credits for HTML.
    const credit = document.createElement("span");
    credit.textContent = now?.credit ?? "";
    layer =
      now && L.tileLayer(now.url, { attribution: credit.innerHTML, maxZoom: MAX_ZOOM }).addTo(map);
  });
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
