import type { Area, Position } from "#contracts/geometry/shape.ts";
import { faultOfWkt, shapeOfWkt } from "#contracts/query/filters.ts";
import { counted } from "../../ui/text/format.ts";

/** What a text says of an area; the name is that of its feature. */
export type ReadArea = { readonly area: Area; readonly name: string | null };

/** Why a text is no area, in words for people. */
export class UnreadArea extends Error {}

/**
 * Reads GeoJSON (a geometry, a feature or a collection of one) or WKT; heights are left out. Whether the
 * area is sound is for the service to say.
 * @throws UnreadArea
 */
export function readArea(text: string): ReadArea {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return areaOfJson(jsonOf(trimmed), null);
  const fault = faultOfWkt(trimmed);
  if (fault !== null) throw new UnreadArea(`It is neither GeoJSON nor WKT: ${fault}.`);
  return { area: shapeOfWkt(trimmed).polygons, name: null };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadArea("It begins like GeoJSON, but is no whole JSON text.");
  }
}

type Json = {
  readonly type?: unknown;
  readonly features?: unknown;
  readonly geometry?: unknown;
  readonly properties?: { readonly name?: unknown } | null;
  readonly coordinates?: unknown;
};

function areaOfJson(value: unknown, name: string | null): ReadArea {
  const json = (typeof value === "object" && value !== null ? value : {}) as Json;
  switch (json.type) {
    case "FeatureCollection": {
      const features = Array.isArray(json.features) ? json.features : [];
      if (features.length === 1) return areaOfJson(features[0], name);
      throw new UnreadArea(
        `It has ${counted(features.length, "feature")}, and a region is one: choose it, or unite them before.`,
      );
    }
    case "Feature":
      return areaOfJson(json.geometry, nameOf(json) ?? name);
    case "Polygon":
      return { area: [ringsOf(json.coordinates)], name };
    case "MultiPolygon":
      return { area: listOf(json.coordinates).map(ringsOf), name };
    case "Point":
    case "LineString":
    case "MultiPoint":
    case "MultiLineString":
    case "GeometryCollection":
      throw new UnreadArea(`It is a ${json.type}, and a region is a Polygon or a MultiPolygon.`);
  }
  throw new UnreadArea("It is JSON, but no GeoJSON of an area.");
}

function nameOf({ properties }: Json): string | null {
  const name = properties?.name;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

function ringsOf(coordinates: unknown): readonly (readonly Position[])[] {
  return listOf(coordinates).map((ring) => listOf(ring).map(positionOf));
}

function positionOf(position: unknown): Position {
  const [longitude, latitude] = listOf(position);
  if (typeof longitude === "number" && typeof latitude === "number") return [longitude, latitude];
  throw new UnreadArea("One of its positions has no longitude and latitude.");
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnreadArea("Its coordinates are not lists of rings of positions.");
}
