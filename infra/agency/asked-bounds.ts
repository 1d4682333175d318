import { boxOfArea } from "#contracts/geometry/extent.ts";
import type { Area } from "#contracts/geometry/shape.ts";
import { shapeOfWkt } from "#contracts/query/filter-shapes.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { type AgencyQuery, filtersOf } from "./agency-query.ts";

type Bounds = Pick<AgencyQuery, "minLatitude" | "maxLatitude" | "minLongitude" | "maxLongitude">;

/**
 * The bounds to ask an agency for: those of the query, or the box of its polygon or its region, whichever is the
 * narrowest. What is asked for in vain is filtered out.
 */
export function askedBounds(query: AgencyQuery): Bounds {
  const filters = filtersOf(query);
  let { minLatitude = -90, maxLatitude = 90, minLongitude = -180, maxLongitude = 180 } = filters;
  for (const area of areasOf(filters)) {
    const { west, south, east, north } = boxOfArea(area);
    // Where they have nothing in common, no event is wanted, whatever is asked for.
    if (south <= maxLatitude && north >= minLatitude) {
      [minLatitude, maxLatitude] = [Math.max(south, minLatitude), Math.min(north, maxLatitude)];
    }
    // All meridians meet at a pole.
    const touchesPole = south <= -90 || north >= 90;
    if (!touchesPole && widthOf(west, east) < widthOf(minLongitude, maxLongitude)) {
      [minLongitude, maxLongitude] = [west, east];
    }
  }
  return { minLatitude, maxLatitude, minLongitude, maxLongitude };
}

function areasOf({ polygon, regionArea }: EventFilters): Area[] {
  const drawn = polygon === undefined ? [] : [shapeOfWkt(polygon).polygons];
  return regionArea === undefined ? drawn : [...drawn, regionArea.area];
}

function widthOf(west: number, east: number): number {
  return east < west ? east - west + 360 : east - west;
}
