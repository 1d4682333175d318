import { useMemo } from "preact/hooks";
import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import { boundsOfBbox } from "../../model/bounds.ts";
import { useSavedRegion } from "../../ui/call/use-saved-regions.ts";
import type { DrawnRegion } from "./filters/drawn-filters.ts";

/** The saved region of the filters; null without one, before it has come, and for guests, who may not see it. */
export function useDrawnRegion(id: string | undefined): DrawnRegion | null {
  const region = useSavedRegion(id ?? null);
  return useMemo(
    () =>
      region && {
        area: areaOfGeometry(region.geometry),
        name: region.name,
        bounds: boundsOfBbox(region.bbox),
      },
    [region],
  );
}
