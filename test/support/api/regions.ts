import type { RegionGeometry } from "#contracts/events/regions.ts";
import type { Region } from "#contracts/http/regions.ts";
import type { ApiAnswer, ApiClient } from "../api-client.ts";

type One = { readonly region: Region };

/** A square between two meridians and two parallels. */
export function squareOf(
  west: number,
  south: number,
  east: number,
  north: number,
): Extract<RegionGeometry, { type: "Polygon" }> {
  const corners: [number, number][] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: "Polygon", coordinates: [corners] };
}

export const SQUARE = squareOf(0, 0, 10, 10);

/** A square as WKT. */
export function wktOf(square: ReturnType<typeof squareOf>): string {
  const rings = square.coordinates.map(
    (ring) => `(${ring.map(([longitude, latitude]) => `${longitude} ${latitude}`).join(", ")})`,
  );
  return `POLYGON (${rings.join(", ")})`;
}

export function saveRegion(
  client: ApiClient,
  form: Readonly<Record<string, unknown>> = {},
): Promise<ApiAnswer<One>> {
  return client.send<One>("POST", "/api/regions", { name: "Square", geometry: SQUARE, ...form });
}

/** @returns its id */
export async function newRegion(
  client: ApiClient,
  geometry: RegionGeometry = SQUARE,
): Promise<string> {
  const { status, body } = await saveRegion(client, { geometry });
  if (status !== 201) throw new Error(`saving a region answered ${JSON.stringify(body)}`);
  return body.region.id;
}

export async function redraw(
  client: ApiClient,
  id: string,
  geometry: RegionGeometry,
): Promise<void> {
  const { status, body } = await client.send("PATCH", `/api/regions/${id}`, { geometry });
  if (status !== 200) throw new Error(`changing a region answered ${JSON.stringify(body)}`);
}
