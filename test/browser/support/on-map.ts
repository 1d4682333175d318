import type { Page } from "playwright-core";
import type { ApiClient } from "../../support/api-client.ts";

/** Around a point of the window, pixels. */
const NEAR = 3;

/**
 * The map as it was drawn: how many pixels of its events are not empty.
 * @param at near this point of the window; on the whole map without it
 */
export function inkOf(
  page: Page,
  at?: { readonly x: number; readonly y: number },
): Promise<number> {
  return page.evaluate(
    ([at, near]) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".leaflet-overlay-pane canvas");
      if (!canvas) return 0;
      // Read from a copy: a canvas that is read becomes slower to draw.
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      if (!context) return 0;
      context.drawImage(canvas, 0, 0);
      const { left, top, width } = canvas.getBoundingClientRect();
      const ratio = canvas.width / width;
      const [x, y, w, h] = at
        ? [at.x - left - near, at.y - top - near, 2 * near, 2 * near].map((n) => n * ratio)
        : [0, 0, canvas.width, canvas.height];
      const { data } = context.getImageData(x ?? 0, y ?? 0, w ?? 1, h ?? 1);
      let ink = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) ink++;
      return ink;
    },
    [at, NEAR] as const,
  );
}

type Place = { readonly latitude: number; readonly longitude: number };
type Point = { readonly x: number; readonly y: number };

/** What the map shows. */
type MapView = Place & {
  readonly zoom: number;
  /** As filters of the API have it, degrees. */
  readonly box: Readonly<Record<(typeof EDGES)[number], number>>;
  /** Where a place lies in the window, pixels. */
  readonly pointOf: (place: Place) => Point;
  /** Whether a point of the window lies on the map. */
  readonly has: (point: Point) => boolean;
};

export const EDGES = ["minLatitude", "maxLatitude", "minLongitude", "maxLongitude"] as const;

/** What the map shows, reckoned from the view in the address and the map's size alone. */
export async function mapViewOf(page: Page): Promise<MapView> {
  const parts = new URL(page.url()).searchParams.get("map")?.split("/").map(Number) ?? [];
  const frame = await page.locator(".map").boundingBox();
  const [zoom, latitude, longitude] = parts;
  if (zoom === undefined || latitude === undefined || longitude === undefined || frame === null) {
    throw new Error("no map, or no view in the address");
  }
  const { x, y, width, height } = frame;
  const world = 256 * 2 ** zoom;
  const reach = (width / 2 / world) * 360;
  return {
    zoom,
    latitude,
    longitude,
    box: {
      minLatitude: latitudeAt(downTo(latitude) + height / 2 / world),
      maxLatitude: latitudeAt(downTo(latitude) - height / 2 / world),
      minLongitude: turned(longitude - reach),
      maxLongitude: turned(longitude + reach),
    },
    pointOf: (place) => ({
      x: x + width / 2 + (turned(place.longitude - longitude) / 360) * world,
      y: y + height / 2 + (downTo(place.latitude) - downTo(latitude)) * world,
    }),
    has: (point) => point.x > x && point.x < x + width && point.y > y && point.y < y + height,
  };
}

/** From the top of the world in Web Mercator, in units of its width. */
function downTo(latitude: number): number {
  return 0.5 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / (2 * Math.PI);
}

function latitudeAt(down: number): number {
  return (Math.atan(Math.sinh((0.5 - down) * 2 * Math.PI)) * 180) / Math.PI;
}

/** −180 ≤ degrees < 180. */
function turned(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Where an element lies in the window, pixels. */
export async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not there`);
  return box;
}

/** Waits for a picture of the events. */
export const drawn = (page: Page) => page.locator("[data-drawn]").waitFor();

/** How many events the page says that it shows. */
export async function shownCount(page: Page): Promise<number> {
  const text = await page.locator(".shown strong").textContent();
  return Number(text?.replaceAll(",", ""));
}

/** How many events of a catalogue satisfy filters. */
export async function filteredCount(
  client: ApiClient,
  catalogue: string,
  filters: URLSearchParams,
): Promise<number> {
  const { body } = await client.get<{ count: number }>(
    `/api/catalogues/${catalogue}/events/filtered?${filters}`,
  );
  return body.count;
}
