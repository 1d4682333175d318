import type { RegionGeometry } from "#contracts/geometry/region-geometry.ts";
import type { ApiClient } from "../api-client.ts";

type Square = Extract<RegionGeometry, { type: "Polygon" }>;

/** A square between two meridians and two parallels. */
export function squareOf(west: number, south: number, east: number, north: number): Square {
  const corners: [number, number][] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: "Polygon", coordinates: [corners] };
}

/** A square as WKT. */
export function wktOf({ coordinates }: Square): string {
  const rings = coordinates.map(
    (ring) => `(${ring.map(([longitude, latitude]) => `${longitude} ${latitude}`).join(", ")})`,
  );
  return `POLYGON (${rings.join(", ")})`;
}

/** @returns its id */
export async function newRegion(client: ApiClient, geometry: RegionGeometry): Promise<string> {
  const form = { name: "Square", geometry };
  const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", form);
  if (answer.status !== 201)
    throw new Error(`saving a region answered ${JSON.stringify(answer.body)}`);
  return answer.body.region.id;
}

export async function redraw(
  client: ApiClient,
  id: string,
  geometry: RegionGeometry,
): Promise<void> {
  const { status, body } = await client.send("PATCH", `/api/regions/${id}`, { geometry });
  if (status !== 200) throw new Error(`changing a region answered ${JSON.stringify(body)}`);
}
