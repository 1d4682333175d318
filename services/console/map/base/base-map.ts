import L from "leaflet";
import { TILE_SIZE, xOf, yOf } from "../../drawing/mercator.ts";
import { type Bounds, type MapView, widthOf } from "../../model/bounds.ts";
import { latitude, longitude } from "../../ui/text/format.ts";
import { groundFiles, readGround, readPlates, readRelief } from "./ground-files.ts";
import {
  createGround,
  degreeDigits,
  type Ground,
  graticuleStep,
  groundLayer,
  NAMES_PANE,
  namesLayer,
  PLATES_UP_TO_ZOOM,
} from "./ground-layer.ts";
import { reliefTilesIn } from "./tiles.ts";

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

/**
 * A Leaflet map with what lies under the events, as detailed as its zoom shows, and its credit.
 * @returns the map, and whether the events hide the ground
 */
export function baseMap(
  element: HTMLElement,
  options: L.MapOptions & Required<Pick<L.MapOptions, "center" | "zoom">>,
  hasDegrees = true,
) {
  const map = L.map(element, { zoomControl: false, attributionControl: false, ...options });
  const ground = createGround();
  map.createPane(NAMES_PANE);
  groundLayer(ground).addTo(map);
  namesLayer(map, ground).addTo(map);
  L.control.attribution({ prefix: false }).addTo(map).addAttribution(CREDIT);
  if (hasDegrees) labelGraticule(map);
  followGround(map, ground);
  return { map, isHidden: ground.isHidden };
}

/** Fetches what is missed of the ground, in the order in which a reader of the map misses it. */
function followGround(map: L.Map, ground: Ground): void {
  /** Files that are shown or come; null when the map is closed. */
  let wanted: readonly string[] | null = [];
  let hasPlates = false;
  /** Names of the relief's parts that are shown or come. */
  let relief = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = async () => {
    if (wanted === null) return;
    const [zoom, box] = [map.getZoom(), boundsIn(map)];
    const files = groundFiles(zoom, box);
    const isNew = files.join() !== wanted.join();
    if (isNew) wanted = files;
    const mine = wanted;
    const show = (parts: Ground["parts"]["value"]) => {
      if (wanted === mine) ground.parts.value = parts;
    };
    // A map without its ground still shows its events.
    if (isNew) await Promise.all(files.map(readGround)).then(show, () => undefined);
    if (wanted === mine) await loadFurther(zoom, box).catch(() => undefined);
  };
  /** What is no part of the first picture. */
  const loadFurther = async (zoom: number, box: Bounds) => {
    if (!hasPlates && zoom < PLATES_UP_TO_ZOOM) {
      hasPlates = true;
      ground.plates.value = await readPlates();
    }
    const tiles = reliefTilesIn(zoom, box);
    const names = tiles.map(({ name }) => name).join();
    if (tiles.length === 0 || names === relief) return;
    relief = names;
    const parts = await Promise.all(tiles.map(readRelief));
    if (names === relief) ground.relief.value = parts;
  };
  // Later: a map is first made, and then shown what it shall show.
  const follow = () => {
    clearTimeout(timer);
    timer = setTimeout(load);
  };
  map.on("zoomend moveend", follow);
  map.on("unload", () => {
    clearTimeout(timer);
    wanted = null;
  });
  follow();
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

type Size = { readonly width: number; readonly height: number };

/** Beside what a map is fitted to, pixels of the screen: room for discs at the edge. */
const PADDING = 28;
/** A single place is shown with its surroundings: some two degrees. */
const PLACE_ZOOM = 9;
const MAX_ZOOM = 13;
/** A box as wide as this is as good as the world, which is not shown twice. Degrees. */
const WORLD_WIDTH = 270;
/** Of the world what lies farther north or south is left out, where the map is larger. Degrees. */
const WORLD_NORTH = 75;
const WORLD_SOUTH = -60;

/** What a map without any place to look at shows. */
const WORLD: Bounds = { south: WORLD_SOUTH, north: WORLD_NORTH, west: -180, east: 180 };

/** The view that a box fills, or the world without one, as exactly as the map's sides allow. */
export function viewFilledBy(bounds: Bounds | null, { width, height }: Size): MapView {
  const box = bounds ?? WORLD;
  const wide = widthOf(box);
  const isWorld = wide >= WORLD_WIDTH;
  const top = yOf(isWorld ? Math.min(WORLD_NORTH, box.north) : box.north);
  const bottom = yOf(isWorld ? Math.max(WORLD_SOUTH, box.south) : box.south);
  const across = Math.max(1, width - 2 * PADDING) / ((wide / 360) * TILE_SIZE);
  const up = Math.max(1, height - 2 * PADDING) / ((bottom - top) * TILE_SIZE);
  const closest = wide === 0 && box.north === box.south ? PLACE_ZOOM : MAX_ZOOM;
  const least = isWorld ? Math.log2(width / TILE_SIZE) : 0;
  const middle = xOf(box.west) + wide / 720;
  return {
    zoom: Math.max(least, Math.min(closest, Math.log2(Math.min(across, up)))),
    latitude: latitudeOf((top + bottom) / 2),
    longitude: ((((middle % 1) + 1) % 1) - 0.5) * 360,
  };
}

function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;
}
