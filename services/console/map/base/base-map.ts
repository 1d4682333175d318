import L from "leaflet";
import { GROUND } from "../../drawing/colours.ts";
import type { View } from "../../drawing/view.ts";
import { type Bounds, type MapView, widthOf } from "../../model/bounds.ts";
import { latitude, longitude } from "../../ui/text/format.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import {
  type GroundPart,
  groundFiles,
  readGround,
  readPlates,
  readRelief,
} from "./ground-files.ts";
import { NAMES_PANE, NamesLayer } from "./names-layer.ts";
import { drawRelief, type ReliefPart, shadowsOf, type Theme } from "./relief.ts";
import type { Ring } from "./rings.ts";
import { reliefTilesIn } from "./tiles.ts";
import { degreeDigits, graticuleStep, traceAreas, traceGraticule, traceLines } from "./trace.ts";

/** What lies under the events. */
type Ground = {
  readonly parts: readonly GroundPart[];
  readonly plates: readonly Ring[];
  readonly relief: readonly ReliefPart[];
};

const NO_GROUND: Ground = { parts: [], plates: [], relief: [] };

/** Borders and rivers are told on closer maps alone. */
const BORDERS_FROM_ZOOM = 2.2;
const RIVERS_FROM_ZOOM = 4;
/** Plate boundaries are known to some ten kilometres: they fade away as one comes closer. */
const PLATES_FADE_FROM_ZOOM = 5;
const PLATES_UP_TO_ZOOM = 7;
const PLATES_COVER = 0.75;

/** Land with its relief, water, borders, plate boundaries and a graticule. */
class GroundLayer extends CanvasLayer {
  private ground = NO_GROUND;
  private theme: Theme = "light";
  private shadows: OffscreenCanvas | null = null;

  constructor() {
    super("tilePane");
  }

  /** Takes what has come; the rest stays. */
  setGround(part: Partial<Ground>): void {
    this.ground = { ...this.ground, ...part };
    if (part.relief) this.shadows = shadowsOf(part.relief, this.theme);
    this.redraw();
  }

  setTheme(theme: Theme): void {
    if (theme === this.theme) return;
    this.theme = theme;
    if (this.shadows) this.shadows = shadowsOf(this.ground.relief, theme);
    this.redraw();
  }

  protected override draw(view: View): void {
    const { context, canvas, shadows } = this;
    const { parts, plates } = this.ground;
    const colours = GROUND[this.theme];
    const { ratio, zoom } = view;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineJoin = "round";
    // All parts in one path: where two tiles overlap there is no seam.
    this.fill(colours.land, () => {
      for (const { land } of parts) traceAreas(context, land, view);
    });
    if (shadows) drawRelief(context, shadows, view);
    this.fill(colours.lake, () => {
      for (const { lakes } of parts) traceAreas(context, lakes, view);
    });
    this.stroke(colours.graticule, ratio, () => traceGraticule(context, view));
    if (zoom >= RIVERS_FROM_ZOOM) {
      this.stroke(colours.river, ratio, () => {
        for (const { rivers } of parts) traceLines(context, rivers, view);
      });
    }
    if (zoom >= BORDERS_FROM_ZOOM) {
      context.setLineDash([4 * ratio, 2 * ratio]);
      this.stroke(colours.border, 0.8 * ratio, () => {
        for (const { borders } of parts) traceLines(context, borders, view);
      });
      context.setLineDash([]);
    }
    this.stroke(colours.coast, 0.8 * ratio, () => {
      for (const { land, lakes } of parts) {
        traceLines(context, land, view);
        traceLines(context, lakes, view);
      }
    });
    const fading = (PLATES_UP_TO_ZOOM - zoom) / (PLATES_UP_TO_ZOOM - PLATES_FADE_FROM_ZOOM);
    context.globalAlpha = PLATES_COVER * Math.max(0, Math.min(1, fading));
    this.stroke(colours.plate, 1.4 * ratio, () => traceLines(context, plates, view));
    context.globalAlpha = 1;
  }

  private fill(colour: string, trace: () => void): void {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    trace();
    context.fill("nonzero");
  }

  private stroke(colour: string, width: number, trace: () => void): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    trace();
    context.stroke();
  }
}

/** Room for the controls at the left, for the first line, and for the credit at the bottom, pixels of the screen. */
const ZOOM_WIDTH = 64;
const LINE_HEIGHT = 24;
const CREDIT_HEIGHT = 32;

