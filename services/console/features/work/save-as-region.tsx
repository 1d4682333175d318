import { Link } from "wouter-preact";
import { wktOf } from "#contracts/geometry/wkt.ts";
import { has } from "../../api/session.ts";
import type { Shape } from "../../map/shapes.ts";

/** Leads on from a polygon that filters to a region of it. */
export function saveAsRegion(shape: Shape) {
  if (shape.kind !== "polygon" || !has("editor")) return null;
  return (
    <Link href={`/regions/new?polygon=${encodeURIComponent(wktOf(shape.area))}`}>
      Save as region…
    </Link>
  );
}
