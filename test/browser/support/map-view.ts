import type { Page } from "playwright-core";

type Place = { readonly latitude: number; readonly longitude: number };
type Point = { readonly x: number; readonly y: number };

/** What the map shows. */
export type MapView = Place & {
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