/** Says the degrees of the graticule's lines: meridians on the upper edge, parallels on the right one. */
function labelGraticule(map: L.Map): void {
  const element = L.DomUtil.create("div", "map-degrees", map.getContainer());
  element.setAttribute("aria-hidden", "true");
  const label = (): void => {
    const step = graticuleStep(map.getZoom());
    const digits = degreeDigits(step);
    const { x: width, y: height } = map.getSize();
    const labels: HTMLElement[] = [];
    const box = map.getBounds();
    for (let at = Math.ceil(box.getWest() / step); at * step < box.getEast(); at++) {
      const { x } = map.latLngToContainerPoint([0, at * step]);
      const degrees = L.Util.wrapNum(at * step, [-180, 180], true);
      if (x > ZOOM_WIDTH && x < width - ZOOM_WIDTH) {
        // The line between the halves is in neither.
        const text = Math.abs(degrees) === 180 ? "180°" : longitude(degrees, digits);
        labels.push(labelAt("map-meridian", text, x));
      }
    }
    for (let at = Math.ceil(box.getSouth() / step); at * step < box.getNorth(); at++) {
      const { y } = map.latLngToContainerPoint([at * step, box.getWest()]);
      if (y > LINE_HEIGHT && y < height - CREDIT_HEIGHT) {
        labels.push(labelAt("map-parallel", latitude(at * step, digits), y));
      }
    }
    element.replaceChildren(...labels);
  };
  map.on("move zoomend resize", label);
  label();
}

function labelAt(name: string, text: string, pixels: number): HTMLElement {
  const label = L.DomUtil.create("span", name);
  label.textContent = text;
  label.style.setProperty("--at", `${Math.round(pixels)}px`);
  return label;
}

const CREDIT = "Natural Earth · NOAA · plates: Argus et al. 2011 · places: GeoNames (CC BY)";

/** A Leaflet map with what lies under the events, as detailed as its zoom shows, and its credit. */
export class BaseMap {
  private readonly ground = new GroundLayer();
  private readonly names = new NamesLayer();
  readonly map: L.Map;
  /** Files of the ground that are shown or come; null when the map is closed. */
  private wanted: readonly string[] | null = [];
  private hasPlates = false;
  /** Names of the relief's parts that are shown or come. */
  private relief = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    element: HTMLElement,
    options: L.MapOptions & Required<Pick<L.MapOptions, "center" | "zoom">>,
    hasDegrees = true,
  ) {
    const map = L.map(element, { zoomControl: false, attributionControl: false, ...options });
    this.map = map;
    map.createPane(NAMES_PANE);
    this.ground.addTo(map);
    this.names.addTo(map);
    L.control.attribution({ prefix: false }).addTo(map).addAttribution(CREDIT);
    if (hasDegrees) labelGraticule(map);
    map.on("zoomend moveend", () => this.follow());
    map.on("unload", () => {
      clearTimeout(this.timer);
      this.wanted = null;
    });
    this.follow();
  }

  setTheme(theme: Theme): void {
    this.ground.setTheme(theme);
    this.names.setTheme(theme);
  }

  /** Whether the events hide the ground, so that its coasts are drawn above them. */
  setHidden(isHidden: boolean): void {
    this.names.showCoasts(isHidden);
  }

  /** Later: a map is first made, and then shown what it shall show. */
  private follow(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load());
  }

  /** Fetches what is missed, in the order in which a reader of the map misses it. */
  private async load(): Promise<void> {
    if (this.wanted === null) return;
    const [zoom, box] = [this.map.getZoom(), boundsIn(this.map)];
    const files = groundFiles(zoom, box);
    const isNew = files.join() !== this.wanted.join();
    if (isNew) this.wanted = files;
    const { wanted } = this;
    const isCurrent = () => this.wanted === wanted;
    // A map without its ground still shows its events.
    if (isNew) await this.show(files, isCurrent).catch(() => undefined);
    if (isCurrent()) await this.showFurther(zoom, box).catch(() => undefined);
  }

  private async show(files: readonly string[], isCurrent: () => boolean): Promise<void> {
    const parts = await Promise.all(files.map(readGround));
    if (!isCurrent()) return;
    this.ground.setGround({ parts });
    this.names.setCoasts(parts.map(({ land }) => land));
    this.names.setPlaces(parts.map(({ places }) => places));
  }

  /** What is no part of the first picture. */
  private async showFurther(zoom: number, box: Bounds): Promise<void> {
    if (!this.hasPlates && zoom < PLATES_UP_TO_ZOOM) {
      this.hasPlates = true;
      this.ground.setGround({ plates: await readPlates() });
    }
    const tiles = reliefTilesIn(zoom, box);
    const names = tiles.map(({ name }) => name).join();
    if (tiles.length === 0 || names === this.relief) return;
    this.relief = names;
    const relief = await Promise.all(tiles.map(readRelief));
    if (names === this.relief) this.ground.setGround({ relief });
  }
}

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
