import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import type { RegionArea } from "#contracts/query/region-area.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { findRegionArea } from "#projections/read/regions.ts";

/** What saved regions are now. */
export type Regions = {
  /** Null for an unknown one. */
  readonly find: (id: string) => Promise<RegionArea | null>;
};

/** Vertices of the regions that are kept; each takes some 100 bytes. */
const KEPT_VERTICES = 200_000;

/** Each time their revision is asked for, and their geometry where that is new: what is made of it is kept with it. */
export function createRegions(lookups: Lookups): Regions {
  const recent = createRecent<RegionArea>(KEPT_VERTICES);
  return {
    async find(id) {
      const known = recent.get(id);
      const found = await findRegionArea(lookups, id, known?.revision ?? null);
      if (found === null) return null;
      const { revision, vertices, geometry } = found;
      const now = geometry === null ? known : { revision, area: areaOfGeometry(geometry) };
      if (now === undefined) throw new Error(`region ${id} came without its geometry`);
      return recent.keep(id, now, vertices);
    },
  };
}
